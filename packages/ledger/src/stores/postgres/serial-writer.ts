import { invalid, PrivacyError } from "@dosimeter/core";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import { connectionErrorCode, isUndone } from "../connection-error.ts";
import { oneStreamAtATime } from "../one-stream.ts";
import { type Question, ROW, type Row, type Store, type Tx, type Value } from "../store.ts";
import type { Tables } from "../tables.ts";
import { copyOf } from "./copy.ts";
import { ExactCursor } from "./exact-cursor.ts";
import { type Sender, senderTo } from "./sender.ts";

/** Runs transactions of this process, one after another, each after all of other processes before it. */
export interface SerialWriter {
  readonly transact: Store["transact"];
  /** From now on only what compares copies writes to any other one. */
  knows(copy: string | null): void;
  /** Milliseconds that the server's clock is ahead of this one's. */
  early(): number;
}

export function serialWriter(writers: pg.Pool): SerialWriter {
  let [early, skipped] = [0, 0n];
  /** The number of the last transaction of this process, and how many before it came one right behind the other. */
  let [own, streak] = [0n, 0];
  const fence = openFence();

  /** Runs the transaction again from its beginning when the server rolled it back. */
  const transact: Store["transact"] = async (body, ahead = [], compares) => {
    let guess = guessed(ahead);
    for (let tries = 1; ; tries += 1) {
      try {
        return await writing(body, { ahead, guess, compares });
      } catch (error) {
        if (guess === null && (tries === MAX_TRIES || !isUndone(error))) throw error;
        if (guess !== null && connectionErrorCode(error) !== null && !isUndone(error)) throw error;
        guess = null;
      }
    }
  };

  /** When no other process wrote lately: guesses that none has written since, and that the first query finds nothing. */
  const guessed = ([question, ...more]: readonly Question[]): Guess | null =>
    streak >= ALONE && question !== undefined && more.length === 0 ? { after: own, nothing: question } : null;

  const granted = ({ serial, at }: Turn): bigint => {
    early = Number(at) - Date.now();
    return serial;
  };

  async function writing<T>(body: Body<T>, { ahead, guess, compares }: PendingStatement): Promise<T> {
    const client = await writers.connect();
    let broken: Error | undefined;
    let writer: Writer | undefined;
    try {
      writer = await writerOf(client, fence, compares);
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
        if (serial <= own) skipped += FAR; // it lost commits, as after a failover to a lagging standby: nothing remembered holds
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
      if (error instanceof OtherCopy) broken = error;
      skipped += 2n; // the number will be used again, so what this transaction left in memory is dropped
      await client.query("ROLLBACK").catch((lost: Error) => {
        broken = lost;
      });
      if (!(error instanceof PrivacyError)) writer?.sender.check(); // the reason why everything after it was refused
      throw error;
    } finally {
      client.release(broken);
    }
  }

  return { transact, knows: fence.knows, early: () => early };
}

/** A standby that took over lacks charges, perhaps: until it is compared nothing is charged, taken or stored there. [M404] */
interface Fence {
  knows(copy: string | null): void;
  /** NOT_READY on another copy than the one that is known, or that is compared. */
  refuseOther(client: pg.PoolClient, writer: Writer, compares: string | null | undefined): Promise<void>;
}

/** Its connection is given up, as the one before a failover may live on: the next may be to where others go now. */
class OtherCopy extends PrivacyError {}

function openFence(): Fence {
  let known: string | null = null;
  return {
    knows(copy) {
      known = copy;
    },
    async refuseOther(client, writer, compares = known) {
      if (compares === null || writer.copy === compares) return;
      writer.copy = await copyOf(client);
      if (writer.copy !== null && writer.copy !== compares)
        throw new OtherCopy("NOT_READY", {}, "the ledger database is another copy than before; it is compared first");
    },
  };
}

const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/** Takes the lock, the next number and the server's time in one step. */
const turn = (next: string): string =>
  `UPDATE writer SET serial = ${next} RETURNING serial, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS at`;
const TURN = turn("serial + 1");

/** Larger than every number in memory. */
const FAR = 1n << 32n;

/**
 * After this many transactions the server makes its query plans again, which takes far less time than the transactions. Under the plans of
 * an empty ledger a charge took 10 ms, and 64 callers got 716 charges a second instead of 3,180.
 */
const PLANS_LAST = 256n;

/**
 * After this many transactions without one of another process, guess that there is none. A wrong guess costs one wait; a right one saves two
 * of three.
 */
const ALONE = 8;

/** The guess with which a transaction begins. */
interface Guess {
  readonly after: bigint;
  readonly nothing: Question;
}

/**
 * The turn, refused unless the guess is right: then there is no number. A transaction that waited for the row is compared with its newest
 * version, and what was committed before the statement without changing the number changed nothing.
 */
const turnIf = ({ after, nothing: { sql, values } }: Guess): [string, readonly Value[]] => [
  turn(`CASE WHEN serial = ? AND NOT EXISTS (${sql}) THEN serial + 1 END`),
  [after, ...values],
];

type Body<T> = (tx: Tx, read: readonly (readonly Row[])[]) => Promise<T>;

interface PendingStatement {
  readonly ahead: readonly Question[];
  readonly guess: Guess | null;
  readonly compares: string | null | undefined;
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

const MAX_TRIES = 5;

/** Settings under which a power cut loses commits that were acknowledged. */
const FORGETFUL = ["synchronous_commit", "fsync", "full_page_writes"] as const;

/** Refuses a server whose commits could be lost (measured: thousands were, with synchronous_commit off). */
async function assertDurable(client: pg.PoolClient): Promise<void> {
  for (const name of FORGETFUL) {
    const { rows } = await client.query("SELECT current_setting($1, true) AS value", [name]);
    const { value } = rows[0] as { value: string | null };
    if (value === "off") invalid(name, value, "on");
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
      for (let start = 0; start < rows.length; start += MAX_ROWS) {
        const some = rows.slice(start, start + MAX_ROWS);
        await sender.write(sql + `, ${row}`.repeat(some.length - 1), some.flat());
      }
    },
  };
}

/** Rows of an INSERT in one round trip; the protocol counts parameters in 16 bits. */
const MAX_ROWS = 256;

/** A writing connection and its parts. */
interface Writer {
  readonly sender: Sender;
  readonly db: Kysely<Tables>;
  /** Which copy of the database it is connected to, where that was asked. */
  copy: string | null;
}

const known = new WeakMap<pg.PoolClient, Writer>();

async function writerOf(client: pg.PoolClient, fence: Fence, compares: PendingStatement["compares"]): Promise<Writer> {
  let writer = known.get(client);
  if (writer === undefined) {
    await assertDurable(client);
    const sender = senderTo(client);
    writer = { sender, db: kysely(client, sender.flush), copy: await copyOf(client) };
    known.set(client, writer);
  }
  await fence.refuseOther(client, writer, compares);
  writer.sender.begin();
  return writer;
}

/** Kysely over one connection on which a transaction has begun already. It refuses a query while rows are streamed. */
export function kysely(client: Pick<pg.PoolClient, "query">, before: () => void = () => undefined): Kysely<Tables> {
  const query = (...args: unknown[]) => {
    before();
    return (client.query as (...args: unknown[]) => unknown).apply(client, args);
  };
  const one = { query, release: () => undefined };
  const pool = { connect: async () => one, end: async () => undefined };
  const dialect = new PostgresDialect({ pool: pool as never, cursor: ExactCursor });
  return new Kysely<Tables>({ dialect: oneStreamAtATime(dialect) });
}
