import { PrivacyError } from "@dosimeter/core";
import { isThisMachine } from "@dosimeter/core/internal";
import pg from "pg";
import type { Sql } from "../dialect/dialect.ts";
import type { ConnectionSettings } from "../source/connection-settings.ts";
import { postgresKind } from "../source/postgres.ts";

/** Longest statement where a connection states none, in milliseconds. */
export const MAX_LENGTH = 600_000;
const MAX_CLIENTS = 4;

/** A pool for one named connection. Throws INVALID_PARAMETER naming the setting, never its value. */
export function openPool(name: string, { url, password, tls, ca }: ConnectionSettings): pg.Pool {
  const refuse = (setting: string, want: string): never => {
    throw new PrivacyError("INVALID_PARAMETER", { name: `sources.${name}.${setting}`, want });
  };
  let parsed: URL;
  let parts: pg.PoolConfig;
  try {
    parsed = new URL(url);
    parts = partsOf(parsed, password);
  } catch {
    return refuse("url", postgresKind.connection.address);
  }
  if (!/^postgres(ql)?:$/.test(parsed.protocol) || parsed.pathname.length < 2)
    refuse("url", postgresKind.connection.address);
  for (const key of parsed.searchParams.keys())
    if (key !== "host") refuse("url", `without "${key}": TLS and time-outs are settings of their own`);
  const socket = parsed.searchParams.get("host")?.startsWith("/") === true;
  const verified = tls === undefined ? !(socket || isThisMachine(parsed.hostname)) : tls === "verify-full";
  const pool = new pg.Pool({
    ...parts,
    ssl: verified ? { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) } : false,
    max: MAX_CLIENTS,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    application_name: "dosimeter",
  });
  // A connection that breaks, idle or between two statements, fails the next one; without a listener it would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Part by part, because what an address leaves out would overrule a password that is given apart from it. */
function partsOf(url: URL, given: string | undefined): pg.PoolConfig {
  const password = given ?? decodeURIComponent(url.password);
  return {
    host: url.searchParams.get("host") ?? (url.hostname || "localhost").replace(/^\[|\]$/g, ""),
    database: decodeURIComponent(url.pathname.slice(1)),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    ...(url.username === "" ? {} : { user: decodeURIComponent(url.username) }),
    ...(password === "" ? {} : { password }),
  };
}

/** Rows as lists of texts: whole numbers of any size arrive exactly. */
export async function query(
  client: pg.ClientBase,
  { text, parameters }: Sql,
): Promise<readonly (readonly unknown[])[]> {
  const result = await client.query<unknown[]>({ text, values: [...parameters], rowMode: "array", types: AS_TEXT });
  return result.rows;
}

const AS_TEXT = { getTypeParser: () => (value: unknown) => value };

/** Of one transaction, in one statement: between two the server may find it idle for too long. `$1`: milliseconds. */
const SETTINGS = `SELECT
  pg_catalog.set_config('default_transaction_read_only', 'on', true),
  pg_catalog.set_config('statement_timeout', $1, true),
  pg_catalog.set_config('lock_timeout', $1, true),
  pg_catalog.set_config('idle_in_transaction_session_timeout', $1, true),
  pg_catalog.set_config('search_path', 'pg_catalog', true),
  pg_catalog.set_config('client_min_messages', 'error', true),
  pg_catalog.set_config('extra_float_digits', '3', true)`;

/**
 * One read-only transaction that sees one state of the database. An abort cancels the running statement on the server; the
 * connection is then thrown away.
 */
export async function withSnapshot<T>(
  pool: pg.Pool,
  timeout: number,
  signal: AbortSignal | undefined,
  job: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  const cancel = (): void => void cancelBackend(pool, client);
  signal?.addEventListener("abort", cancel, { once: true });
  let broken = true;
  try {
    await client.query("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    await client.query(SETTINGS, [String(Math.max(1, Math.floor(timeout)))]);
    const result = await job(client);
    await client.query("COMMIT");
    signal?.throwIfAborted();
    broken = false;
    return result;
  } finally {
    signal?.removeEventListener("abort", cancel);
    client.release(broken);
  }
}

/** One connection outside of the pool, as those in it are made. */
export function openClient(pool: pg.Pool): pg.Client {
  const client = new pg.Client(pool.options);
  client.on("error", () => undefined);
  return client;
}

async function cancelBackend(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
  const { processID } = client as pg.PoolClient & { readonly processID: number | null };
  const other = openClient(pool);
  try {
    await other.connect();
    await other.query("SELECT pg_cancel_backend($1)", [processID]);
  } catch {
    // The statement's own time-out ends it.
  } finally {
    await other.end().catch(() => undefined);
  }
}
