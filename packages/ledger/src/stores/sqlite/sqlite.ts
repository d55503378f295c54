import { hash } from "node:crypto";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { invalid, PrivacyError } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import { Kysely, type Dialect as KyselyDialect, SqliteDialect } from "kysely";
import { instants } from "../../values/instant.ts";
import { migrate } from "../migrations/migrate.ts";
import type { Dialect, Migration } from "../migrations/migration.ts";
import { oneStreamAtATime } from "../one-stream.ts";
import { ROW, type Row, type Store, type Tx, type Value } from "../store.ts";
import type { Tables } from "../tables.ts";
import { pageProblems } from "./page-problems.ts";

export { quickProblems } from "./page-problems.ts";

export interface SqliteOptions {
  /** `full` survives a power cut; anything less is refused, because a forgotten charge is a broken promise. */
  readonly synchronous?: string;
  /** How long to wait for another process that writes, in milliseconds. */
  readonly timeout?: number;
  /** Others than those of this version; for tests of older and newer databases. */
  readonly migrations?: readonly Migration[];
  /** Writes nothing and makes no file next to it. The caller knows that no process writes the file and that it has no log. */
  readonly readOnly?: boolean;
  /**
   * Called after each commit, before anyone hears of it; the next transaction waits for what it returns, which never rejects. The log is then
   * folded into the file by `fold` alone, which waits for no reader.
   */
  readonly committed?: (fold: () => void) => Promise<void> | undefined;
}

/** Two: SQLite's number for `synchronous = FULL`. */
const FULL = 2n;

/** 16 MB of log between checkpoints: each costs two syncs, and a start after a crash reads the log once. */
const CHECKPOINT_PAGES = 4096;

/** Idle snapshot connections that are kept open. */
const MAX_IDLE = 4;

/** Opens or makes the database file, on Node's own SQLite, and brings its schema up to date. */
export async function sqliteStore(path: string, options: SqliteOptions = {}): Promise<Store> {
  const writer = connect(path, options);
  const reader = connect(path, options);
  writer.exec(`PRAGMA query_only = ${options.readOnly === true ? "ON" : "OFF"}`);
  reader.exec("PRAGMA query_only = ON");
  const writing = kysely(writer);
  const read = kysely(reader);
  let closed = false;
  /** Unused connections for snapshots: to open one costs more than most reads. */
  const idle: DatabaseSync[] = [];
  const clock = instants();
  let serial = 0n;
  let version: unknown;

  /** The next number; skips one when another connection wrote, which SQLite shows in its data version. */
  function number(): bigint {
    const seen = prepare(writer, "PRAGMA data_version").get()?.data_version;
    serial += seen === version ? 1n : 2n;
    version = seen;
    return serial;
  }

  const fold = () => void prepare(writer, "PRAGMA wal_checkpoint(PASSIVE)").get();

  /** One transaction at a time in this process; SQLite's own lock keeps other processes out. */
  const alone = oneAfterAnother();

  const store: Store = {
    kind: "sqlite",
    read,
    now: () => clock(Date.now()),
    sha256: (text) => hash("sha256", text),
    transact: (body, ahead = []) =>
      alone(async () => {
        if (closed) throw new PrivacyError("INTERNAL", {}, "the store is closed");
        prepare(writer, "BEGIN IMMEDIATE").run();
        try {
          const tx = transaction(writer, { db: writing, serial: number() });
          const result = await body(tx, await Promise.all(ahead.map(({ sql, values }) => tx.all(sql, values))));
          prepare(writer, "COMMIT").run();
          await options.committed?.(fold);
          return result;
        } catch (error) {
          serial += 1n;
          if (writer.isTransaction) writer.exec("ROLLBACK");
          throw error;
        }
      }),
    snapshot: async (body) => {
      const connection = idle.pop() ?? connect(path, options);
      let isFree = false;
      try {
        connection.exec("PRAGMA query_only = ON; BEGIN");
        const result = await body(kysely(connection, oneStreamAtATime));
        connection.exec("COMMIT");
        // A stream that was left half read would hold the next reader to this state of the data.
        isFree = !closed && !streamed.has(connection) && idle.length < MAX_IDLE;
        return result;
      } finally {
        if (isFree) idle.push(connection);
        else connection.close();
      }
    },
    pageProblems: () => pageProblems(addressOf(path, options)),
    copy: async () => null,
    vouch: async () => undefined,
    connections: () => null,
    isVouched: async () => false, // a file has one process
    close: () =>
      alone(async () => {
        if (closed) return;
        closed = true;
        for (const connection of idle.splice(0)) connection.close();
        reader.close();
        writer.close();
      }),
  };
  if (options.readOnly !== true) await migrate(store, dialect, options.migrations);
  return store;
}

/** SQLite makes files next to a database that it reads, unless it is said to be immutable. */
const addressOf = (path: string, { readOnly = false }: SqliteOptions): string =>
  readOnly ? `${pathToFileURL(path).href}?immutable=1` : path;

