import type { KnownSecret, Output } from "@dosimeter/client";
import type { PrincipalId, Signer, Verification, Witnessed } from "@dosimeter/ledger";
import type { TeamOpeners } from "../access/authority.ts";
import type { FirstAdmin } from "../access/first-admin.ts";
import type { McpClients } from "../access/mcp-clients.ts";
import type { Oidc } from "../access/oidc.ts";
import type { NotedSignIn } from "../access/refused-sign-in.ts";
import type { SignInDeps } from "../access/second-factor.ts";
import type { Importer } from "../import/ledger-copy.ts";
import type { Inspector } from "../measuring/inspector.ts";
import type { Mailer } from "../outbox/mail.ts";
import type { Sender } from "../outbox/sender.ts";
import type { ReleaseDeps } from "../release/deps.ts";
import type { ReleaseQueue } from "../release/queue.ts";
import type { Exporter } from "../report/exporter.ts";
import type { Printer } from "../report/printer.ts";
import type { Reporter } from "../report/reporter.ts";
import type { RowMaker } from "../report/rows.ts";
import type { Schedules } from "../schedules/schedules.ts";
import type { Scim } from "../scim/scim.ts";
import type { CodeBookReader } from "../sources/code-book.ts";
import type { Files } from "../sources/files.ts";
import type { KnownConnections } from "../sources/known-connections.ts";
import type { Reach } from "../sources/reach.ts";
import type { ServerFolders } from "../sources/server-folders.ts";
import type { Span } from "../telemetry/current.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { InTurn } from "../threads/turns.ts";

/** Everything the handlers work with; made once, in instance.ts. */
export interface Deps extends SignInDeps {
  readonly inspector: Inspector;
  readonly queue: ReleaseQueue;
  readonly release: ReleaseDeps;
  readonly schedules: Pick<Schedules, "run" | "make">;
  readonly files: Files;
  /** Counts who is being shown how a file fits: one at a time for each person. */
  readonly checking: (person: PrincipalId) => (() => void) | null;
  /** Prices of programs outside, which a thread computes for all. */
  readonly pricing: InTurn;
  readonly reporter: Reporter;
  readonly printer: Printer;
  readonly rowMaker: Pick<RowMaker, "make" | "ask">;
  readonly importer: Importer;
  readonly codebookReader: CodeBookReader;
  readonly exporter: Exporter;
  /** A full replay of everything; one at a time. */
  readonly verify: () => Promise<Verification>;
  /** Tries everything that this server needs, as `dosimeter doctor` does; one at a time. */
  readonly diagnose: () => Promise<Output<"diagnose">>;
  readonly folders: ServerFolders;
  /** Databases that hold tables. */
  readonly connections: KnownConnections;
  /** What is wrong with them. */
  readonly reach: Pick<Reach, "look" | "problems">;
  readonly signer: Signer;
  /** The secrets of this installation, without their values. */
  readonly secrets: () => Promise<readonly KnownSecret[]>;
  readonly oidc: Oidc;
  /** Reads what programs that a person may let in have registered, and signs it. */
  readonly mcpClients: McpClients;
  readonly scim: Scim;
  readonly sendsMail: boolean;
  /** Null where this server sends no mail. */
  readonly mailer: Pick<Mailer, "test"> | null;
  readonly sender: Sender | null;
  /** Whether webhooks may go to this machine and its private networks. */
  readonly webhooksInside: boolean;
  readonly log: Log;
  /** Null where no one asks for them and nothing sends them. */
  readonly metrics: Metrics | null;
  /** Null where nothing is sent by OpenTelemetry's protocol. */
  readonly tracing: { readonly root: Span; readonly close: () => Promise<void> } | null;
  /** Asks the witness for the newest that it keeps; null where there is none, where it does not answer, and where no key signs for it. */
  readonly witness: () => Promise<Witnessed | null>;
  /** Waits until all that was committed by now may be shown: it is in its second place, where there is one. NOT_READY. [M428] */
  readonly shown: () => Promise<void>;
  /** Whether the database answers and releases are taken. */
  readonly ready: () => Promise<boolean>;
  readonly version: string;
  /** Origin of links and cookies where it is not the one a request came to. */
  readonly publicUrl: string | null;
  /** Does this a moment later, when the answer has been sent. */
  readonly afterwards: (work: () => Promise<void>) => void;
  readonly notedSignIn: NotedSignIn;
  readonly teams: TeamOpeners;
  /** The longest life of a session. */
  readonly sessionHours: number;
  /** Where this server answers; null until it does. */
  readonly address: () => string | null;
  readonly firstAdmin: FirstAdmin;
  /** Whether demo people may sign in: there are some, and no real person ever existed. */
  readonly demoIsOn: () => Promise<boolean>;
}
