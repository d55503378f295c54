import { createHash } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Exact, PrivacyError } from "@dosimeter/core";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type RawBuilder, sql } from "kysely";
import { boundedRows } from "./bounded-rows.ts";
import type { Declaration, Source } from "./declaration.ts";
import { duckdbDialect } from "./dialect.ts";
import { checkTable, columnsOf } from "./duckdb/check.ts";
import { openSandbox, query, type SandboxOptions, withConnection } from "./duckdb/sandbox.ts";
import { type Inspected, inspect, locate } from "./duckdb/source.ts";
import type { Engine, Measured, RunOptions, SourceColumn, TableVersion } from "./engine.ts";
import type { BoundedPlan, BoundedStatistic } from "./plan.ts";
import { cellsOf, compile, rowsOf, type Table, unitKindOf } from "./sql.ts";
import { measuredCells, statisticOf } from "./statistics.ts";

export interface DuckDbOptions extends Omit<SandboxOptions, "temporaryDirectory"> {
  /** A private folder is made in the system's own when absent. */
  readonly temporaryDirectory?: string;
  /** Bounded tables kept for the next question about the same rows; 8 when absent, 0 keeps none. */
  readonly cachedTables?: number;
}

/** Opens the engine over one folder of CSV and Parquet files. Close it: it holds memory and a temporary folder. */
export async function duckdbEngine(options: DuckDbOptions): Promise<Engine> {
  const temporary = options.temporaryDirectory ?? (await mkdtemp(join(tmpdir(), "dosimeter-engine-")));
  const instance = await openSandbox({ ...options, temporaryDirectory: temporary });
  return new DuckDbEngine(instance, options, options.temporaryDirectory === undefined ? temporary : null);
}

const failed = (): PrivacyError => new PrivacyError("ENGINE_FAILED");
const MOST_CACHED = 8;

interface Known {
  readonly stamp: string;
  readonly inspected: Inspected;
  readonly types: Readonly<Record<string, string>>;
}

interface BoundedTable {
  readonly name: string;
  readonly made: Promise<unknown>;
  /** Jobs reading it: such a table is not dropped. */
  users: number;
}

class DuckDbEngine implements Engine {
  readonly #instance: DuckDBInstance;
  readonly #root: string;
  readonly #temporary: string | null;
  readonly #mostCached: number;
  /** Files as they were when they were last read in full. */
  readonly #known = new Map<string, Known>();
  /** Bounded tables by the hash of version and SQL, oldest use first [M88]. */
  readonly #cached = new Map<string, BoundedTable>();
  #tables = 0;

  constructor(instance: DuckDBInstance, options: DuckDbOptions, temporary: string | null) {
    this.#instance = instance;
    this.#root = options.root;
    this.#temporary = temporary;
    this.#mostCached = options.cachedTables ?? MOST_CACHED;
  }

