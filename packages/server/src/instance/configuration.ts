import { resolve } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { type Present, present } from "@dosimeter/core/internal";
import { isAddress } from "../ship/objects.ts";
import type { LogLevel } from "../telemetry/log.ts";
import type { InstanceOptions } from "./options.ts";
import { readProviders } from "./providers.ts";
import { type Origins, settingTexts, type Written } from "./setting-texts.ts";
import { type Read, type Setting, type SettingName, settingRows } from "./settings.ts";

/** The checked configuration; absent where a setting is. */
export interface Configuration
  extends Pick<
    InstanceOptions,
    | "database"
    | "uploads"
    | "sources"
    | "connectionHosts"
    | "publicUrl"
    | "largestUpload"
    | "largestOfPerson"
    | "operatorScopes"
    | "measuring"
    | "folders"
    | "selfApproval"
    | "teams"
    | "signIn"
    | "secondFactor"
    | "sessionHours"
    | "eraseAfterDays"
    | "keepDays"
    | "requestLimits"
    | "mostCharges"
    | "metrics"
    | "otlp"
    | "mail"
    | "oidc"
    | "webhooksInside"
    | "keySecret"
    | "secretFiles"
    | "witness"
    | "ship"
    | "shipSecret"
    | "auditStream"
    | "postgresWire"
    | "port"
    | "host"
  > {
  readonly drainSeconds?: number;
  readonly logLevel?: LogLevel;
}

export interface Checked {
  readonly configuration: Configuration;
  readonly set: readonly { readonly name: SettingName; readonly from: Written["from"] }[];
  /** Everything that is wrong, each in a sentence that repeats no value. */
  readonly problems: readonly string[];
}

/** Reads every setting, and goes on after one that is wrong. */
export function checkSettings(origins: Origins): Checked {
  const { written, problems } = settingTexts(origins);
  const found = [...problems];
  const read: Record<string, unknown> = {};
  for (const [name, row] of settingRows) {
    const one = written.get(name);
    if (one === undefined) continue;
    if (typeof one.value !== "string") {
      read[name] = { inline: one.value.inline, folder: one.folder };
      continue;
    }
    const parsed = row.schema.safeParse(one.value);
    if (parsed.success) read[name] = row.isPath ? placed(parsed.data, one, row) : parsed.data;
    else found.push(`${one.called} must be ${row.want}`);
  }
  const files = [...written].flatMap(([name, { path }]) => (path === undefined ? [] : [[name, path] as const]));
  const configuration = configurationOf(read as Read, found);
  return {
    configuration: files.length === 0 ? configuration : { ...configuration, secretFiles: Object.fromEntries(files) },
    set: [...written].map(([name, { from }]) => ({ name, from })),
    problems: found,
  };
}

/** Reads the settings. INVALID_PARAMETER with everything that is wrong, and no value. */
export function readConfiguration(env: NodeJS.ProcessEnv, more: Omit<Origins, "env"> = {}): Configuration {
  const { configuration, problems } = checkSettings({ env, ...more });
  if (problems.length > 0) throw new PrivacyError("INVALID_PARAMETER", {}, problems.join("; "));
  return configuration;
}

/** A path, or an address in its place, or a list of them, from the folder that it is relative to. */
function placed(value: unknown, { folder }: Written, { between }: Setting): unknown {
  return between === undefined
    ? isAddress(String(value))
      ? value
      : resolve(folder, String(value))
    : (value as string[]).map((path) => resolve(folder, path));
}

