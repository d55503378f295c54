import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { type Fields, isRecord, present } from "@dosimeter/core/internal";
import { type ConnectionKind, type ConnectionSettings, connectionKindOf } from "@dosimeter/query/source";

/** Where a password or token is. */
export const SECRETS = ["passwordFile", "passwordEnv", "tokenFile", "tokenEnv"];
const KEYS = ["url", ...SECRETS, "tls", "caFile", "timeoutSeconds", "allowWritable"];
const MAX_SECONDS = 3600;

/** The content of a file of its own, inside a file of settings: `folder` is what its paths are relative to. */
export interface Inline {
  readonly inline: unknown;
  readonly folder: string;
}
export type FileOrInline = string | Inline;

export type Connections = Readonly<Record<string, ConnectionSettings>>;

/**
 * Databases that declarations may name, from the file of `DOSIMETER_SOURCES`, or from the file of settings itself: `{name: {url, passwordFile |
 * passwordEnv, tokenFile | tokenEnv, tls, caFile, timeoutSeconds, allowWritable}}`. Paths are relative to it. Throws INVALID_PARAMETER naming the
 * setting; values are secrets and are never repeated.
 */
export async function readSources(from: FileOrInline, env: NodeJS.ProcessEnv): Promise<Connections> {
  const json = await jsonIn(from, "DOSIMETER_SOURCES");
  const at = { folder: folderOf(from), env };
  const connections: Record<string, ConnectionSettings> = {};
  for (const [name, settings] of Object.entries(fieldsOf(json, "sources")))
    connections[name] = await connectionSettings(fieldsOf(settings, `sources.${name}`), `sources.${name}`, at);
  return connections;
}

/** The file that holds the password of a connection; null where there is none. */
export async function passwordFileOf(from: FileOrInline, name: string): Promise<string | null> {
  const json = await jsonIn(from, "DOSIMETER_SOURCES");
  const { passwordFile } = fieldsOf(fieldsOf(json, "sources")[name], `sources.${name}`);
  return typeof passwordFile === "string" ? resolve(folderOf(from), passwordFile) : null;
}

/** A database as declarations name it. */
export interface NamedConnection {
  readonly name: string;
  readonly kind: ConnectionKind;
}

export const namesOf = (connections: Connections): readonly NamedConnection[] =>
  Object.entries(connections).map(([name, { url }]) => ({ name, kind: connectionKindOf(url, `sources.${name}.url`) }));

/** What paths in it are relative to. */
export const folderOf = (from: FileOrInline): string => (typeof from === "string" ? dirname(from) : from.folder);

export async function jsonIn(from: FileOrInline, setting: string): Promise<unknown> {
  if (typeof from !== "string") return from.inline;
  try {
    return JSON.parse(await readFile(from, "utf8"));
  } catch {
    return invalid(setting, undefined, "the path of a JSON file");
  }
}

export function fieldsOf(json: unknown, name: string): Fields {
  return isRecord(json) ? json : invalid(name, undefined, "an object");
}

export function refuseOtherKeys(given: Fields, name: string, keys: readonly string[]): void {
  const other = Object.keys(given).find((key) => !keys.includes(key));
  if (other === undefined) return;
  const want = `one of ${keys.join(", ")}`;
  const message = `${name}.${other} is not a setting of a connection, must be ${want}`;
  throw new PrivacyError("INVALID_PARAMETER", { name: `${name}.${other}`, want }, message);
}

/** A connection with its files and variables read. Throws INVALID_PARAMETER naming the setting, never a value. */
export async function connectionSettings(
  given: Fields,
  name: string,
  { folder, env }: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
): Promise<ConnectionSettings> {
  refuseOtherKeys(given, name, KEYS);
  const text = (key: string): string | undefined => {
    const value = given[key];
    return value === undefined || typeof value === "string" ? value : invalid(`${name}.${key}`, undefined, "a text");
  };
  const read = async (key: string): Promise<string | undefined> => {
    const path = text(key);
    if (path === undefined) return undefined;
    return readFile(resolve(folder, path), "utf8").catch(() =>
      invalid(`${name}.${key}`, undefined, "a file that can be read"),
    );
  };
  const { timeoutSeconds: seconds, allowWritable = false } = given;
  if (seconds !== undefined && !(typeof seconds === "number" && seconds >= 1 && seconds <= MAX_SECONDS))
    invalid(`${name}.timeoutSeconds`, undefined, `from 1 to ${MAX_SECONDS}`);
  if (typeof allowWritable !== "boolean") invalid(`${name}.allowWritable`, undefined, "true or false");
  const tls = text("tls");
  if (tls !== undefined && tls !== "verify-full" && tls !== "off")
    invalid(`${name}.tls`, undefined, "verify-full or off");
  const secret = async (of: "password" | "token"): Promise<string | undefined> => {
    const variable = text(`${of}Env`);
    if (variable === undefined) return (await read(`${of}File`))?.trimEnd();
    return env[variable] ?? invalid(`${name}.${of}Env`, undefined, "a variable that is set");
  };
  const [password, token] = [await secret("password"), await secret("token")];
  const tokenFile = given.tokenEnv === undefined ? text("tokenFile") : undefined;
  const ca = await read("caFile");
  const url = text("url") ?? "";
  connectionKindOf(url, `${name}.url`);
  return {
    url,
    ...present({ password }),
    ...(token === undefined ? {} : tokenFile === undefined ? { token } : { tokenFile: resolve(folder, tokenFile) }),
    ...(tls === undefined ? {} : { tls: tls as "verify-full" | "off" }),
    ...present({ ca }),
    ...(seconds === undefined ? {} : { timeout: 1000 * (seconds as number) }),
    ...(allowWritable ? { allowWritable: true } : {}),
  };
}
