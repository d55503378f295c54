import { isIP } from "node:net";
import { delimiter } from "node:path";
import { z } from "zod";
import { auditPlaceAt } from "../outbox/audit-places.ts";
import { signedIn } from "../outbox/signed-in.ts";
import type { Inline } from "../sources/connections.ts";
import { placeAt, witnessKinds } from "./witness.ts";

/** One setting of a server: command line, environment, file, help and docs read this row, and no other copy exists. */
export interface Setting {
  readonly schema: z.ZodType;
  /** What a value must be. */
  readonly want: string;
  readonly means: string;
  /** What holds without it. */
  readonly usual: string;
  /** Its name in the file; null where it is of no use there. */
  readonly key: string | null;
  /** The option of `dosimeter serve`. */
  readonly flag?: string;
  /** May come as the path of a file that holds it: `…_FILE`, and `…File` in the file. */
  readonly secret?: true;
  /** A path, or several: relative to the file that names it, else to the working folder. */
  readonly isPath?: true;
  /** What stands between the values of a list; with an option that may come several times. */
  readonly between?: string;
  /** The file may hold what is otherwise the content of a file of its own. */
  readonly inline?: true;
}

const onOff = z.enum(["0", "1"]).transform((value) => value === "1");
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const within = (least: number, most: number) => wholeNumber.refine((value) => value >= least && value <= most);
const size = z.string().regex(/^[1-9]\d{0,5}[KMGT]i?B$/);
const SIZE = "a size, such as 4GB or 500MB";
/** Where pages are, and no place below it. */
const origin = z.string().refine((value) => {
  if (!URL.canParse(value)) return false;
  const { protocol, origin, href } = new URL(value);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
});
/** An address, or a name whose last part is not a number, as names of hosts are. */
const hostOrAddress = z
  .string()
  .refine((value) => isIP(value) !== 0 || /^([a-z0-9_-]+\.)*(?!\d+$)[a-z0-9_-]+$/i.test(value));
const text = z.string().min(1);
/** An address with a path at most, whose user and password can be read. */
function isReceiver(value: string): boolean {
  try {
    const { url } = signedIn(new URL(value));
    return /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "";
  } catch {
    return false;
  }
}
const scopes = z
  .string()
  .transform((list) => list.split(/[ ,]+/).filter(Boolean))
  .pipe(z.array(z.enum(["read", "release", "manage", "admin"])).min(1));

