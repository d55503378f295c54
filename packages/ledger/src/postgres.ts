import { hash } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import Cursor from "pg-cursor";
import { isUndone } from "./away.ts";
import { instants } from "./instant.ts";
import { migrate } from "./migration.ts";
import { postgresDialect, refuseFunction } from "./postgres-schema.ts";
import { ROW, type Row, type Store, type Tx, type Value, WriteRefused } from "./store.ts";
import type { Tables } from "./tables.ts";

export interface PostgresOptions {
  /** Holds every table; made when it is not there. */
  readonly schema?: string;
  /** Most connections that read; one more writes. */
  readonly readers?: number;
  /** How long to wait for another process that writes, in milliseconds. */
  readonly timeout?: number;
  /** Up to which migration; for tests of older databases. */
  readonly version?: number;
}

/**
 * Opens or makes the tables on a PostgreSQL server and brings them up to date. Several processes may share them: whoever
 * writes first locks the one row of `writer`, so every transaction comes after all before it, in one order.
 */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { schema = "dosimeter", readers = 4, timeout = 30_000, version } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new PrivacyError("INVALID_PARAMETER", {
      name: "schema",
      got: schema,
      want: "lower-case letters, digits and _",
    });
  }
  const config: pg.PoolConfig = {
    connectionString: url,
    types,
    options: `-c search_path=${schema} -c timezone=UTC`,
    application_name: "dosimeter",
    connectionTimeoutMillis: timeout,
    keepAlive: true,
  };
  const writers = new pg.Pool({
    ...config,
    pipeline: true,
    max: 1,
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
  });
  const pool = new pg.Pool({ ...config, max: readers });
  // A connection that breaks fails its query, and the next one gets another; without listeners it would end the process.
  for (const each of [writers, pool]) {
    each.on("error", () => undefined);
    each.on("connect", (client) => client.on("error", () => undefined));
  }
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool, cursor: ExactCursor }) });
  const clock = instants();
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;
  let [early, skipped] = [0, 0n];

  /** One transaction at a time in this process: the others would only wait for the row. */
  function alone<T>(body: () => Promise<T>): Promise<T> {
    const turn = last.then(body);
    last = turn.catch(() => undefined);
    return turn;
  }

  /** Again, from its beginning, when the server undid it: what it left in memory is of no use to anyone. */
  const untilDone: Store["transact"] = async (body, ahead) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await writing(body, ahead);
      } catch (error) {
        if (tries === MOST_TRIES || !isUndone(error)) throw error;
      }
    }
  };

  const writing: Store["transact"] = async (body, ahead = []) => {
    const client = await writers.connect();
    let broken: Error | undefined;
    let sent: Sender | undefined;
    try {
      if (!known.has(client)) await assertDurable(client);
      // each sees what was committed before the turn was granted: a statement's snapshot is its own
      const [, turn, ...read] = await Promise.all([
        client.query(BEGIN),
        client.query(TURN),
        ...ahead.map(({ sql, values }) => client.query({ ...numbered(sql), values: [...values] })),
      ]);
      const { serial, at } = found(turn);
      early = Number(at) - Date.now();
      sent = sender(client);
      const result = await body(
        transaction(client, { serial: serial + skipped, sent }),
        read.map(({ rows }) => rows as readonly Row[]),
      );
      const { command } = await client.query("COMMIT");
      sent.check(); // answered before the commit was
      if (command !== "COMMIT") throw new PrivacyError("INTERNAL", {}, "the transaction was rolled back");
      return result;
    } catch (error) {
      skipped += 2n; // the row's number is given again: not to what this one left in memory
      await client.query("ROLLBACK").catch((lost: Error) => {
        broken = lost;
      });
      if (!(error instanceof PrivacyError)) sent?.check(); // why all that came behind was refused
      throw error;
    } finally {
      client.release(broken);
    }
  };

  const store: Store = {
    kind: "postgres",
    read,
    now: () => clock(Date.now() + early),
    sha256: (text) => hash("sha256", text),
    transact: (body, ahead) =>
      alone(() => {
        if (closed) throw new PrivacyError("INTERNAL", {}, "the store is closed");
        return untilDone(body, ahead);
      }),
    snapshot: async (body) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        return await body(kysely(client));
      } finally {
        // Ends the transaction; a connection on which that fails is thrown away.
        await client.query("ROLLBACK").then(
          () => client.release(),
          (lost: Error) => client.release(lost),
        );
      }
    },
    close: () =>
      alone(async () => {
        if (closed) return;
        closed = true;
        await Promise.all([writers.end(), pool.end()]);
      }),
  };
  try {
    await prepare(pool, schema);
    await migrate(store, postgresDialect, version);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** Takes the lock, the next number and the server's time in one step. */
const TURN = {
  name: "turn",
  text: "UPDATE writer SET serial = serial + 1 RETURNING serial, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at",
};

interface Turn {
  readonly serial: bigint;
  readonly at: bigint;
}

function found({ rows }: pg.QueryResult): Turn {
  const row = rows[0] as Turn | undefined;
  if (row === undefined) throw new PrivacyError("INTERNAL", {}, "the writer's row is missing");
  return row;
}

/** Makes the schema, the writer's row and the function behind the triggers, unless some process did. */
async function prepare(pool: pg.Pool, schema: string): Promise<void> {
  const client = await pool.connect();
  try {
    for (let tries = 0; ; tries += 1) {
      const { rows } = await client.query("SELECT to_regclass($1) AS writer", [`${schema}.writer`]);
      if ((rows[0] as { writer: string | null }).writer !== null) return;
      try {
        await client.query(
          `BEGIN; CREATE SCHEMA IF NOT EXISTS ${schema}; ${refuseFunction};
            CREATE TABLE writer (one BIGINT PRIMARY KEY CHECK (one = 1), serial BIGINT NOT NULL);
            INSERT INTO writer VALUES (1, 0); COMMIT`,
        );
        return;
      } catch (error) {
        await client.query("ROLLBACK");
        if (tries === MOST_TRIES) throw error; // two processes made it at once: look again
      }
    }
  } finally {
    client.release();
  }
}

const MOST_TRIES = 5;

const known = new WeakMap<pg.PoolClient, Kysely<Tables>>();

/** Settings under which a power cut loses commits that were acknowledged. */
const FORGETFUL = ["synchronous_commit", "fsync", "full_page_writes"] as const;

/** Refuses a server whose commits could be lost (measured: thousands were, with synchronous_commit off). */
async function assertDurable(client: pg.PoolClient): Promise<void> {
  for (const name of FORGETFUL) {
    const { rows } = await client.query("SELECT current_setting($1, true) AS value", [name]);
    const { value } = rows[0] as { value: string | null };
    if (value === "off") throw new PrivacyError("INVALID_PARAMETER", { name, got: value, want: "on" });
  }
}

/**
 * Writes that are not waited for: one after another on one connection, so a charge waits for two answers, not ten.
 * The server runs nothing behind a write that it refused, the commit included.
 */
interface Sender {
  write(text: string, values: readonly Value[]): Promise<void>;
  /** Throws what the server said to a write. */
  check(): void;
}

/** So many unanswered writes at most: what is sent waits in memory. */
const MOST_SENT = 64;

function sender(client: pg.PoolClient): Sender {
  const waiting: Promise<void>[] = [];
  let failed: Error | undefined;
  const check = (): void => {
    if (failed !== undefined) throw failed instanceof pg.DatabaseError ? new WriteRefused(failed) : failed;
  };
  return {
    check,
    async write(sql, values) {
      const answered = client.query({ ...numbered(sql), values: [...values] }).then(
        () => undefined,
        (error: Error) => {
          failed ??= error;
        },
      );
      waiting.push(answered);
      if (waiting.length > MOST_SENT) await waiting.shift();
      check();
    },
  };
}

function transaction(client: pg.PoolClient, { serial, sent }: { serial: bigint; sent: Sender }): Tx {
  const all = async (sql: string, values: readonly Value[]): Promise<readonly Row[]> => {
    const { rows } = await client.query({ ...numbered(sql), values: [...values] }).catch((error: unknown) => {
      sent.check(); // why the transaction was over
      throw error;
    });
    return rows as readonly Row[];
  };
  return {
    db: kysely(client),
    serial,
    all,
    get: async (sql, values) => (await all(sql, values))[0],
    run: sent.write,
    many: async (sql, rows) => {
      const row = ROW.exec(sql)?.[0];
      if (row === undefined) {
        for (const values of rows) await sent.write(sql, values);
        return;
      }
      for (let start = 0; start < rows.length; start += MOST_ROWS) {
        const some = rows.slice(start, start + MOST_ROWS);
        await sent.write(sql + `, ${row}`.repeat(some.length - 1), some.flat());
      }
    },
  };
}

/** Rows of an INSERT in one round trip; the protocol counts parameters in 16 bits. */
const MOST_ROWS = 256;

interface Numbered {
  readonly text: string;
  readonly name: string;
}

const texts = new Map<string, Numbered>();

/** `?` as `$1`, `$2` …, under a name by which the server keeps the plan. */
function numbered(sql: string): Numbered {
  let made = texts.get(sql);
  if (made === undefined) {
    let count = 0;
    const text = sql.replaceAll("?", () => `$${++count}`);
    made = { text, name: `q${hash("sha256", text).slice(0, 24)}` };
    texts.set(sql, made);
  }
  return made;
}

/** Kysely over one connection that somebody else began a transaction on. */
function kysely(client: pg.PoolClient): Kysely<Tables> {
  let db = known.get(client);
  if (db === undefined) {
    const one = { query: client.query.bind(client), release: () => undefined };
    const pool = { connect: async () => one, end: async () => undefined };
    db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never, cursor: ExactCursor }) });
    known.set(client, db);
  }
  return db;
}

const INT8 = 20;
const NUMERIC = 1700;

/** Whole numbers as `bigint`, whatever their width in SQL; the rest as the driver reads it. */
const types = {
  getTypeParser(oid: number, format?: "text" | "binary") {
    if (oid === INT8) return BigInt;
    if (oid === NUMERIC) return (text: string) => (/^-?\d+$/.test(text) ? BigInt(text) : text);
    return pg.types.getTypeParser(oid, format as "text");
  },
};

/** A cursor that reads whole numbers as the other queries do. */
class ExactCursor<T> extends Cursor<T> {
  constructor(text: string, values: unknown[]) {
    super(text, values, { types } as never);
  }
}
