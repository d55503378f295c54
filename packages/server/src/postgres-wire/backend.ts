import type { Analysed } from "./analysis/analyse.ts";
import type { Refused } from "./analysis/reading.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Answered, messagesIn, query, type Status } from "./encode.ts";
import type { Lease, Pool } from "./pool.ts";
import { quotedText } from "./sql-words.ts";
import { WireError } from "./sqlstate.ts";
import type { Variables } from "./variables.ts";

export interface BackendOptions {
  readonly pool: Pool;
  readonly catalogue: () => Promise<Catalogue>;
  readonly variables: Variables;
  readonly token: string;
  readonly person: string;
  readonly user: string;
  readonly database: string;
  /** What came with the connection. */
  readonly settings: readonly (readonly [string, string])[];
  /** Counts bytes that wait to be sent, until it is called back; refuses too many. */
  readonly hold: (bytes: number) => () => void;
}

/**
 * One session's PostgreSQL: a shared process for the time of a transaction, which takes up the settings of the session, and the transaction
 * where another session needed the process in between.
 */
// long: operations over one session's process
export function openBackend({ pool, catalogue, variables, settings, hold, ...who }: BackendOptions) {
  let lease: Lease | null = null;
  let status: Status = "I";
  let wasFailed = false;
  let generation = 0;
  let pushed = -1;
  let isInBatch = false;
  /** Of the session, of the transaction, and what began it. */
  let kept: readonly string[] = settings.map(
    ([name, value]) => `SELECT set_config(${quotedText(name)}, ${quotedText(value)}, false)`,
  );
  let pending: readonly string[] = [];
  let begun: readonly string[] = [];
  let isPinned = false;
  let isHeld = false;
  let running = 0;
  let unsent = (): void => undefined;

  const leave = (): void => {
    lease?.release();
    lease = null;
  };
  const giveBack = (isForced: boolean): boolean => {
    if (lease === null || running > 0 || (!isForced && (isInBatch || isPinned))) return false;
    leave();
    return true;
  };

  async function quietly(one: Lease, text: string): Promise<void> {
    await one.run(query(text));
  }

  /** All at once; where one of them is refused, each alone. */
  async function together(one: Lease, texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    const said = messagesIn(await one.run(query(texts.join(";\n"))));
    if (said.some(({ type }) => type === "E")) for (const text of texts) await quietly(one, text);
  }

  async function leased(signal: AbortSignal): Promise<Lease> {
    if (lease !== null && !lease.isOver()) return lease;
    const tables = await catalogue();
    const one = await pool.lease(tables, { ...who, giveBack }, signal);
    lease = one;
    generation += 1;
    pushed = -1;
    await together(one, kept);
    await verify(one);
    for (const text of begun) await quietly(one, text);
    if (status === "E") await quietly(one, FAIL);
    return one;
  }

  /** Whatever settings came: no one is its owner, and nothing is written. */
  async function verify(one: Lease): Promise<void> {
    if (messagesIn(await one.run(query(VERIFIED))).some(({ type }) => type === "D")) return;
    const why = new WireError(
      { severity: "FATAL", code: "42501" },
      "settings of the session would give it more rights",
    );
    one.end(why);
    throw why;
  }

  async function push(one: Lease): Promise<void> {
    if (pushed === variables.changes() || status === "E") return;
    pushed = variables.changes();
    const calls = variables
      .all()
      .map(([name, value]) => `set_config(${quotedText(name)}, ${quotedText(value)}, false)`);
    await quietly(one, `SELECT ${calls.join(", ")}`);
  }

  /** While it runs, no one else gets the process. */
  async function using<T>(signal: AbortSignal, work: (one: Lease) => Promise<T>): Promise<T> {
    isInBatch = true;
    running += 1;
    try {
      const one = await leased(signal).catch((error: unknown) => {
        throw signal.aborted ? cancelled() : error;
      });
      if (signal.aborted) throw cancelled();
      const stop = () => one.end(cancelled());
      signal.addEventListener("abort", stop, { once: true });
      try {
        return await work(one);
      } catch (error) {
        if (one.isOver()) {
          lease = null;
          if (status === "T") status = "E";
        }
        throw error;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    } finally {
      running -= 1;
    }
  }

  return {
    status: () => status,
    isLeased: () => lease !== null && !lease.isOver(),
    generation: () => generation,
    /** What the process says to these messages. Its ReadyForQuery is kept as the status, and not said. */
    async run(bytes: Buffer, signal: AbortSignal, isSynced = true): Promise<readonly Answered[]> {
      return using(signal, async (one) => {
        if (isSynced) await push(one);
        const answer = await one.run(bytes);
        const said = messagesIn(answer);
        const last = said.findLast(({ type }) => type === "Z");
        wasFailed = status === "E";
        if (last !== undefined) status = last.body.toString("latin1") as Status;
        unsent();
        unsent = () => undefined;
        unsent = hold(answer.length);
        return said.filter(({ type }) => type !== "Z");
      });
    },
    analyse: (text: string, names: readonly string[], signal: AbortSignal): Promise<readonly Analysed[] | Refused> =>
      using(signal, (one) => one.analyse(text, names)),
    /** Pushes our settings, before statements of a batch that has no synchronisation point of its own. */
    prepare: (signal: AbortSignal): Promise<void> => using(signal, push),
    /** Remembers what a statement that succeeded has left. */
    note({ kind, transaction, setting }: Pick<Analysed, "kind" | "transaction" | "setting">, text: string): void {
      if (kind === "TransactionStmt") {
        if (status === "I") {
          if (transaction === "COMMIT" && !wasFailed) kept = [...kept, ...pending];
          [pending, begun, isPinned] = [[], [], false];
        } else begun = [...begun, text];
      } else if (kind === "VariableSetStmt") {
        if (setting?.name === "all") kept = [];
        if (status !== "I") begun = [...begun, text];
        if (!setting?.isLocal) {
          if (status === "I") kept = [...kept.slice(-MAX_KEPT), text];
          else pending = [...pending.slice(-MAX_KEPT), text];
        }
      } else if (kind === "DeclareCursorStmt") isPinned = true;
      else if (kind === "DiscardStmt") {
        kept = [];
        leave();
      }
      if (begun.length > MAX_KEPT) isPinned = true;
    },
    /** What has run since the last synchronisation point is in this process alone. */
    hold(): void {
      isHeld = true;
    },
    /** While answers are waited for, the process is for others where it can be. */
    rest(): void {
      if (isHeld) return;
      isInBatch = false;
      if (status === "I") leave();
    },
    pin(): void {
      if (status !== "I") isPinned = true;
    },
    /** An error of ours, which breaks a transaction as one of PostgreSQL does. */
    async fail(): Promise<void> {
      if (status !== "T") return;
      status = "E";
      if (lease !== null && !lease.isOver()) await quietly(lease, FAIL).catch(leave);
    },
    /** The end of a batch: between transactions, the process is for others. */
    settle(): void {
      isInBatch = false;
      isHeld = false;
      unsent();
      if (status === "I") leave();
    },
    close(): void {
      unsent();
      status = "I";
      leave();
    },
  };
}

export type Backend = ReturnType<typeof openBackend>;

const cancelled = (): WireError => new WireError({ code: "57014" }, "the statement was cancelled");
const VERIFIED =
  "SELECT 1 WHERE pg_catalog.current_setting('transaction_read_only') = 'on' AND pg_catalog.current_setting('is_superuser') = 'off' AND session_user <> 'postgres' AND session_user = current_user";
const FAIL = "the transaction has failed";
/** Statements that are said again to a new process. */
const MAX_KEPT = 100;
