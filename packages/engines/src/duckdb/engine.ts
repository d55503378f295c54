import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Exact, invalid, PrivacyError } from "@dosimeter/core";
import { heldOf } from "@dosimeter/query/bind";
import { type Declaration, mostRowsOf } from "@dosimeter/query/declaration";
import { type Fragment, integer } from "@dosimeter/query/dialect";
import type {
  Appended,
  Appending,
  BoundedPlan,
  Engine,
  Fit,
  FitOptions,
  JoinedVersion,
  Listing,
  Measured,
  MeasuredVector,
  Problems,
  RunOptions,
  SourceColumn,
  TableVersion,
} from "@dosimeter/query/plan";
import type { Source } from "@dosimeter/query/source";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type RawBuilder, sql } from "kysely";
import { refuseWide } from "../sql/columns.ts";
import type { OtherTable } from "../sql/joined-table.ts";
import { type Scan, type Statement, scansOf, statementOf } from "../sql/scans.ts";
import type { Table } from "../sql/sql.ts";
import { checkTable, unreadable } from "../sql/table-check.ts";
import { appendOf } from "./append.ts";
import { columnsOf, faulty, refusal } from "./check.ts";
import { duckdbDialect } from "./dialect.ts";
import { openFileReader } from "./file-reader.ts";
import { fitOf } from "./fit.ts";
import { openSandbox, query, type SandboxOptions, streamed, withConnection } from "./sandbox.ts";
import { type Inspected, inspect, type Located, locate, refuseUnfinished } from "./source.ts";

export interface DuckDbOptions extends Omit<SandboxOptions, "temporaryDirectory"> {
  /** A private folder is made in the system's own when absent. */
  readonly temporaryDirectory?: string;
  /** Milliseconds that one job may take, then it is interrupted: a public constant, 600,000 when absent. */
  readonly timeout?: number;
  /** Bounded tables kept for the next question about the same rows; 8 when absent, 0 keeps none. */
  readonly cachedTables?: number;
  /** The most rows that are bounded at once, and of bounded tables that are kept; any number when absent. */
  readonly mostHeld?: number;
}

/** Opens the engine over one folder of CSV, Parquet and DuckDB files. Close it: it holds memory and a temporary folder. */
export async function duckdbEngine(options: DuckDbOptions): Promise<Engine> {
  const temporary = options.temporaryDirectory ?? (await mkdtemp(join(tmpdir(), "dosimeter-engine-")));
  const instance = await openSandbox({ ...options, temporaryDirectory: temporary });
  return new DuckDbEngine(instance, options, options.temporaryDirectory === undefined ? temporary : null);
}

const failed = (): PrivacyError => new PrivacyError("ENGINE_FAILED");
const MAX_CACHED = 8;
const TIMEOUT_MS = 600_000;
/** Milliseconds that someone waits to hear how a file fits. */
const FIT_MS = 60_000;
/** Bytes, about, that are kept of the files which were read, and how many of them a column takes next to its name. */
const MAX_KNOWN_BYTES = 32_000_000;
const COLUMN_BYTES = 1000;

interface Known {
  readonly stamp: string;
  readonly inspected: Inspected;
  readonly columns: readonly SourceColumn[];
  readonly types: Readonly<Record<string, string>>;
  /** Bytes that it takes in memory, about. */
  readonly size: number;
}

interface BoundedTable {
  readonly name: string;
  readonly made: Promise<unknown>;
  /** The most rows that its source may have. */
  readonly rows: number;
  /** The number of jobs that read it; a table in use is not dropped. */
  users: number;
}

/** The parts of the units whose rows are bounded one after another, by public numbers alone: which rows of a unit are kept is its own matter [M80]. */
function partsOf(plan: BoundedPlan, mostHeld: number): readonly ((rows: Fragment) => Fragment)[] {
  const count = heldOf(plan, mostHeld).parts;
  if (count === 1) return [(rows) => rows];
  return Array.from(
    { length: count },
    (_, part) => (rows: Fragment) =>
      sql`SELECT * FROM (${rows}) AS whole WHERE hash(u) % ${integer(count)} = ${integer(part)}`,
  );
}

