import { PrivacyError } from "@dosimeter/core";
import { isThisMachine, present } from "@dosimeter/core/internal";
import type { Sql } from "@dosimeter/query/dialect";
import { type ConnectionSettings, postgresKind } from "@dosimeter/query/source";
import pg from "pg";

/** Longest statement where a connection states none, in milliseconds. */
export const MAX_LENGTH = 600_000;
const MAX_CLIENTS = 4;
/** A server ends a statement that takes too long; one that has not answered a while later says nothing any more. */
const SILENT_MS = 10_000;
/** How long a server may take to answer a short statement, and to close a connection that was ended. */
const SHORT_MS = 5_000;
const GOODBYE_MS = 1_000;

/** An answer has one row for a cell: more than this is none of ours. */
const MAX_BYTES = 128 * 2 ** 20;
/** What a row takes in memory however short it is. */
const ROW_BYTES = 64;

interface Listened {
  on(event: string, listener: (part: Buffer) => void): unknown;
}
/** Where the driver begins to read what a server says; its types do not name it. */
interface Reading {
  attachListeners(stream: Listened): void;
}

/** Its end does not wait for a server that says nothing any more, and a server that breaks the protocol, or answers without end, ends its own jobs only. */
class Client extends pg.Client {
  constructor(given?: pg.ClientConfig) {
    super(given);
    const reading = this.connection as pg.Connection & Reading;
    const attach = reading.attachListeners.bind(reading);
    let bytes = 0;
    reading.on("readyForQuery", () => {
      bytes = 0;
    });
    reading.on("dataRow", () => {
      bytes += ROW_BYTES;
    });
    reading.attachListeners = (stream) =>
      attach({
        on: (event, listener) =>
          stream.on(event, (part) => {
            try {
              bytes += event === "data" ? part.length : 0;
              if (bytes > MAX_BYTES) throw new RangeError("too large");
              listener(part);
            } catch (error) {
              // The driver reads as if every message were well-formed. What it throws here would end the process.
              reading.stream.destroy(error as Error);
            }
          }),
      });
  }

  override end(): Promise<void>;
  override end(done: (error: Error) => void): void;
  override end(done?: (error: Error) => void): Promise<void> | void {
    const close = setTimeout(() => this.connection.stream.destroy(), GOODBYE_MS).unref();
    this.once("end", () => clearTimeout(close));
    return done === undefined ? super.end() : super.end(done);
  }
}

/** A pool for one named connection. Throws INVALID_PARAMETER naming the setting, never its value. */
export function openPool(name: string, { url, password, tls, ca, timeout = MAX_LENGTH }: ConnectionSettings): pg.Pool {
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
    Client,
    ssl: verified ? { rejectUnauthorized: true, ...present({ ca }) } : false,
    max: MAX_CLIENTS,
    connectionTimeoutMillis: 10_000,
    query_timeout: timeout + SILENT_MS,
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
  const password = given ?? decoded(url.password);
  return {
    host: url.searchParams.get("host") ?? (url.hostname || "localhost").replace(/^\[|\]$/g, ""),
    database: decoded(url.pathname.slice(1)),
    ...(url.port === "" ? {} : { port: Number(url.port) }),
    ...(url.username === "" ? {} : { user: decoded(url.username) }),
    ...(password === "" ? {} : { password }),
  };
}

/** Without control characters: what follows a NUL would be read as further parameters of the connection. */
function decoded(part: string): string {
  const text = decodeURIComponent(part);
  if (/\p{Cc}/u.test(text)) throw new RangeError("a control character");
  return text;
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

/** How long a statement that reads nothing may take. */
const AT_ONCE = { query_timeout: SILENT_MS };

/**
 * One read-only transaction that sees one state of the database. An abort cancels the running statement on the server; the
 * connection is then thrown away, whether the server answers or not.
 */
export async function withSnapshot<T>(
  pool: pg.Pool,
  timeout: number,
  signal: AbortSignal | undefined,
  job: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const client = await pool.connect();
  const cancel = (): void => void cancelBackend(pool, client).finally(() => void client.end());
  signal?.addEventListener("abort", cancel, { once: true });
  let broken = true;
  try {
    await client.query({ ...AT_ONCE, text: "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY" });
    await client.query({ ...AT_ONCE, text: SETTINGS, values: [String(Math.max(1, Math.floor(timeout)))] });
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
  const client = new Client({ ...pool.options, password: pool.options.password, query_timeout: SHORT_MS });
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
