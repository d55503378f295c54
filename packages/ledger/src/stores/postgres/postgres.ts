import { hash } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import Cursor from "pg-cursor";
import { instants } from "../../values/instant.ts";
import { isUndone, whyAway } from "../connection-error.ts";
import { migrate } from "../migrations/migrate.ts";
import { type Question, ROW, type Row, type Store, type Tx, type Value } from "../store.ts";
import type { Tables } from "../tables.ts";
import { postgresDialect, refuseFunction } from "./schema.ts";
import { type Sender, senderTo } from "./sender.ts";

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
    // A transaction leaves in one packet: where its BEGIN is refused, nothing behind it may write on its own.
    options: `${config.options} -c default_transaction_read_only=on`,
    pipeline: true,
    max: 1,
    idleTimeoutMillis: 0, // what it prepared is its own
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
  /** The number of the last transaction of this process, and how many before it came one right behind the other. */
  let [own, streak] = [0n, 0];

  /** One transaction at a time in this process: the others would only wait for the row. */
  function alone<T>(body: () => Promise<T>): Promise<T> {
    const turn = last.then(body);
    last = turn.catch(() => undefined);
    return turn;
  }

  /** Again, from its beginning, when the server undid it: what it left in memory is of no use to anyone. */
  const untilDone: Store["transact"] = async (body, ahead = []) => {
    let guess = guessed(ahead);
    for (let tries = 1; ; tries += 1) {
      try {
        return await writing(body, { ahead, guess });
      } catch (error) {
        if (guess === null && (tries === MOST_TRIES || !isUndone(error))) throw error;
        if (guess !== null && whyAway(error) !== null && !isUndone(error)) throw error;
        guess = null;
      }
    }
  };

  /** Where nobody else wrote of late: that nobody did since, and that the question finds nothing. */
  const guessed = ([question, ...more]: readonly Question[]): Guess | null =>
    streak >= ALONE && question !== undefined && more.length === 0 ? { after: own, nothing: question } : null;

  const granted = ({ serial, at }: Turn): bigint => {
    early = Number(at) - Date.now();
    return serial;
  };

  async function writing<T>(body: Body<T>, { ahead, guess }: Asked): Promise<T> {
    const client = await writers.connect();
    let broken: Error | undefined;
    let writer: Writer | undefined;
    try {
      writer = await writerOf(client);
      // the server keeps a plan that it made while a table was nearly empty, and reads all of it when it no longer is
      if (own % PLANS_LAST === 0n) void client.query("DISCARD PLANS").catch(() => undefined);
      const { sender } = writer;
      let serial: bigint;
      let read: readonly (readonly Row[])[];
      let turned: Promise<pg.QueryResult | undefined> | undefined;
      if (guess === null) {
        // each sees what was committed before the turn was granted: a statement's snapshot is its own
        const [, turn, ...answers] = await Promise.all([
          sender.ask(BEGIN),
          sender.ask(TURN),
          ...ahead.map(({ sql, values }) => sender.ask(sql, values)),
        ]);
        serial = granted(found(turn));
        // The server forgot commits, as after a failover to a standby that lags: so does what is kept in memory.
        if (serial <= own) skipped += FAR;
        read = answers.map(({ rows }) => rows as readonly Row[]);
      } else {
        void sender.send(BEGIN);
        turned = sender.send(...turnIf(guess));
        serial = guess.after + 1n;
        read = [[]];
      }
      const result = await body(transaction(writer, serial + skipped), read);
      const { command } = await sender.ask("COMMIT");
      sender.check(); // answered before the commit was
      if (command !== "COMMIT") throw new PrivacyError("INTERNAL", {}, "the transaction was rolled back");
      const turn = await turned;
      if (turn !== undefined) granted(found(turn));
      [streak, own] = [serial === own + 1n ? streak + 1 : 0, serial];
      return result;
    } catch (error) {
      skipped += 2n; // the row's number is given again: not to what this one left in memory
      await client.query("ROLLBACK").catch((lost: Error) => {
        broken = lost;
      });
      if (!(error instanceof PrivacyError)) writer?.sender.check(); // why all that came behind was refused
      throw error;
    } finally {
      client.release(broken);
    }
  }

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

const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/** Takes the lock, the next number and the server's time in one step. */
const turn = (next: string): string =>
  `UPDATE writer SET serial = ${next} RETURNING serial, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at`;
const TURN = turn("serial + 1");

/** Beyond every number that memory has seen. */
const FAR = 1n << 32n;

/** So many transactions: plans are made anew in far less time than they take. */
const PLANS_LAST = 256n;

/** After so many transactions without one of another process, one takes it that there is none: it costs a wait to be wrong. */
const ALONE = 8;

/** What a transaction begins with unless the server says that it is wrong. */
interface Guess {
  readonly after: bigint;
  readonly nothing: Question;
}

/**
 * The turn, refused unless the guess is right: then there is no number. Whoever waited for the row is compared with its newest
 * version, and what was committed before the statement without changing the number changed nothing.
 */
const turnIf = ({ after, nothing: { sql, values } }: Guess): [string, readonly Value[]] => [
  turn(`CASE WHEN serial = ? AND NOT EXISTS (${sql}) THEN serial + 1 END`),
  [after, ...values],
];

type Body<T> = (tx: Tx, read: readonly (readonly Row[])[]) => Promise<T>;

interface Asked {
  readonly ahead: readonly Question[];
  readonly guess: Guess | null;
}

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

function transaction({ db, sender }: Writer, serial: bigint): Tx {
  const all = async (sql: string, values: readonly Value[]): Promise<readonly Row[]> => {
    const { rows } = await sender.ask(sql, values).catch((error: unknown) => {
      sender.check(); // why the transaction was over
      throw error;
    });
    return rows as readonly Row[];
  };
  return {
    db,
    serial,
    all,
    get: async (sql, values) => (await all(sql, values))[0],
    run: sender.write,
    many: async (sql, rows) => {
      const row = ROW.exec(sql)?.[0];
      if (row === undefined) {
        for (const values of rows) await sender.write(sql, values);
        return;
      }
      for (let start = 0; start < rows.length; start += MOST_ROWS) {
        const some = rows.slice(start, start + MOST_ROWS);
        await sender.write(sql + `, ${row}`.repeat(some.length - 1), some.flat());
      }
    },
  };
}

/** Rows of an INSERT in one round trip; the protocol counts parameters in 16 bits. */
const MOST_ROWS = 256;

/** A connection that writes, with what belongs to it. */
interface Writer {
  readonly sender: Sender;
  readonly db: Kysely<Tables>;
}

const known = new WeakMap<pg.PoolClient, Writer>();

async function writerOf(client: pg.PoolClient): Promise<Writer> {
  let writer = known.get(client);
  if (writer === undefined) {
    await assertDurable(client);
    const sender = senderTo(client);
    writer = { sender, db: kysely(client, sender.flush) };
    known.set(client, writer);
  }
  writer.sender.begin();
  return writer;
}

/** Kysely over one connection that somebody else began a transaction on. */
function kysely(client: pg.PoolClient, before: () => void = () => undefined): Kysely<Tables> {
  const query = (...args: unknown[]) => {
    before();
    return (client.query as (...args: unknown[]) => unknown).apply(client, args);
  };
  const one = { query, release: () => undefined };
  const pool = { connect: async () => one, end: async () => undefined };
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never, cursor: ExactCursor }) });
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