async function measured(
  connection: DuckDBConnection,
  { statement, add, vectors }: Statement,
): Promise<ReturnType<Statement["vectors"]>> {
  for await (const rows of streamed(connection, duckdbDialect.compile(statement))) add(rows);
  return vectors();
}

class DuckDbEngine implements Engine {
  readonly #instance: DuckDBInstance;
  readonly #root: string;
  readonly #temporary: string | null;
  readonly #mostCached: number;
  readonly #mostHeld: number;
  readonly #timeout: number;
  readonly #reader = openFileReader();
  /** Files as they were when they were last read in full. */
  readonly #known = new Map<string, Known>();
  /** Bounded tables by the hash of version and SQL, oldest use first [M88]. */
  readonly #cached = new Map<string, BoundedTable>();
  readonly #attachments = new Map<string, { readonly stamp: string; readonly name: string }>();
  #tables = 0;

  constructor(instance: DuckDBInstance, options: DuckDbOptions, temporary: string | null) {
    this.#instance = instance;
    this.#root = options.root;
    this.#temporary = temporary;
    this.#timeout = options.timeout ?? TIMEOUT_MS;
    this.#mostCached = options.cachedTables ?? MAX_CACHED;
    this.#mostHeld = options.mostHeld ?? Number.POSITIVE_INFINITY;
  }

  async describe(source: Source, signal?: AbortSignal): Promise<readonly SourceColumn[]> {
    return this.#inTime(signal, async (ends) => (await this.#open(source, "", ends)).columns);
  }