function connect(path: string, options: SqliteOptions): DatabaseSync {
  const { synchronous = "full", timeout = 30_000, readOnly = false } = options;
  if (readOnly) return new DatabaseSync(addressOf(path, options), { readOnly });
  if (!/^[a-z]+$/i.test(synchronous)) {
    invalid("synchronous", synchronous, "full or extra");
  }
  const connection = new DatabaseSync(path, { timeout, enableForeignKeyConstraints: true });
  try {
    connection.exec(
      `PRAGMA wal_autocheckpoint = ${options.committed === undefined ? CHECKPOINT_PAGES : 0}; PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; PRAGMA trusted_schema = OFF; PRAGMA recursive_triggers = ON`,
    );
    assertDurable(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** Refuses a connection whose commits could be lost in a power cut (measured: hundreds were, at NORMAL). */
function assertDurable(connection: DatabaseSync): void {
  const journal = pragma(connection, "journal_mode");
  if (journal !== "wal") invalid("journal_mode", journal, "wal");
  const synchronous = pragma(connection, "synchronous");
  if (typeof synchronous !== "bigint" || synchronous < FULL) {
    invalid("synchronous", synchronous, "full (2) or extra (3)");
  }
}

function pragma(connection: DatabaseSync, name: string): unknown {
  const statement = connection.prepare(`PRAGMA ${name}`);
  statement.setReadBigInts(true);
  return Object.values(statement.get() ?? {})[0];
}

/** Statements kept for each connection, the oldest first out: lists of values make many that are used once. */
const MAX_PREPARED = 1000;
const prepared = new WeakMap<DatabaseSync, Map<string, StatementSync>>();
const streamed = new WeakSet<DatabaseSync>();

/** Whether a statement gives rows: asking it costs as much as running most of them. */
const reads = new WeakMap<StatementSync, boolean>();

function givesRows(statement: StatementSync): boolean {
  const known = reads.get(statement) ?? statement.columns().length > 0;
  reads.set(statement, known);
  return known;
}

function fresh(connection: DatabaseSync, sql: string): StatementSync {
  const statement = connection.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}

function prepare(connection: DatabaseSync, sql: string): StatementSync {
  const statements = prepared.get(connection) ?? new Map<string, StatementSync>();
  prepared.set(connection, statements);
  let statement = statements.get(sql);
  if (statement === undefined) {
    statement = fresh(connection, sql);
    statements.set(sql, statement);
    const [oldest = sql] = statements.size > MAX_PREPARED ? statements.keys() : [];
    if (oldest !== sql) statements.delete(oldest);
  }
  return statement;
}

/** Rows that one INSERT writes: to run a statement costs as much as a row. */
const AT_ONCE = 16;

function transaction(connection: DatabaseSync, { db, serial }: Pick<Tx, "db" | "serial">): Tx {
  return {
    db,
    serial,
    get: async (sql, values) => prepare(connection, sql).get(...values) as Row | undefined,
    all: async (sql, values) => prepare(connection, sql).all(...values) as readonly Row[],
    run: async (sql, values) => void prepare(connection, sql).run(...values),
    many: async (sql, rows) => {
      const row = ROW.exec(sql)?.[0];
      const whole = row === undefined ? 0 : rows.length - (rows.length % AT_ONCE);
      const several = whole === 0 ? undefined : prepare(connection, sql + `, ${row}`.repeat(AT_ONCE - 1));
      for (let start = 0; start < whole; start += AT_ONCE)
        several?.run(...([] as Value[]).concat(...rows.slice(start, start + AT_ONCE)));
      const statement = prepare(connection, sql);
      for (const values of rows.slice(whole)) statement.run(...values);
    },
  };
}

const whole = (dialect: SqliteDialect): KyselyDialect => dialect;

const queries = new WeakMap<DatabaseSync, Kysely<Tables>>();

/** Kysely over one connection; it never begins a transaction itself and never closes the connection. */
function kysely(connection: DatabaseSync, over: (dialect: SqliteDialect) => KyselyDialect = whole): Kysely<Tables> {
  const known = queries.get(connection);
  if (known !== undefined) return known;
  const database = {
    close: () => undefined,
    prepare: (sql: string) => {
      const statement = prepare(connection, sql);
      return {
        reader: givesRows(statement),
        all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
        run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
        iterate: (values: readonly unknown[]) => {
          streamed.add(connection);
          return fresh(connection, sql).iterate(...(values as SQLInputValue[]));
        },
      };
    },
  };
  const made = new Kysely<Tables>({ dialect: over(new SqliteDialect({ database })) });
  queries.set(connection, made);
  return made;
}

const dialect: Dialect = {
  serial: "INTEGER PRIMARY KEY",
  integer: "INTEGER",
  strict: "STRICT",
  spell: (statement) => statement,
  appendOnly: (table) => [
    `CREATE TRIGGER ${table}_no_update BEFORE UPDATE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
    `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
  ],
  neverDeleted: (table) => [
    `CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} BEGIN SELECT RAISE(ABORT, '${table} is never deleted'); END`,
  ],
  refuseUpdate: (table, rule, condition, columns) => [
    `CREATE TRIGGER ${table}_${rule} BEFORE UPDATE ${columns === undefined ? "" : `OF ${columns.join(", ")} `}ON ${table} WHEN ${condition} BEGIN SELECT RAISE(ABORT, '${table}: ${rule}'); END`,
  ],
};
