import { hash } from "node:crypto";
import { invalid, PrivacyError } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { instants } from "../../values/instant.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Migration } from "../migrations/migration.ts";
import type { Store } from "../store.ts";
import type { Tables } from "../tables.ts";
import { copyOf } from "./copy.ts";
import { ExactCursor, types } from "./exact-cursor.ts";
import { postgresDialect, refuseFunction } from "./schema.ts";
import { kysely, serialWriter } from "./serial-writer.ts";
import { inWords, withTls } from "./tls.ts";

export { runOnce } from "./run-once.ts";

export interface PostgresOptions {
  /** Holds every table; made when it is not there. */
  readonly schema?: string;
  /** The largest number of connections that read; one more writes. */
  readonly readers?: number;
  /** How long to wait for another process that writes, in milliseconds. */
  readonly timeout?: number;
  /** Others than those of this version; for tests of older and newer databases. */
  readonly migrations?: readonly Migration[];
  /** Makes and changes nothing; every transaction is read-only. */
  readonly readOnly?: boolean;
}

/**
 * Opens or makes the tables on a PostgreSQL server and brings them up to date. Several processes may share them: each
 * transaction first locks the one row of `writer`, so all of them run one after another.
 */
export async function postgresStore(url: string, options: PostgresOptions = {}): Promise<Store> {
  const { schema = "dosimeter", readers = 4, timeout = 30_000, migrations, readOnly = false } = options;
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    invalid("schema", schema, "lower-case letters, digits and _");
  }
  const { writers, pool } = connect(url, { schema, readers, timeout });
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool, cursor: ExactCursor }) });
  const clock = instants();
  let closed = false;
  const writer = serialWriter(writers);

  /** One transaction at a time in this process: the others would only wait for the row. */
  const alone = oneAfterAnother();

  const store: Store = {
    kind: "postgres",
    read,
    now: () => clock(Date.now() + writer.early()),
    sha256: (text) => hash("sha256", text),
    transact: (body, ahead, compares) =>
      alone(() => {
        if (readOnly) throw new PrivacyError("INTERNAL", {}, "the store is read-only");
        if (closed) throw new PrivacyError("INTERNAL", {}, "the store is closed");
        return writer.transact(body, ahead, compares);
      }),
    snapshot: async (body) => {
      const client = await pool.connect();
      try {
        await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
        return await body(kysely(inTurn(client)));
      } finally {
        // Ends the transaction; a connection on which that fails is thrown away.
        await client.query("ROLLBACK").then(
          () => client.release(),
          (lost: Error) => client.release(lost),
        );
      }
    },
    pageProblems: async () => [], // it checks each page as it reads it, where its checksums are on
    copy: () => copyOf(pool),
    async vouch(copy) {
      writer.knows(copy);
      await pool.query("SELECT set_config('application_name', $1, false)", [vouching(schema)]);
    },
    isVouched: async () => (await pool.query(VOUCHED, [vouching(schema)])).rows.length > 0,
    connections() {
      const sum = (each: (of: pg.Pool) => number) => each(pool) + each(writers);
      return {
        open: sum(({ totalCount }) => totalCount),
        inUse: sum(({ totalCount, idleCount }) => totalCount - idleCount),
        // Who gets an idle one within the same turn of the event loop does not wait.
        waiting: sum(({ waitingCount, idleCount }) => Math.max(0, waitingCount - idleCount)),
      };
    },
    close: () =>
      alone(async () => {
        if (closed) return;
        closed = true;
        await Promise.all([writers.end(), pool.end()]);
      }),
  };
  if (readOnly) return store;
  try {
    await prepare(pool, schema);
    await migrate(store, postgresDialect, migrations);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}

/** A connection without a pipeline takes a query when the one before is answered; a cursor is read within its own turn. */
function inTurn(client: pg.PoolClient): Pick<pg.PoolClient, "query"> {
  const turn = oneAfterAnother();
  const query = (asked: unknown, ...values: unknown[]) => {
    const ask = () => (client.query as (...args: unknown[]) => Promise<unknown>).call(client, asked, ...values);
    return asked instanceof ExactCursor ? ask() : turn(ask);
  };
  return { query: query as pg.PoolClient["query"] };
}

function connect(
  url: string,
  { schema, readers, timeout }: Required<Pick<PostgresOptions, "schema" | "readers" | "timeout">>,
): { readonly writers: pg.Pool; readonly pool: pg.Pool } {
  const config: pg.PoolConfig = {
    connectionString: withTls(url),
    types,
    options: `-c search_path=${schema} -c timezone=UTC`,
    application_name: "dosimeter",
    connectionTimeoutMillis: timeout,
    keepAlive: true,
  };
  const writers = new pg.Pool({
    ...config,
    // A transaction is sent as one packet: if its BEGIN is refused, no later statement may write on its own.
    options: `${config.options} -c default_transaction_read_only=on`,
    pipeline: true,
    max: 1,
    idleTimeoutMillis: 0, // its prepared statements are its own
    lock_timeout: timeout,
    idle_in_transaction_session_timeout: timeout,
  });
  const pool = new pg.Pool({ ...config, max: readers });
  // A connection that breaks fails its query, and the next one gets another; without listeners it would end the process.
  for (const each of [writers, pool]) {
    each.on("error", () => undefined);
    each.on("connect", (client) => client.on("error", () => undefined));
  }
  return { writers, pool };
}

/** Makes the schema, the writer's row and the function behind the triggers, unless some process did. */
async function prepare(pool: pg.Pool, schema: string): Promise<void> {
  const client = await pool.connect().catch((error: unknown) => {
    throw inWords(error);
  });
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
        if (tries === MAX_TRIES) throw error; // two processes made it at once: look again
      }
    }
  } finally {
    client.release();
  }
}

const MAX_TRIES = 5;

/** The name of a connection whose process knows the database; 63 bytes of it count. */
const vouching = (schema: string): string => `vouches for ${schema}`.slice(0, 63);
const VOUCHED = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = $1 LIMIT 1";