  async check(
    declaration: Declaration,
    { salt, signal }: { salt: string; signal?: AbortSignal },
  ): Promise<TableVersion> {
    return this.#inTime(signal, async (ends) => {
      const { inspected, types } = await this.#open(declaration.source, salt, ends);
      await withConnection(this.#instance, ends, (connection) =>
        checkTable(declaration, {
          table: { dialect: duckdbDialect, from: inspected.from, types },
          noun: "file",
          records: inspected.records,
          refusal,
          faulty,
          query: (statement) => query(connection, statement),
        }),
      );
      return { version: inspected.version, salt };
    });
  }

  async fit(declaration: Declaration, { fewerThan, signal }: FitOptions): Promise<Fit> {
    return this.#inTime(
      signal,
      async (ends) => {
        const { inspected, types } = await this.#open(declaration.source, "", ends);
        const table = { dialect: duckdbDialect, from: inspected.from, types };
        return withConnection(this.#instance, ends, (connection) =>
          fitOf(declaration, {
            table,
            records: inspected.records,
            fewerThan,
            query: (statement) => query(connection, statement),
          }),
        );
      },
      Math.min(FIT_MS, this.#timeout),
    );
  }

  async append(declaration: Declaration, { more, window, to, signal }: Appending): Promise<Appended> {
    for (const source of [declaration.source, more])
      if (!("csv" in source)) invalid("source", undefined, "a CSV file, as is the one that is appended to it");
    return this.#inTime(signal, async (ends) => {
      const before = (await this.#open(declaration.source, "", ends)).inspected;
      const brought = (await this.#open(more, "", ends)).inspected;
      const { count, write } = appendOf(declaration, { before, more: brought, window, to });
      const compiled = [count, write].map((statement) => duckdbDialect.compile(statement));
      const [rows] = await withConnection(this.#instance, ends, async (connection) => {
        const answers: (readonly (readonly unknown[])[])[] = [];
        try {
          for (const statement of compiled) answers.push(await query(connection, statement));
        } catch {
          throw unreadable("file", "the file cannot be appended: it is not as the table is declared");
        }
        return answers;
      });
      const added = Number(rows?.[0]?.[0] ?? 0);
      const { header, records } = (await this.#open({ ...declaration.source, csv: to } as Source, "", ends)).inspected;
      if (JSON.stringify(header) !== JSON.stringify(before.header) || records !== (before.records ?? 0) + added)
        throw unreadable("file", "the file cannot be appended: its names are read in another way next to the others");
      return { added, dropped: (brought.records ?? 0) - added };
    });
  }

  /** Runs a job that its caller may end, and that ends by itself: DATA_UNREADABLE when the time is over. */
  async #inTime<T>(
    signal: AbortSignal | undefined,
    job: (ends: AbortSignal) => Promise<T>,
    most = this.#timeout,
  ): Promise<T> {
    const late = AbortSignal.timeout(most);
    try {
      return await job(signal === undefined ? late : AbortSignal.any([signal, late]));
    } catch (error) {
      if (!late.aborted) throw error;
      throw unreadable("source", `the file cannot be read: it takes longer than ${most / 1000} s`);
    }
  }

  async run(plan: BoundedPlan, { signal, ...at }: RunOptions): Promise<Exact<Measured>> {
    try {
      return await this.#inTime(signal, async (ends) => {
        const { declaration } = plan;
        const table = await this.#tableAt(declaration.source, at, ends);
        const other = await this.#otherAt(declaration, at, ends);
        const tables = { table, other, salt: at.salt, sampleKey: () => randomBytes(32).toString("hex") };
        const measured = await withConnection(this.#instance, ends, async (connection) => {
          const vectors: MeasuredVector[] = [];
          for (const scan of scansOf(plan, tables, partsOf(plan, this.#mostHeld)))
            for (const [place, vector] of await this.#measure(connection, scan, declaration, at))
              vectors[place] = vector;
          return vectors;
        });
        return new Exact<Measured>(measured);
      });
    } catch {
      // One constant answer: a driver's words may quote a row.
      throw failed();
    }
  }

  /** The rows of a source at a version; fails when they are others now. */
  async #tableAt(source: Source, { version, salt }: TableVersion, signal: AbortSignal): Promise<Table> {
    const { inspected, types } = await this.#open(source, salt, signal);
    if (inspected.version !== version) throw failed();
    return { dialect: duckdbDialect, from: inspected.from, types };
  }

  async #otherAt({ joined }: Declaration, at: JoinedVersion, signal: AbortSignal): Promise<OtherTable | null> {
    if (joined === undefined) return null;
    if (at.joined === undefined) throw failed();
    const table = await this.#tableAt(joined.declaration.source, at.joined, signal);
    return { table, salt: at.joined.salt };
  }

  async list(): Promise<Listing> {
    return invalid("source", undefined, "a table that a connection of the server reaches");
  }

  checkSize(): void {}

  async probe(): Promise<Problems> {
    return {};
  }

  async close(): Promise<void> {
    this.#cached.clear();
    await this.#reader.close();
    this.#instance.closeSync();
    if (this.#temporary !== null) await rm(this.#temporary, { recursive: true, force: true });
  }

  /** Reads every file again in full only when it is not the one that was read before. */
  async #open(source: Source, salt: string, signal: AbortSignal | undefined): Promise<Known> {
    const located = await locate(this.#root, source);
    const key = JSON.stringify([source, salt]);
    const known = this.#known.get(key);
    if (known?.stamp === located.stamp) {
      this.#remember(key, known);
      return known;
    }
    const attached = () => this.#attached(located);
    const inspected = await inspect(located, salt, { attached, reader: this.#reader }, signal);
    const columns =
      (inspected.header && [...Object.keys(located.source.keys ?? {}), ...inspected.header])?.map((name) => ({
        ...{ name, type: "VARCHAR" },
      })) ??
      (await withConnection(this.#instance, signal, (connection) => columnsOf(connection, inspected, located.bytes)));
    refuseWide(columns, "file");
    const types: Record<string, string> = Object.create(null);
    for (const { name, type } of columns) types[name] = type;
    const size =
      key.length + columns.reduce((sum, { name, type }) => sum + COLUMN_BYTES + name.length + type.length, 0);
    const fresh = { stamp: located.stamp, inspected, columns, types, size };
    this.#remember(key, fresh);
    return fresh;
  }

  /** The files that were used last stay known; an uploaded file that no one declares is soon forgotten. */
  #remember(key: string, fresh: Known): void {
    this.#known.delete(key);
    this.#known.set(key, fresh);
    let size = 0;
    for (const one of this.#known.values()) size += one.size;
    for (const [oldest, one] of this.#known) {
      if (size <= MAX_KNOWN_BYTES || oldest === key) return;
      this.#known.delete(oldest);
      size -= one.size;
    }
  }

  /** The name under which a database file is open, to read only; opened again when it has changed. */
  async #attached({ paths: [path = ""], stamp }: Located): Promise<string> {
    await refuseUnfinished(path);
    const open = this.#attachments.get(path);
    if (open?.stamp === stamp) return open.name;
    const name = `source_${++this.#tables}`;
    await withConnection(this.#instance, undefined, async (connection) => {
      try {
        if (open !== undefined) await connection.run(`DETACH ${open.name}`);
        await connection.run(`ATTACH '${path.replaceAll("'", "''")}' AS ${name} (READ_ONLY, TYPE duckdb)`);
      } catch {
        throw unreadable(
          "source.duckdb",
          "the file cannot be read: it is not a database of DuckDB, or is open elsewhere",
        );
      }
    });
    this.#attachments.set(path, { stamp, name });
    return name;
  }

  async #measure(
    connection: DuckDBConnection,
    scan: Scan,
    declaration: Declaration,
    at: JoinedVersion,
  ): Promise<ReturnType<Statement["vectors"]>> {
    const { privacyUnit, joined } = declaration;
    const isSampled = scan.members.some(({ statistic }) => statistic.sampling !== undefined);
    if (privacyUnit === "row" || (scan.shared.length === 1 && (this.#mostCached === 0 || isSampled)))
      return measured(connection, statementOf(duckdbDialect, scan));
    const versions = joined === undefined ? [at.version] : [at.version, at.joined?.version];
    const kept = await this.#boundedTable(connection, scan.shared, { versions, rows: mostRowsOf(declaration) });
    try {
      return await measured(connection, statementOf(duckdbDialect, scan, sql`${sql.id(kept.name)}`));
    } finally {
      kept.users -= 1;
      await this.#evict(connection);
    }
  }

  /** The bounded rows as a table, part by part, made once for the versions of what is read and each bounding query, the salt and filter in it. */
  async #boundedTable(
    connection: DuckDBConnection,
    parts: readonly RawBuilder<unknown>[],
    { versions, rows }: { readonly versions: readonly unknown[] } & Pick<BoundedTable, "rows">,
  ): Promise<BoundedTable> {
    const statements = parts.map((part) => duckdbDialect.compile(part));
    const key = createHash("sha256")
      .update(JSON.stringify([versions, statements]))
      .digest("hex");
    const found = this.#cached.get(key);
    if (found !== undefined) {
      this.#cached.delete(key);
      this.#cached.set(key, found);
      found.users += 1;
      try {
        await found.made;
        return found;
      } catch {
        // The job that was making it was interrupted, so it is made here.
        found.users -= 1;
      }
    }
    const name = `bounded_${++this.#tables}`;
    const made = (async () => {
      for (const [part, { text, parameters }] of statements.entries())
        await query(connection, {
          text: `${part === 0 ? `CREATE TABLE ${name} AS` : `INSERT INTO ${name}`} SELECT * FROM ${text} AS z`,
          parameters,
        });
    })();
    const table: BoundedTable = { name, made, rows, users: 1 };
    this.#cached.set(key, table);
    try {
      await made;
      return table;
    } catch (error) {
      if (this.#cached.get(key) === table) this.#cached.delete(key);
      // Its first parts may be there, and this connection interrupted.
      await withConnection(this.#instance, undefined, (other) => other.run(`DROP TABLE IF EXISTS ${name}`));
      throw error;
    }
  }

  /** Limited by number and by the most rows that are declared, never by size: which tables are kept must not depend on private counts. */
  async #evict(connection: DuckDBConnection): Promise<void> {
    const rows = () => [...this.#cached.values()].reduce((sum, table) => sum + table.rows, 0);
    for (const [key, table] of this.#cached) {
      if (this.#cached.size <= this.#mostCached && rows() <= this.#mostHeld) return;
      if (table.users > 0) continue;
      this.#cached.delete(key);
      await connection.run(`DROP TABLE IF EXISTS ${table.name}`);
    }
  }
}
