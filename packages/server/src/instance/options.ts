import type { RequestLimits, StepLabel } from "@dosimeter/ledger";
import type { OidcProvider } from "../access/oidc.ts";
import type { Rate, RateName } from "../access/rates.ts";
import type { MailOptions } from "../outbox/mail.ts";
import type { ReleaseStep } from "../release/deps.ts";
import type { Log } from "./log.ts";

export interface InstanceOptions {
  /** The data folder; made when it is not there. */
  readonly folder: string;
  /** `postgres://…`: the ledger database, which several processes may share; a SQLite file in the folder when absent. */
  readonly database?: string;
  /** Where uploads lie; processes that share a database share it too. `files` in the data folder when absent. */
  readonly uploads?: string;
  /** A file of named connections to databases that hold tables, as `readSources` takes it. */
  readonly sources?: string;
  readonly log?: Log;
  /** Where browsers reach this server when a reverse proxy stands before it. */
  readonly publicUrl?: string;
  /** Largest upload in bytes. */
  readonly largestUpload?: number;
  /** Folders of this machine whose tables platform admins may declare; none when absent. */
  readonly folders?: readonly string[];
  /** Whether a person who asked for quota may also decide, which is marked; refused when absent. */
  readonly selfApproval?: "refuse" | "flag";
  /** How often one person may ask for quota; the defaults where absent. */
  readonly requestLimits?: Partial<RequestLimits>;
  /** Whether /metrics answers Prometheus; only the operator should be able to reach it. */
  readonly metrics?: boolean;
  /** How mail is sent; none is when absent. */
  readonly mail?: MailOptions;
  /** OpenID Connect providers that people may sign in with. */
  readonly oidc?: readonly OidcProvider[];
  /** Sends what waits in the outbox; the command line leaves that to a server. */
  readonly deliver?: boolean;
  /** Webhooks may go to this machine and its private networks; never when absent. */
  readonly webhooksInside?: boolean;
  /** Encrypts the signing key in a database that several processes share; null: the key is stored as it is. */
  readonly keySecret?: string | null;
  readonly rates?: Readonly<Record<RateName, Rate>>;
  /** Called at each labelled step of a charge and release, for tests that end the process there. */
  readonly step?: (label: StepLabel | ReleaseStep) => void;
}
