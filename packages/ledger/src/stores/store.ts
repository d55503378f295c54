import type { Kysely } from "kysely";
import type { Tables } from "./tables.ts";

/** A value of a column. INTEGER columns read back as `bigint`; amounts never pass through a double. */
export type Value = string | bigint | null;
export type Row = Readonly<Record<string, Value>>;

/** A query, `?` for values. */
export interface Question {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** One open write transaction. Nothing it writes is visible or durable before the store says so. */
export interface Tx {
  /** Ordinary queries, typed. */
  readonly db: Kysely<Tables>;
  /** Numbers the transactions. When it is one more than that of an earlier one, that one committed and no process wrote since. */
  readonly serial: bigint;
  /** For frequent statements: prepared once per text, `?` for values. */
  get(sql: string, values: readonly Value[]): Promise<Row | undefined>;
  all(sql: string, values: readonly Value[]): Promise<readonly Row[]>;
  run(sql: string, values: readonly Value[]): Promise<void>;
  /** Runs one statement for each row, in order. A write may be refused as late as the commit, with all before it. */
  many(sql: string, rows: readonly (readonly Value[])[]): Promise<void>;
}

/** The VALUES at the end of an INSERT, which repeat for more rows. */
export const ROW = /\((?:\?, )*\?\)$/;

/** The database refused a write that was sent without waiting: the transaction is rolled back and may be tried again. */
export class WriteRefused extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** A database. The kit in `store.kit.ts` is the specification. */
export interface Store {
  readonly kind: "sqlite" | "postgres";
  /**
   * Runs `body` alone, after all transactions before it; resolves once its writes would survive a power cut. Its first
   * queries can be given as `ahead` and are sent with the request for the lock; `read` returns their results, in order. A store
   * may assume that they find nothing, and roll back and run `body` again with the results if they do. NOT_READY on another copy of the
   * database than the one that was vouched for, or than `compares`: the one that `body` compares first, or null for whichever it is.
   */
  transact<T>(
    body: (tx: Tx, read: readonly (readonly Row[])[]) => Promise<T>,
    ahead?: readonly Question[],
    compares?: string | null,
  ): Promise<T>;
  /** Reads one committed state, whatever is written in the meantime. */
  snapshot<T>(body: (db: Kysely<Tables>) => Promise<T>): Promise<T>;
  /** Committed state; each query sees the newest. */
  readonly read: Kysely<Tables>;
  /** ISO 8601, UTC, milliseconds: the clock of the store, never of a caller. */
  now(): string;
  /** Lower-case hexadecimal. */
  sha256(text: string): string;
  /** Problems of the database below its rows: damaged pages, indexes that differ from their tables. */
  pageProblems(): Promise<readonly string[]>;
  /**
   * Names this copy of the database where the server says so: a dump that was restored, a standby that was promoted and a state of an
   * earlier time have another name. Null for a file, which looks the same wherever it was copied from.
   */
  copy(): Promise<string | null>;
  /** Lets other processes on the same database see, for some seconds, that this one knows this copy to be the newest. */
  vouch(copy: string | null): Promise<void>;
  /** Whether a process on the same database does so now. */
  isVouched(): Promise<boolean>;
  /** Connections that are open, in use, and requests that wait for one; null where there is no pool. */
  connections(): { readonly open: number; readonly inUse: number; readonly waiting: number } | null;
  close(): Promise<void>;
}
