import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import { type Engine, enginesBySource } from "@dosimeter/query";
import { type DuckDbOptions, duckdbEngine } from "@dosimeter/query/duckdb";
import type { PostgresConnection } from "@dosimeter/query/postgres";

type Fields = Readonly<Record<string, unknown>>;

const KEYS = ["url", "passwordFile", "passwordEnv", "tls", "caFile", "timeoutSeconds", "allowWritable"];
const MAX_SECONDS = 3600;

/**
 * Databases that declarations may name, from the file of `DOSIMETER_SOURCES`: JSON of `{name: {url, passwordFile |
 * passwordEnv, tls, caFile, timeoutSeconds, allowWritable}}`. Paths are relative to it. Throws INVALID_PARAMETER naming the
 * setting; values are secrets and are never repeated.
 */
export async function readSources(
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<Readonly<Record<string, PostgresConnection>>> {
  const connections: Record<string, PostgresConnection> = {};
  for (const [name, settings] of Object.entries(fieldsOf(await readJson(path), "sources")))
    connections[name] = await connectionOf(
      fieldsOf(settings, `sources.${name}`),
      `sources.${name}`,
      dirname(path),
      env,
    );
  return connections;
}

/** The engine over a folder of files and over the databases that a file of sources names. */
export async function openEngine(options: DuckDbOptions, sources: string | undefined): Promise<Engine> {
  const files = await duckdbEngine(options);
  if (sources === undefined) return enginesBySource({ files });
  try {
    const connections = await readSources(sources, process.env);
    const { postgresEngine } = await import("@dosimeter/query/postgres");
    return enginesBySource({ files, postgres: await postgresEngine({ connections }) });
  } catch (error) {
    await files.close();
    throw error;
  }
}

const refuse = (name: string, want: string): never => {
  invalid(name, undefined, want);
};

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch {
    return refuse("DOSIMETER_SOURCES", "the path of a JSON file of named connections");
  }
}

function fieldsOf(json: unknown, name: string): Fields {
  return isRecord(json) ? json : refuse(name, "an object");
}

async function connectionOf(
  given: Fields,
  name: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<PostgresConnection> {
  for (const key of Object.keys(given)) if (!KEYS.includes(key)) refuse(`${name}.${key}`, `one of ${KEYS.join(", ")}`);
  const text = (key: string): string | undefined => {
    const value = given[key];
    return value === undefined || typeof value === "string" ? value : refuse(`${name}.${key}`, "a text");
  };
  const read = async (key: string): Promise<string | undefined> => {
    const path = text(key);
    if (path === undefined) return undefined;
    return readFile(resolve(folder, path), "utf8").catch(() => refuse(`${name}.${key}`, "a file that can be read"));
  };
  const { timeoutSeconds: seconds, allowWritable = false } = given;
  if (seconds !== undefined && !(typeof seconds === "number" && seconds >= 1 && seconds <= MAX_SECONDS))
    refuse(`${name}.timeoutSeconds`, `from 1 to ${MAX_SECONDS}`);
  if (typeof allowWritable !== "boolean") refuse(`${name}.allowWritable`, "true or false");
  const tls = text("tls");
  if (tls !== undefined && tls !== "verify-full" && tls !== "off") refuse(`${name}.tls`, "verify-full or off");
  const variable = text("passwordEnv");
  const password = variable === undefined ? (await read("passwordFile"))?.trimEnd() : env[variable];
  if (variable !== undefined && password === undefined) refuse(`${name}.passwordEnv`, "a variable that is set");
  const ca = await read("caFile");
  return {
    url: text("url") ?? refuse(`${name}.url`, "postgres://role@host/database"),
    ...(password === undefined ? {} : { password }),
    ...(tls === undefined ? {} : { tls: tls as "verify-full" | "off" }),
    ...(ca === undefined ? {} : { ca }),
    ...(seconds === undefined ? {} : { timeout: 1000 * (seconds as number) }),
    ...(allowWritable ? { allowWritable: true } : {}),
  };
}
