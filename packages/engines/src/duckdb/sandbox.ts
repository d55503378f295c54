import { availableParallelism } from "node:os";
import type { Sql } from "@dosimeter/query/dialect";
import {
  BOOLEAN,
  DOUBLE,
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  VARCHAR,
} from "@duckdb/node-api";

export interface SandboxOptions {
  /** The only folder that may be read. */
  readonly root: string;
  /** Where large intermediate results may spill; private rows end up here. */
  readonly temporaryDirectory: string;
  /** One less than the processors when absent, so that the event loop keeps one. */
  readonly threads?: number;
  /** "2GB" when absent. */
  readonly memoryLimit?: string;
  /** What may spill at once; "16GB" when absent. */
  readonly temporaryLimit?: string;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/**
 * An in-memory DuckDB that can read one folder and nothing else: no extensions, no network, no other paths, and a locked
 * configuration. It can still write inside that folder, so only SQL from `sql.ts` may ever run here.
 */
export async function openSandbox(options: SandboxOptions): Promise<DuckDBInstance> {
  const { root, temporaryDirectory, threads = Math.max(1, availableParallelism() - 1) } = options;
  const { memoryLimit = "2GB", temporaryLimit = "16GB" } = options;
  const instance = await DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: memoryLimit,
    temp_directory: temporaryDirectory,
    max_temp_directory_size: temporaryLimit,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    allow_community_extensions: "false",
    preserve_insertion_order: "false",
    // Dense unit numbers and leaves are counted in an array, not in a hash table: up to 2²⁰ entries a thread, 40 ms of work
    // where the rows are few.
    perfect_ht_threshold: "20",
  });
  const connection = await instance.connect();
  try {
    await connection.run(`SET allowed_directories = [${quoted(root)}]`);
    await connection.run("SET enable_external_access = false");
    await connection.run("SET lock_configuration = true");
  } finally {
    connection.closeSync();
  }
  return instance;
}

/** Milliseconds. */
const INTERRUPT_EVERY = 50;

/**
 * A connection for one job: long-lived ones leak. An abort interrupts the running query, and every later one: DuckDB forgets an interrupt that
 * comes between two, or while one is planned.
 */
export async function withConnection<T>(
  instance: DuckDBInstance,
  signal: AbortSignal | undefined,
  job: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const connection = await instance.connect();
  let again: NodeJS.Timeout | undefined;
  const interrupt = (): void => {
    connection.interrupt();
    again ??= setInterval(interrupt, INTERRUPT_EVERY);
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    const result = await job(connection);
    signal?.throwIfAborted();
    return result;
  } finally {
    signal?.removeEventListener("abort", interrupt);
    clearInterval(again);
    connection.closeSync();
  }
}

export async function query(connection: DuckDBConnection, sql: Sql): Promise<readonly (readonly unknown[])[]> {
  const reader = await connection.runAndReadAll(...bound(sql));
  return reader.getRows();
}

/** The rows of a query as they come, some at a time: all of them may be more than this process can hold. */
export async function* streamed(
  connection: DuckDBConnection,
  sql: Sql,
): AsyncGenerator<readonly (readonly unknown[])[], void> {
  const result = await connection.stream(...bound(sql));
  yield* result.yieldRows();
}

/** Without a type the driver binds 1e300 as an integer and fails. */
function bound({ text, parameters }: Sql): [string, DuckDBValue[], DuckDBType[]] {
  const typeOf = (value: DuckDBValue) =>
    typeof value === "number" ? DOUBLE : typeof value === "string" ? VARCHAR : BOOLEAN;
  return [text, [...parameters], parameters.map(typeOf)];
}