function configurationOf(read: Read, problems: string[]): Configuration {
  const { DOSIMETER_MAIL_URL: url, DOSIMETER_MAIL_FROM: from } = read;
  if ((url === undefined) !== (from === undefined))
    problems.push("DOSIMETER_MAIL_URL and DOSIMETER_MAIL_FROM come together");
  if (read.DOSIMETER_SIGN_IN === "providers" && read.DOSIMETER_OIDC === undefined)
    problems.push("DOSIMETER_SIGN_IN=providers needs DOSIMETER_OIDC");
  const {
    DOSIMETER_POSTGRES_WIRE: wirePort,
    DOSIMETER_POSTGRES_WIRE_CERTIFICATE: certificate,
    DOSIMETER_POSTGRES_WIRE_KEY: key,
  } = read;
  const wire = [wirePort, certificate, key];
  if (wire.some((one) => one !== undefined) && wire.includes(undefined))
    problems.push(
      "DOSIMETER_POSTGRES_WIRE, DOSIMETER_POSTGRES_WIRE_CERTIFICATE and DOSIMETER_POSTGRES_WIRE_KEY come together",
    );
  const { DOSIMETER_OIDC: providers, DOSIMETER_SHIP: place, DOSIMETER_SHIP_RECIPIENT: recipients } = read;
  if ((place === undefined) !== (recipients === undefined))
    problems.push("DOSIMETER_SHIP and DOSIMETER_SHIP_RECIPIENT come together");
  return present({
    database: read.DATABASE_URL,
    port: read.PORT,
    host: read.DOSIMETER_HOST,
    drainSeconds: read.DOSIMETER_DRAIN,
    publicUrl: read.DOSIMETER_PUBLIC_URL,
    uploads: read.DOSIMETER_FILES,
    folders: read.DOSIMETER_FOLDERS,
    sources: read.DOSIMETER_SOURCES,
    connectionHosts: read.DOSIMETER_CONNECTION_HOSTS,
    operatorScopes: read.DOSIMETER_OPERATOR_SCOPES,
    measuring: group({
      memoryLimit: read.DOSIMETER_MEMORY,
      threads: read.DOSIMETER_THREADS,
      spill: read.DOSIMETER_SPILL,
      temporaryLimit: read.DOSIMETER_SPILL_LIMIT,
    }),
    largestUpload: read.DOSIMETER_LARGEST_UPLOAD,
    largestOfPerson: read.DOSIMETER_LARGEST_OF_PERSON,
    selfApproval: read.DOSIMETER_SELF_APPROVAL,
    teams: read.DOSIMETER_TEAMS,
    signIn: read.DOSIMETER_SIGN_IN,
    secondFactor: read.DOSIMETER_SECOND_FACTOR,
    sessionHours: read.DOSIMETER_SESSION_HOURS,
    eraseAfterDays: read.DOSIMETER_ERASE_AFTER,
    keepDays: group({ notifications: read.DOSIMETER_KEEP_NOTIFICATIONS, access: read.DOSIMETER_KEEP_ACCESS }),
    requestLimits: group({ pauseHours: read.DOSIMETER_REQUEST_PAUSE, aDay: read.DOSIMETER_REQUESTS_A_DAY }),
    mostCharges: read.DOSIMETER_MOST_CHARGES,
    logLevel: read.DOSIMETER_LOG,
    metrics: read.DOSIMETER_METRICS,
    otlp: read.DOSIMETER_OTLP,
    mail: url === undefined || from === undefined ? undefined : { url, from },
    oidc: providers === undefined ? undefined : orProblem(() => readProviders(providers), problems),
    webhooksInside: read.DOSIMETER_WEBHOOKS_INSIDE,
    keySecret: read.DOSIMETER_KEY_SECRET,
    witness: read.DOSIMETER_WITNESS,
    auditStream: read.DOSIMETER_AUDIT_STREAM,
    shipSecret: read.DOSIMETER_SHIP_SECRET,
    ship:
      place === undefined || recipients === undefined
        ? undefined
        : {
            ...{ place, recipients },
            ...present({ graceSeconds: read.DOSIMETER_SHIP_GRACE, keepDays: read.DOSIMETER_SHIP_KEEP }),
          },
    postgresWire:
      wirePort === undefined || certificate === undefined || key === undefined
        ? undefined
        : {
            ...{ port: wirePort, certificate, key },
            ...present({
              processes: read.DOSIMETER_POSTGRES_WIRE_PROCESSES,
              seconds: read.DOSIMETER_POSTGRES_WIRE_SECONDS,
              memory: read.DOSIMETER_POSTGRES_WIRE_MEMORY,
            }),
          },
  });
}

/** Without what is not there; undefined where nothing is. */
function group<T extends object>(all: T): Present<T> | undefined {
  const there = present(all);
  return Object.keys(there).length === 0 ? undefined : there;
}

/** What is read, or undefined with its refusal among the problems. */
export function orProblem<T>(reading: () => T, problems: string[]): T | undefined {
  try {
    return reading();
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    problems.push(error.message);
    return undefined;
  }
}
