import { readFileSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { z } from "zod";
import { placeAt, witnessKinds } from "../witness/witness.ts";
import type { LogLevel } from "./log.ts";
import type { InstanceOptions } from "./options.ts";

/** The checked configuration from the environment; absent where a variable is not set. */
export interface Configuration
  extends Pick<
    InstanceOptions,
    | "database"
    | "uploads"
    | "sources"
    | "publicUrl"
    | "largestUpload"
    | "operatorScopes"
    | "measuring"
    | "folders"
    | "selfApproval"
    | "requestLimits"
    | "mostCharges"
    | "metrics"
    | "mail"
    | "oidc"
    | "webhooksInside"
    | "keySecret"
    | "witness"
  > {
  readonly port?: number;
  readonly drainSeconds?: number;
  readonly host?: string;
  readonly logLevel?: LogLevel;
}

const onOff = z.enum(["0", "1"]).transform((value) => value === "1");
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
const size = z.string().regex(/^[1-9]\d{0,5}[KMGT]i?B$/);
const origin = z.string().refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol));
const provider = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,40}$/),
  name: z.string().min(1),
  issuer: z.url(),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1).optional(),
  scope: z.string().optional(),
  signUp: z.boolean().optional(),
});

interface Setting {
  readonly schema: z.ZodType;
  /** What a value must be, for errors and for the docs. */
  readonly want: string;
  readonly means: string;
}

