import { setTimeout as sleep } from "node:timers/promises";
import { type Address, call, MAX_BYTES, type Reply } from "./transport.ts";

/** What went wrong, in words of our own: Trino's quote values of rows. */
export type TrinoProblem =
  | "refused"
  | "unknownHost"
  | "untrusted"
  | "unauthorized"
  | "forbidden"
  | "denied"
  | "killed"
  | "tooLong"
  | "tooLarge"
  | "missing"
  | "unreachable"
  | "failed";

export class TrinoError extends Error {
  readonly problem: TrinoProblem;
  constructor(problem: TrinoProblem) {
    super(problem);
    this.problem = problem;
  }
}

export interface Coordinator extends Address {
  readonly user: string;
  /** Of the header Authorization; only with https, or on this machine. */
  readonly authorization: string | null;
  /** Holds the token, where it may change. */
  readonly tokenFile?: string | undefined;
  readonly catalog: string;
  /** Longest statement, in milliseconds. */
  readonly timeout: number;
}

export interface StatementOptions {
  readonly transaction?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Result {
  readonly rows: readonly (readonly unknown[])[];
  /** The transaction that the statement began. */
  readonly started: string | null;
}

interface Page {
  readonly nextUri?: string;
  readonly data?: readonly (readonly unknown[])[];
  readonly error?: { readonly errorName?: string };
}

const BUSY = new Set([429, 502, 503, 504]);
const MAX_TRIES = 6;
/** One request; the server answers after a second at the latest, whether it has rows or not. */
const REQUEST_MS = 20_000;
const CANCEL_MS = 5_000;

const PROBLEMS: Readonly<Record<string, TrinoProblem>> = {
  PERMISSION_DENIED: "denied",
  ADMINISTRATIVELY_KILLED: "killed",
  ADMINISTRATIVELY_PREEMPTED: "killed",
  USER_CANCELED: "killed",
  EXCEEDED_TIME_LIMIT: "tooLong",
  EXCEEDED_CPU_LIMIT: "tooLong",
  ABANDONED_QUERY: "tooLong",
  EXCEEDED_LOCAL_MEMORY_LIMIT: "tooLarge",
  EXCEEDED_GLOBAL_MEMORY_LIMIT: "tooLarge",
  CLUSTER_OUT_OF_MEMORY: "tooLarge",
  QUERY_TEXT_TOO_LARGE: "tooLarge",
  QUERY_HAS_TOO_MANY_STAGES: "tooLarge",
  CATALOG_NOT_FOUND: "missing",
  SCHEMA_NOT_FOUND: "missing",
  TABLE_NOT_FOUND: "missing",
};

/** A cluster may name any error, "constructor" too. */
const problemNamed = (name = ""): TrinoProblem =>
  (Object.hasOwn(PROBLEMS, name) ? PROBLEMS[name] : undefined) ?? "failed";

/**
 * Runs one statement and reads all of its rows: whole numbers beyond 2⁵³ as bigint, decimals as texts. Throws TrinoError. Once the
 * server has answered, the statement has ended there or a call to end it was sent; its own limit of time ends it else.
 */
export async function ask(
  at: Coordinator,
  statement: string,
  { transaction, signal }: StatementOptions = {},
): Promise<Result> {
  const ends = AbortSignal.timeout(at.timeout + REQUEST_MS);
  const stops = signal === undefined ? ends : AbortSignal.any([signal, ends]);
  const rows: (readonly unknown[])[] = [];
  let next: string | null = null;
  let started: string | null = null;
  let taken = 0;
  try {
    let { text, headers } = await send(at, "/v1/statement", stops, { body: statement, transaction });
    for (;;) {
      taken += bytesOf(text);
      if (taken > MAX_BYTES) throw new TrinoError("tooLarge");
      const page = parsed(text);
      started = headers["x-trino-started-transaction-id"]?.toString() ?? started;
      next = nextOf(at, page);
      if (page.error !== undefined) throw new TrinoError(problemNamed(page.error.errorName));
      for (const row of page.data ?? []) rows.push(row);
      if (next === null) return { rows, started };
      ({ text, headers } = await send(at, next, stops, { transaction }));
    }
  } catch (error) {
    throw error instanceof TrinoError ? error : new TrinoError(ends.aborted ? "tooLong" : problemOf(error));
  } finally {
    if (next !== null) await cancel(at, next);
  }
}

/** What the machine says when a call does not arrive. */
const UNSENT: Readonly<Record<string, TrinoProblem>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "unknownHost",
  SELF_SIGNED_CERT_IN_CHAIN: "untrusted",
  DEPTH_ZERO_SELF_SIGNED_CERT: "untrusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "untrusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "untrusted",
};