  async describe(source: Source, signal?: AbortSignal): Promise<readonly SourceColumn[]> {
    const path = await locate(this.#root, source);
    const inspected = await inspect(path, source, "", signal);
    if (inspected.header !== null) return inspected.header.map((name) => ({ name, type: "VARCHAR" }));
    return withConnection(this.#instance, signal, (connection) => columnsOf(connection, inspected));
  }

  async check(
    declaration: Declaration,
    { salt, signal }: { salt: string; signal?: AbortSignal },
  ): Promise<TableVersion> {
    const { inspected, types } = await this.#open(declaration, salt, signal);
    await withConnection(this.#instance, signal, (connection) => checkTable(connection, declaration, inspected, types));
    return { version: inspected.version, salt };
  }

  async run(plan: BoundedPlan, { version, salt, signal }: RunOptions): Promise<Exact<Measured>> {
    try {
      const { inspected, types } = await this.#open(plan.declaration, salt, signal);
      if (inspected.version !== version) throw failed();
      const table: Table = { dialect: duckdbDialect, from: inspected.from, types };
      const measured = await withConnection(this.#instance, signal, async (connection) => {
        const vectors: (readonly bigint[])[] = [];
        for (const statistic of plan.statistics)
          vectors.push(await this.#measure(connection, statistic, plan.declaration, table, { version, salt }));
        return vectors;
      });
      return new Exact<Measured>(measured);
    } catch {
      // One constant answer: a driver's words may quote a row.
      throw failed();
    }
  }

  async close(): Promise<void> {
    this.#cached.clear();
    this.#instance.closeSync();
    if (this.#temporary !== null) await rm(this.#temporary, { recursive: true, force: true });
  }

  /** Reads the whole file again only when it is not the one that was read before. */
  async #open(declaration: Declaration, salt: string, signal: AbortSignal | undefined): Promise<Known> {
    const path = await locate(this.#root, declaration.source);
    const { size, mtimeMs, ino } = await stat(path);
    const key = JSON.stringify([path, salt, declaration.source]);
    const stamp = JSON.stringify([size, mtimeMs, ino]);
    const known = this.#known.get(key);
    if (known?.stamp === stamp) return known;
    const inspected = await inspect(path, declaration.source, salt, signal);
    const columns =
      inspected.header?.map((name) => ({ name, type: "VARCHAR" })) ??
      (await withConnection(this.#instance, signal, (connection) => columnsOf(connection, inspected)));
    const types: Record<string, string> = Object.create(null);
    for (const { name, type } of columns) types[name] = type;
    const fresh = { stamp, inspected, types };
    this.#known.set(key, fresh);
    return fresh;
  }

  async #measure(
    connection: DuckDBConnection,
    statistic: BoundedStatistic,
    declaration: Declaration,
    table: Table,
    { version, salt }: TableVersion,
  ): Promise<readonly bigint[]> {
    const { dialect } = table;
    const unit = unitKindOf(declaration);
    const bounded = boundedRows(dialect, statistic, rowsOf(statistic, declaration, table), unit, salt);
    if (unit === "row" || this.#mostCached === 0)
      return vectorOf(statistic, await query(connection, compile(cellsOf(dialect, statistic, sql`(${bounded})`))));
    const kept = await this.#boundedTable(connection, bounded, version);
    try {
      return vectorOf(
        statistic,
        await query(connection, compile(cellsOf(dialect, statistic, sql`${sql.id(kept.name)}`))),
      );
    } finally {
      kept.users -= 1;
      await this.#evict(connection);
    }
  }

  /** The bounded rows as a table, made once for each dataset version and bounding query, the salt and filter in it. */
  async #boundedTable(
    connection: DuckDBConnection,
    bounded: RawBuilder<unknown>,
    version: string,
  ): Promise<BoundedTable> {
    const { text, parameters } = compile(bounded);
    const key = createHash("sha256")
      .update(JSON.stringify([version, text, parameters]))
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
        // Whoever was making it was interrupted: make it here.
        found.users -= 1;
      }
    }
    const name = `bounded_${++this.#tables}`;
    const made = query(connection, { text: `CREATE TABLE ${name} AS ${text}`, parameters });
    const table: BoundedTable = { name, made, users: 1 };
    this.#cached.set(key, table);
    try {
      await made;
      return table;
    } catch (error) {
      if (this.#cached.get(key) === table) this.#cached.delete(key);
      throw error;
    }
  }

  /** By number, not by size: what is kept must not depend on private counts. */
  async #evict(connection: DuckDBConnection): Promise<void> {
    for (const [key, table] of this.#cached) {
      if (this.#cached.size <= this.#mostCached) return;
      if (table.users > 0) continue;
      this.#cached.delete(key);
      await connection.run(`DROP TABLE IF EXISTS ${table.name}`);
    }
  }
}

/** All cells in declared order: what SQL did not find is there as zero and gets noise too. */
function vectorOf(statistic: BoundedStatistic, rows: readonly (readonly unknown[])[]): readonly bigint[] {
  const row = statisticOf(statistic.statistic);
  const found = new Map(
    rows.map(([cell, ...aggregates]) => [Number(cell), aggregates.map((value) => BigInt(value as bigint))]),
  );
  const empty = row.aggregates.map(() => 0n);
  return Array.from({ length: measuredCells(statistic) }, (_, cell) =>
    row.integers(found.get(cell) ?? empty, statistic),
  ).flat();
}