/** Every variable a server reads. `docs/operations.md` lists this table; a test compares them. */
export const settings = {
  DATABASE_URL: {
    schema: z.string().regex(/^postgres(ql)?:\/\//),
    want: "postgres://user:password@host/database",
    means: "the ledger database is this one of PostgreSQL instead of a SQLite file in the data folder",
  },
  PORT: {
    schema: wholeNumber.refine((port) => port < 65_536),
    want: "0 to 65535",
    means: "where to listen; the first free one from 8080 on",
  },
  DOSIMETER_HOST: {
    schema: z.string().min(1),
    want: "an address of this machine",
    means: "which address to listen on; 127.0.0.1, which only this machine can reach",
  },
  DOSIMETER_PUBLIC_URL: {
    schema: origin,
    want: "http://… or https://…",
    means: "where browsers reach the server, behind a reverse proxy: links, cookies and forgery checks use it",
  },
  DOSIMETER_DRAIN: {
    schema: wholeNumber.refine((seconds) => seconds <= 600),
    want: "seconds, 0 to 600",
    means:
      "seconds from SIGTERM, when /v1/ready falls, to the end of listening; 10 with DOSIMETER_PUBLIC_URL, 0 without",
  },
  DOSIMETER_DATA: { schema: z.string().min(1), want: "a folder", means: "the data folder; ./.dosimeter" },
  DOSIMETER_FILES: {
    schema: z.string().min(1),
    want: "a folder",
    means: "uploads; servers that share a database share it too; files in the data folder",
  },
  DOSIMETER_FOLDERS: {
    schema: z.string(),
    want: `folders apart by "${delimiter}"`,
    means: "folders, there at the start, whose tables platform admins may declare",
  },
  DOSIMETER_SOURCES: {
    schema: z.string().min(1),
    want: "a JSON file",
    means: "named connections to databases that hold tables",
  },
  DOSIMETER_OPERATOR_SCOPES: {
    schema: z
      .string()
      .transform((text) => text.split(/[ ,]+/).filter(Boolean))
      .pipe(z.array(z.enum(["read", "release", "manage", "admin"])).min(1)),
    want: "a list of read, release, manage, admin",
    means: "what the operator's token may be used for; read, release, manage, admin",
  },
  DOSIMETER_MEMORY: {
    schema: size,
    want: "a size, such as 4GB or 500MB",
    means: "memory that reading tables may take; 2GB",
  },
  DOSIMETER_THREADS: {
    schema: wholeNumber.refine((threads) => threads >= 1 && threads <= 1024),
    want: "1 to 1024",
    means: "processors that reading tables may take; all but one",
  },
  DOSIMETER_SPILL: {
    schema: z.string().min(1),
    want: "a folder",
    means:
      "rows that do not fit into the memory wait here, encrypt its disk like that of the uploads; spill in the data folder",
  },
  DOSIMETER_SPILL_LIMIT: {
    schema: size,
    want: "a size, such as 4GB or 500MB",
    means: "the most that may wait there at once; 16GB",
  },
  DOSIMETER_LARGEST_UPLOAD: { schema: wholeNumber, want: "bytes", means: "largest upload; 4294967296" },
  DOSIMETER_SELF_APPROVAL: {
    schema: z.enum(["refuse", "flag"]),
    want: "refuse or flag",
    means: "whether who asked for quota may also decide, marked for everyone to see; refuse",
  },
  DOSIMETER_MOST_CHARGES: {
    schema: wholeNumber.refine((most) => most > 0).transform(BigInt),
    want: "a whole number above 0",
    means: "a release takes at least the lifetime divided by this number; 100000",
  },
  DOSIMETER_REQUEST_PAUSE: {
    schema: wholeNumber.refine((hours) => hours <= 8784),
    want: "hours, 0 to 8784",
    means:
      "hours after a rejection until the same person or a service of theirs asks the same payer, or for a raise, again; 24",
  },
  DOSIMETER_REQUESTS_A_DAY: {
    schema: wholeNumber.refine((most) => most > 0),
    want: "a number above 0",
    means:
      "requests on one ledger, and raises of it, that a person with their services makes in a day without being granted one; 20",
  },
  DOSIMETER_LOG: {
    schema: z.enum(["silent", "error", "info"]),
    want: "silent, error or info",
    means: "JSON lines on standard error; error",
  },
  DOSIMETER_METRICS: { schema: onOff, want: "0 or 1", means: "whether /metrics answers Prometheus; 0" },
  DOSIMETER_MAIL_URL: {
    schema: z.string().regex(/^smtps?:\/\//),
    want: "smtp://user:password@host:587 or smtps://…",
    means: "the server that takes mail; none is sent without it",
  },
  DOSIMETER_MAIL_FROM: { schema: z.string().includes("@"), want: "an address", means: "whom mail is from" },
  DOSIMETER_OIDC: {
    schema: z.string().min(1),
    want: "a JSON file: a list of {id, name, issuer, clientId, clientSecret, scope, signUp}",
    means: "OpenID Connect providers that people may sign in with",
  },
  DOSIMETER_WEBHOOKS_INSIDE: {
    schema: onOff,
    want: "0 or 1",
    means: "whether webhooks may go to this machine and its private networks; 0",
  },
  DOSIMETER_KEY_SECRET: {
    schema: z.string().min(20),
    want: "20 characters or more, the same for all servers",
    means: "encrypts the key that signs exports where it lies in a PostgreSQL database; it is not encrypted without",
  },
  DOSIMETER_WITNESS: {
    schema: z.string().refine((address) => placeAt(address) !== null),
    want: Object.values(witnessKinds)
      .map(({ words }) => words)
      .join("; or "),
    means:
      "where the checkpoint is kept too, outside the data folder; a folder that is restored as a whole is then refused",
  },
} as const satisfies Record<string, Setting>;

/** Variables of the command line, not of a server. */
const others = ["DOSIMETER_URL", "DOSIMETER_TOKEN", "DOSIMETER_PASSWORD", "DOSIMETER_NEW_PASSWORD"];

type Read = { [Name in keyof typeof settings]?: z.output<(typeof settings)[Name]["schema"]> };

/** Reads the environment. INVALID_PARAMETER for a bad value, which is not repeated, and for unknown names that start with DOSIMETER_. */
export function readConfiguration(env: NodeJS.ProcessEnv): Configuration {
  for (const name of Object.keys(env)) {
    if (name.startsWith("DOSIMETER_") && !(name in settings) && !others.includes(name))
      throw new PrivacyError("INVALID_PARAMETER", {}, `${name} is not a setting; see docs/operations.md`);
  }
  const read: Record<string, unknown> = {};
  for (const [name, { schema, want }] of Object.entries<Setting>(settings)) {
    const value = env[name];
    if (value === undefined || value === "") continue;
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new PrivacyError("INVALID_PARAMETER", { name, want }, `${name} must be ${want}`);
    read[name] = parsed.data;
  }
  return configurationOf(read as Read);
}

function configurationOf(read: Read): Configuration {
  const { DOSIMETER_MAIL_URL: url, DOSIMETER_MAIL_FROM: from } = read;
  if ((url === undefined) !== (from === undefined))
    throw new PrivacyError("INVALID_PARAMETER", {}, "DOSIMETER_MAIL_URL and DOSIMETER_MAIL_FROM come together");
  const all: { [Key in keyof Configuration]: Configuration[Key] | undefined } = {
    database: read.DATABASE_URL,
    port: read.PORT,
    host: read.DOSIMETER_HOST,
    drainSeconds: read.DOSIMETER_DRAIN,
    publicUrl: read.DOSIMETER_PUBLIC_URL,
    uploads: read.DOSIMETER_FILES === undefined ? undefined : resolve(read.DOSIMETER_FILES),
    folders: read.DOSIMETER_FOLDERS?.split(delimiter)
      .filter((path) => path !== "")
      .map((path) => resolve(path)),
    sources: read.DOSIMETER_SOURCES === undefined ? undefined : resolve(read.DOSIMETER_SOURCES),
    operatorScopes: read.DOSIMETER_OPERATOR_SCOPES,
    measuring: measuringOf(read),
    largestUpload: read.DOSIMETER_LARGEST_UPLOAD,
    selfApproval: read.DOSIMETER_SELF_APPROVAL,
    requestLimits: requestLimitsOf(read),
    mostCharges: read.DOSIMETER_MOST_CHARGES,
    logLevel: read.DOSIMETER_LOG,
    metrics: read.DOSIMETER_METRICS,
    mail: url === undefined || from === undefined ? undefined : { url, from },
    oidc: read.DOSIMETER_OIDC === undefined ? undefined : readProviders(read.DOSIMETER_OIDC),
    webhooksInside: read.DOSIMETER_WEBHOOKS_INSIDE,
    keySecret: read.DOSIMETER_KEY_SECRET,
    witness: read.DOSIMETER_WITNESS,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Configuration;
}

function measuringOf(read: Read): Configuration["measuring"] {
  const limits = {
    memoryLimit: read.DOSIMETER_MEMORY,
    threads: read.DOSIMETER_THREADS,
    spill: read.DOSIMETER_SPILL === undefined ? undefined : resolve(read.DOSIMETER_SPILL),
    temporaryLimit: read.DOSIMETER_SPILL_LIMIT,
  };
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  return given.length === 0 ? undefined : Object.fromEntries(given);
}

function requestLimitsOf({
  DOSIMETER_REQUEST_PAUSE: pauseHours,
  DOSIMETER_REQUESTS_A_DAY: aDay,
}: Read): Configuration["requestLimits"] {
  if (pauseHours === undefined && aDay === undefined) return undefined;
  return { ...(pauseHours === undefined ? {} : { pauseHours }), ...(aDay === undefined ? {} : { aDay }) };
}

function readProviders(path: string): NonNullable<InstanceOptions["oidc"]> {
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    json = null;
  }
  const parsed = z.array(provider).safeParse(json);
  if (parsed.success) return parsed.data as NonNullable<InstanceOptions["oidc"]>;
  const at = parsed.error.issues[0]?.path.join(".") ?? "";
  throw new PrivacyError(
    "INVALID_PARAMETER",
    {},
    `DOSIMETER_OIDC must be ${settings.DOSIMETER_OIDC.want}; look at ${at || "the file"}`,
  );
}