const problemOf = (error: unknown): TrinoProblem =>
  error instanceof RangeError
    ? "tooLarge"
    : (UNSENT[(error as { readonly code?: string } | null)?.code ?? ""] ?? "unreachable");

/** The path of the next page. Whatever host an answer names, credentials go to the one that was configured. */
function nextOf({ origin }: Coordinator, { nextUri }: Page): string | null {
  if (nextUri === undefined) return null;
  if (!URL.canParse(nextUri, origin)) throw new TrinoError("unreachable");
  const { pathname, search } = new URL(nextUri, origin);
  return pathname + search;
}

function headersOf(at: Coordinator, transaction: string | undefined): Record<string, string> {
  const seconds = `${Math.max(1, Math.ceil(at.timeout / 1000))}s`;
  return {
    "x-trino-user": at.user,
    "x-trino-source": "dosimeter",
    "x-trino-catalog": at.catalog,
    "x-trino-time-zone": "UTC",
    "x-trino-session": `query_max_run_time=${seconds},query_max_execution_time=${seconds}`,
    ...(transaction === undefined ? {} : { "x-trino-transaction-id": transaction }),
    ...(at.authorization === null ? {} : { authorization: at.authorization }),
  };
}

interface Sent {
  readonly body?: string;
  readonly transaction?: string | undefined;
}

/** A page, asked for again while the server is busy. A proxy may lose the answer to a statement that began: it reads, and then reads twice. */
async function send(
  at: Coordinator,
  path: string,
  stops: AbortSignal,
  { body, transaction }: Sent,
): Promise<Pick<Reply, "headers" | "text">> {
  for (let tries = 1; ; tries++) {
    const { status, headers, text } = await call(at, {
      method: body === undefined ? "GET" : "POST",
      path,
      body,
      headers: headersOf(at, transaction),
      signal: AbortSignal.any([stops, AbortSignal.timeout(REQUEST_MS)]),
    });
    if (status === 200) return { headers, text };
    if (status === 401) throw new TrinoError("unauthorized");
    if (status === 403) throw new TrinoError("forbidden");
    // Any other one is of no coordinator, or of one that restarted: it knows no statement of its life before.
    if (!BUSY.has(status) || tries === MAX_TRIES) throw new TrinoError("unreachable");
    await sleep(Math.min(2_000, 100 * 2 ** tries), undefined, { signal: stops });
  }
}

/** What a value takes in memory, at least, however short it is. */
const VALUE_BYTES = 32;
const [LIST, RECORD, NEXT] = [0x5b, 0x7b, 0x2c];

/** Of a page as it is read: a list of empty lists takes thirty times as much as its text. */
function bytesOf(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === NEXT || sign === LIST || sign === RECORD) bytes += VALUE_BYTES;
  }
  return bytes;
}

/** JSON whose whole numbers keep every digit. */
function parsed(text: string): Page {
  const exact = (_: string, value: unknown, context: { readonly source?: string }): unknown =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? BigInt(context.source ?? value)
      : value;
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown);
}

/** An aborted request alone would leave the statement running. */
async function cancel(at: Coordinator, path: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(CANCEL_MS);
    await call(at, { method: "DELETE", path, headers: headersOf(at, undefined), signal });
  } catch {
    // Its own limit of time ends it.
  }
}

/**
 * Statements that can only read, in one transaction: connectors with versions, Iceberg for one, show it one state of each table.
 */
export async function withTransaction<T>(
  at: Coordinator,
  signal: AbortSignal | undefined,
  job: (query: (statement: string) => Promise<Result["rows"]>) => Promise<T>,
): Promise<T> {
  const { started } = await ask(at, "START TRANSACTION READ ONLY", { transaction: "NONE", signal });
  if (started === null) throw new TrinoError("unreachable");
  const transaction = started;
  try {
    return await job(async (statement) => (await ask(at, statement, { transaction, signal })).rows);
  } finally {
    await ask({ ...at, timeout: CANCEL_MS }, "ROLLBACK", { transaction }).catch(() => undefined);
  }
}
