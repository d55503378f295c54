import type { Analysed } from "./analyse.ts";
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
  readonly user: string;
  readonly database: string;
  /** What came with the connection. */
  readonly settings: readonly (readonly [string, string])[];
}

/**
 * One session's PostgreSQL: a shared process for the time of a transaction, which takes up the settings of the session, and the transaction
 * where another session needed the process in between.
 */
// long: operations over one session's process
export function openBackend({ pool, catalogue, variables, user, database, settings }: BackendOptions) {
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

  const leave = (): void => {
    lease?.release();
    lease = null;
  };
  const giveBack = (): boolean => {
    if (isInBatch || isPinned || lease === null) return false;
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
    const one = await pool.lease(tables, { user, database, giveBack }, signal);
    lease = one;
    generation += 1;
    pushed = -1;
    await together(one, kept);
    for (const text of begun) await quietly(one, text);
    if (status === "E") await quietly(one, FAIL);
    return one;
  }

  async function push(one: Lease): Promise<void> {
    if (pushed === variables.changes() || status === "E") return;
    pushed = variables.changes();
    const calls = variables
      .all()
      .map(([name, value]) => `set_config(${quotedText(name)}, ${quotedText(value)}, false)`);
    await quietly(one, `SELECT ${calls.join(", ")}`);
  }

  return {
    status: () => status,
    isLeased: () => lease !== null && !lease.isOver(),
    generation: () => generation,
    /** What the process says to these messages. Its ReadyForQuery is kept as the status, and not said. */
    async run(bytes: Buffer, signal: AbortSignal, isSynced = true): Promise<readonly Answered[]> {
      isInBatch = true;
      const one = await leased(signal);
      if (isSynced) await push(one);
      const stop = () => one.end(new WireError({ code: "57014" }, "the statement was cancelled"));
      signal.addEventListener("abort", stop, { once: true });
      try {
        const said = messagesIn(await one.run(bytes));
        const last = said.findLast(({ type }) => type === "Z");
        wasFailed = status === "E";
        if (last !== undefined) status = last.body.toString("latin1") as Status;
        return said.filter(({ type }) => type !== "Z");
      } catch (error) {
        lease = null;
        if (status === "T") status = "E";
        throw error;
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    /** Pushes our settings, before statements of a batch that has no synchronisation point of its own. */
    async prepare(signal: AbortSignal): Promise<void> {
      isInBatch = true;
      await push(await leased(signal));
    },
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
      if (status === "I") leave();
    },
    close(): void {
      status = "I";
      leave();
    },
  };
}

export type Backend = ReturnType<typeof openBackend>;

const FAIL = "the transaction has failed";
/** Statements that are said again to a new process. */
const MAX_KEPT = 100;