/** Every setting of a server, by its variable. `docs/settings.md` lists this table; its test writes it. */
export const settings = {
  DATABASE_URL: {
    key: "database",
    secret: true,
    schema: z.string().regex(/^postgres(ql)?:\/\//),
    want: "postgres://user:password@host/database",
    means: "the ledger database is this one of PostgreSQL",
    usual: "a SQLite file in the data folder",
  },
  PORT: {
    key: "port",
    flag: "--port <n>",
    schema: within(0, 65_535),
    want: "0 to 65535",
    means: "where to listen; 0 is any free port",
    usual: "the first free one from 8080 on",
  },
  DOSIMETER_HOST: {
    key: "host",
    flag: "--host <address>",
    schema: hostOrAddress,
    want: "an address of this machine",
    means: "the address to listen on",
    usual: "127.0.0.1, this machine alone",
  },
  DOSIMETER_PUBLIC_URL: {
    key: "publicUrl",
    flag: "--public-url <url>",
    schema: origin,
    want: "http://host or https://host, without a path",
    means: "where browsers reach the server behind a proxy: for links, cookies and forgery checks",
    usual: "",
  },
  DOSIMETER_DRAIN: {
    key: "drainSeconds",
    schema: within(0, 600),
    want: "seconds, 0 to 600",
    means: "seconds from SIGTERM to the end of listening",
    usual: "10 with a public address, 0 without",
  },
  DOSIMETER_DATA: {
    key: null, // the commands that look for a running server read no file
    schema: text,
    want: "a folder",
    means: "the data folder; also --data of every command",
    usual: "./.dosimeter",
  },
  DOSIMETER_FILES: {
    key: "files",
    isPath: true,
    schema: text,
    want: "a folder",
    means: "uploads and the operator's token; servers that share a database share it too",
    usual: "files in the data folder",
  },
  DOSIMETER_FOLDERS: {
    key: "folders",
    flag: "--folder <path>",
    isPath: true,
    between: delimiter,
    schema: z.string().transform((list) => list.split(delimiter).filter((path) => path !== "")),
    want: `folders apart by "${delimiter}"`,
    means: "folders whose tables platform admins may declare",
    usual: "",
  },
  DOSIMETER_SOURCES: {
    key: "sources",
    isPath: true,
    inline: true,
    schema: text,
    want: "a JSON file",
    means: "named connections to databases that hold tables",
    usual: "",
  },
  DOSIMETER_CONNECTION_HOSTS: {
    key: "connectionHosts",
    isPath: true,
    inline: true,
    schema: text,
    want: "a JSON file",
    means: "hosts of databases that platform admins may add, with their secrets",
    usual: "they add none",
  },
  DOSIMETER_OPERATOR_SCOPES: {
    key: "operatorScopes",
    between: " ",
    schema: scopes,
    want: "a list of read, release, manage, admin",
    means: "what the operator's token may be used for",
    usual: "read, release, manage, admin",
  },
  DOSIMETER_MEMORY: {
    key: "memory",
    schema: size,
    want: SIZE,
    means: "memory of the process that reads files; the one that reads connections has half",
    usual: "2GB",
  },
  DOSIMETER_THREADS: {
    key: "threads",
    schema: within(1, 1024),
    want: "1 to 1024",
    means: "processors that reading tables may take",
    usual: "all but one",
  },
  DOSIMETER_SPILL: {
    key: "spill",
    isPath: true,
    schema: text,
    want: "a folder",
    means: "rows that do not fit into the memory wait here: encrypt its disk",
    usual: "spill in the data folder",
  },
  DOSIMETER_SPILL_LIMIT: {
    key: "spillLimit",
    schema: size,
    want: SIZE,
    means: "the most that may wait there at once",
    usual: "16GB",
  },
  DOSIMETER_LARGEST_UPLOAD: {
    key: "largestUpload",
    schema: wholeNumber,
    want: "bytes",
    means: "largest upload",
    usual: "4294967296",
  },
  DOSIMETER_LARGEST_OF_PERSON: {
    key: "largestOfPerson",
    schema: wholeNumber,
    want: "bytes",
    means: "the most that all uploads and appended rows of one person may have",
    usual: "eight of the largest upload",
  },
  DOSIMETER_TEAMS: {
    key: "teams",
    flag: "--teams <who>",
    schema: z.enum(["anyone", "admins"]),
    want: "anyone or admins",
    means: "who may open a team: anyone signed in, or platform admins alone",
    usual: "anyone",
  },
  DOSIMETER_SELF_APPROVAL: {
    key: "selfApproval",
    flag: "--self-approval <policy>",
    schema: z.enum(["refuse", "flag"]),
    want: "refuse or flag",
    means: "whether who asked for budget may also decide, marked for everyone to see",
    usual: "refuse",
  },
  DOSIMETER_MOST_CHARGES: {
    key: "mostCharges",
    schema: wholeNumber.refine((most) => most > 0).transform(BigInt),
    want: "a whole number above 0",
    means: "a release takes at least the lifetime divided by this number",
    usual: "100000",
  },
  DOSIMETER_REQUEST_PAUSE: {
    key: "requestPauseHours",
    schema: within(0, 8784),
    want: "hours, 0 to 8784",
    means: "hours after a rejection until the same person asks the same payer, or for a raise, again",
    usual: "24",
  },
  DOSIMETER_REQUESTS_A_DAY: {
    key: "requestsADay",
    schema: wholeNumber.refine((most) => most > 0),
    want: "a number above 0",
    means: "requests on one ledger that a person makes in a day without being granted one",
    usual: "20",
  },
  DOSIMETER_POSTGRES_WIRE: {
    key: "postgresWire",
    flag: "--postgres-wire <port>",
    schema: within(0, 65_535),
    want: "0 to 65535",
    means: "where drivers of PostgreSQL ask in SQL; 0 is any free port",
    usual: "nowhere",
  },
  DOSIMETER_POSTGRES_WIRE_CERTIFICATE: {
    key: "postgresWireCertificate",
    isPath: true,
    schema: text,
    want: "a PEM file",
    means: "the certificate there, with those that sign it",
    usual: "",
  },
  DOSIMETER_POSTGRES_WIRE_KEY: {
    key: "postgresWireKey",
    secret: true,
    schema: z.string().includes("PRIVATE KEY-----"),
    want: "a private key in PEM",
    means: "the key of that certificate",
    usual: "",
  },
  DOSIMETER_POSTGRES_WIRE_PROCESSES: {
    key: "postgresWireProcesses",
    schema: within(1, 64),
    want: "1 to 64",
    means: "processes there at most, each with a PostgreSQL that holds no row; each takes 200 MB and more",
    usual: "3",
  },
  DOSIMETER_POSTGRES_WIRE_SECONDS: {
    key: "postgresWireSeconds",
    schema: within(1, 3600),
    want: "seconds, 1 to 3600",
    means: "what a statement may take there, without what a release takes",
    usual: "20",
  },
  DOSIMETER_POSTGRES_WIRE_MEMORY: {
    key: "postgresWireMemory",
    schema: within(1000, 64_000),
    want: "megabytes, 1000 to 64000",
    means: "what one of these processes may reserve, of which it uses a part",
    usual: "2000",
  },
  DOSIMETER_LOG: {
    key: "log",
    flag: "--log <level>",
    schema: z.enum(["silent", "error", "info"]),
    want: "silent, error or info",
    means: "JSON lines on standard error",
    usual: "error",
  },
  DOSIMETER_METRICS: {
    key: "metrics",
    flag: "--metrics",
    schema: onOff,
    want: "0 or 1",
    means: "whether /metrics answers Prometheus",
    usual: "0",
  },
  DOSIMETER_OTLP: {
    key: "otlp",
    secret: true,
    schema: z.string().refine(isReceiver),
    want: "http://host:4318 or https://user:password@host",
    means: "where traces and metrics are sent by OpenTelemetry's protocol over HTTP",
    usual: "nowhere",
  },
  DOSIMETER_MAIL_URL: {
    key: "mailUrl",
    secret: true,
    schema: z.string().regex(/^smtps?:\/\//),
    want: "smtp://user:password@host:587 or smtps://…",
    means: "the server that takes mail",
    usual: "no mail is sent",
  },
  DOSIMETER_MAIL_FROM: {
    key: "mailFrom",
    schema: z.string().includes("@"),
    want: "an address",
    means: "whom mail is from",
    usual: "",
  },
  DOSIMETER_OIDC: {
    key: "oidc",
    isPath: true,
    inline: true,
    schema: text,
    want: "a JSON file: a list of {id, name, issuer, clientId, clientSecret or clientSecretFile, scope, signUp, groups, groupsClaim, scim}",
    means: "OpenID Connect providers that people may sign in with",
    usual: "",
  },
  DOSIMETER_SIGN_IN: {
    key: "signIn",
    schema: z.enum(["any", "providers"]),
    want: "any or providers",
    means: "providers: without passwords, mailed links or invitations",
    usual: "any",
  },
  DOSIMETER_SECOND_FACTOR: {
    key: "secondFactor",
    schema: z.enum(["optional", "admins", "all"]),
    want: "optional, admins or all",
    means: "who signs in by password only with a code of an app: who has set one up, also all admins, or everyone",
    usual: "optional",
  },
  DOSIMETER_SESSION_HOURS: {
    key: "sessionHours",
    schema: within(1, 720),
    want: "hours, 1 to 720",
    means: "the longest life of a browser's session",
    usual: "12",
  },
  DOSIMETER_ERASE_AFTER: {
    key: "eraseAfterDays",
    schema: within(1, 36_500),
    want: "days, 1 to 36500",
    means: "days after the removal of a person until their name and address are erased",
    usual: "never, by itself",
  },
  DOSIMETER_KEEP_NOTIFICATIONS: {
    key: "keepNotificationsDays",
    schema: within(1, 36_500),
    want: "days, 1 to 36500",
    means: "days until notifications, and letters and posts that have ended, are erased",
    usual: "for ever",
  },
  DOSIMETER_KEEP_ACCESS: {
    key: "keepAccessDays",
    schema: within(1, 36_500),
    want: "days, 1 to 36500",
    means: "days from the end of a session, token, link or invitation until its browser, name or address is erased",
    usual: "for ever",
  },
  DOSIMETER_WEBHOOKS_INSIDE: {
    key: "webhooksInside",
    schema: onOff,
    want: "0 or 1",
    means: "whether webhooks may go to this machine and its private networks",
    usual: "0",
  },
  DOSIMETER_KEY_SECRET: {
    key: "keySecret",
    secret: true,
    schema: z.string().min(20),
    want: "20 characters or more, the same for all servers",
    means:
      "encrypts secrets in the ledger database: of authenticator apps and webhooks, and in PostgreSQL the key that signs exports",
    usual: "they are not encrypted",
  },
  DOSIMETER_AUDIT_STREAM: {
    key: "auditStream",
    secret: true,
    schema: z.string().refine((address) => auditPlaceAt(address) !== null),
    want: "file:///path, https://user:password@host/path that takes POST, syslog+tls://host:6514, or syslog+tcp://host:601",
    means: "where every audit line is sent too; set it for one server of a database",
    usual: "",
  },
  DOSIMETER_WITNESS: {
    key: "witness",
    secret: true,
    schema: z.string().refine((address) => placeAt(address) !== null),
    want: Object.values(witnessKinds)
      .map(({ words }) => words)
      .join("; or "),
    means: "where the checkpoint is kept too, outside the data folder",
    usual: "",
  },
  DOSIMETER_SHIP: {
    key: "ship",
    isPath: true,
    schema: text,
    want: "a folder of another disk, https://host/ship, or s3+https://host/bucket/path?region=…; of this ledger alone",
    means: "where changes of a SQLite ledger database go before answers are shown, encrypted; with a recipient",
    usual: "nowhere",
  },
  DOSIMETER_SHIP_SECRET: {
    key: "shipSecret",
    secret: true,
    schema: text,
    want: "name:secret, or the id and the secret of a key of S3 as id:secret",
    means: "who the server is at the address of that place; none for a folder",
    usual: "",
  },
  DOSIMETER_SHIP_RECIPIENT: {
    key: "shipRecipients",
    between: " ",
    schema: z.string().transform((list) => list.split(/[ ,]+/).filter(Boolean)),
    want: "age1…, or several",
    means: "whose keys can read what is there",
    usual: "",
  },
  DOSIMETER_SHIP_GRACE: {
    key: "shipGraceSeconds",
    schema: within(0, 86_400),
    want: "seconds, 0 to 86400",
    means: "how long answers are shown all the same when that place takes nothing; then nothing is charged",
    usual: "60",
  },
  DOSIMETER_SHIP_KEEP: {
    key: "shipKeepDays",
    schema: within(1, 36_500),
    want: "days, 1 to 36500",
    means: "how far back the ledger can be restored from there",
    usual: "7",
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;
export const settingRows = Object.entries(settings) as readonly (readonly [SettingName, Setting])[];

type Inlined<Name extends SettingName> = (typeof settings)[Name] extends { readonly inline: true } ? Inline : never;
export type Read = { readonly [Name in SettingName]?: z.output<(typeof settings)[Name]["schema"]> | Inlined<Name> };
