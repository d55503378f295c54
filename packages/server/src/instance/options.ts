import type { Scope } from "@dosimeter/client";
import type { RequestLimits, StepLabel } from "@dosimeter/ledger";
import type { TeamOpeners } from "../access/authority.ts";
import type { OidcProvider } from "../access/oidc-provider.ts";
import type { Rate, RateName } from "../access/rates.ts";
import type { MeasuringProcess } from "../measuring/measurer.ts";
import type { MailOptions } from "../outbox/mail.ts";
import type { ReleaseStep } from "../release/deps.ts";
import type { FileOrInline } from "../sources/connections.ts";
import type { Log } from "../telemetry/log.ts";

export interface InstanceOptions {
  /** The data folder; created when missing. */
  readonly folder: string;
  /** `postgres://…` of the ledger database, which several processes may share; a SQLite file in the folder when absent. */
  readonly database?: string;
  /** The folder of uploads, which processes with one database share too; `files` in the data folder when absent. */
  readonly uploads?: string;
  /** A file of named connections to databases that hold tables, as `readSources` takes it. */
  readonly sources?: FileOrInline;
  /** Hosts of databases that admins may connect to, with their secrets, as `readConnectionHosts` takes them; none when absent. */
  readonly connectionHosts?: FileOrInline;
  readonly log?: Log;
  /** Where a server listens; 8080, or the next free one, when absent. It fails when it is taken. */
  readonly port?: number;
  /** 127.0.0.1 when absent, which only this machine can reach. */
  readonly host?: string;
  /** The address at which browsers reach this server behind a reverse proxy. */
  readonly publicUrl?: string;
  /** What reading tables may take; the defaults of the engine where absent. */
  readonly measuring?: {
    /** "2GB" when absent. */
    readonly memoryLimit?: string;
    /** One less than the processors when absent. */
    readonly threads?: number;
    /** Where rows that do not fit into memory wait, in a folder of this instance's own; inside the data folder when absent. */
    readonly spill?: string;
    /** "16GB" when absent. */
    readonly temporaryLimit?: string;
  };
  /** What the operator's token may be used for; everything when absent. */
  readonly operatorScopes?: readonly Scope[];
  readonly largestUpload?: number;
  /** The most bytes of all uploads of one person; eight of the largest when absent. */
  readonly largestOfPerson?: number;
  /** Folders of this machine whose tables platform admins may declare; none when absent. */
  readonly folders?: readonly string[];
  /** Whether a person who asked for quota may also decide, which is marked; refused when absent. */
  readonly selfApproval?: "refuse" | "flag";
  /** Who may open a team; anyone signed in when absent. */
  readonly teams?: TeamOpeners;
  /** How people sign in: in every way when absent, or with a provider alone. */
  readonly signIn?: "any" | "providers";
  /** Whose passwords need a second factor also where they set none up; no one's when absent. */
  readonly secondFactor?: "optional" | "admins" | "all";
  /** The longest life of a browser's session; 12 hours when absent. */
  readonly sessionHours?: number;
  /** Days from the removal of a person to the erasure of their name; never when absent. */
  readonly eraseAfterDays?: number;
  /** How often one person may ask for quota; the defaults where absent. */
  readonly requestLimits?: Partial<RequestLimits>;
  /** A release takes at least the lifetime divided by this number; 100,000 when absent. */
  readonly mostCharges?: bigint;
  /** Whether /metrics answers Prometheus; only the operator should be able to reach it. */
  readonly metrics?: boolean;
  /** Where traces and metrics are sent by OpenTelemetry's protocol; nowhere when absent. */
  readonly otlp?: string;
  /** Days after which notifications, letters that were sent, and the names of sessions that ended are erased; never when absent. */
  readonly keepDays?: { readonly notifications?: number; readonly access?: number };
  /** How mail is sent; none is when absent. */
  readonly mail?: MailOptions;
  /** OpenID Connect providers that people may sign in with. */
  readonly oidc?: readonly OidcProvider[];
  /** Sends what waits in the outbox; the command line leaves that to a server. */
  readonly deliver?: boolean;
  /** Webhooks may go to this machine and its private networks; never when absent. */
  readonly webhooksInside?: boolean;
  /** The secret that encrypts the signing key in a shared database; null: the key is stored unencrypted. */
  readonly keySecret?: string | null;
  /** The files that hold settings alone, by their names: only when they were written is read. */
  readonly secretFiles?: Readonly<Record<string, string>>;
  /** Where the checkpoint is kept too, outside the folder: an address of `witnessKinds`. */
  readonly witness?: string;
  /** Where changes of a SQLite ledger database go before what they hold is shown; nowhere when absent. */
  readonly ship?: {
    readonly place: string;
    readonly recipients: readonly string[];
    /** 60 when absent. */
    readonly graceSeconds?: number;
    /** 7 when absent. */
    readonly keepDays?: number;
  };
  /** Of a place that is an address. */
  readonly shipSecret?: string;
  /** Where a server sends every audit line too: an address that `auditPlaceAt` takes. */
  readonly auditStream?: string;
  /** Where the protocol of PostgreSQL is spoken: a port, the path of a certificate, and its key, both in PEM; nowhere when absent. */
  readonly postgresWire?: {
    readonly port: number;
    readonly certificate: string;
    readonly key: string;
    /** How many processes run what stands around plans, seconds that a statement may take there, and megabytes of each. */
    readonly processes?: number;
    readonly seconds?: number;
    readonly memory?: number;
  };
  readonly rates?: Readonly<Record<RateName, Rate>>;
}

/** What tests of this repository set too: neither of the exported types, `InstanceOptions` and `ServeOptions`, has it. */
export interface TestOptions {
  /** Starts the process that reads rows, which tests share; one of this instance's own when absent. */
  readonly startMeasuring?: () => MeasuringProcess;
  /** How many connections are open at once; a thousand when absent. */
  readonly maxConnections?: number;
  /** Called at each labelled step of a charge and release; some end the process there. */
  readonly step?: (label: StepLabel | ReleaseStep) => void;
}
