import { PrivacyError } from "@dosimeter/core";
import { connectionErrorCode } from "./connection-error.ts";
import { type Question, type Row, type Store, type Tx, WriteRefused } from "./store.ts";

/** A group of items in one transaction. `one` may refuse its item with a PrivacyError before it writes; the others go on. */
interface Batch<In, Out> {
  one(item: In): Promise<Out>;
  /** Writes what was held back until the last item. */
  settle(): Promise<void>;
}

interface GroupOptions<In, Out> {
  readonly store: Store;
  /** The queries to run first for these items. */
  ahead?(items: readonly In[]): readonly Question[];
  /** Gets all items, so that it can read at once what they need, and the results of the first queries. */
  open(tx: Tx, items: readonly In[], read: readonly (readonly Row[])[]): Promise<Batch<In, Out>>;
  /** Called when the group's commit is durable, before anyone hears of it. */
  committed?(): void;
  readonly most: number;
}

interface Waiting<In, Out> {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (error: unknown) => void;
}

type Settled<Out> = { readonly out: Out } | { readonly error: unknown };

/**
 * Group commit: items that arrive in the same turn of the event loop share one transaction and one sync to disk.
 * Items are decided one after another, each after all before it. No result is given out before the commit is durable.
 * An item that throws rolls its group's transaction back; then each item runs again in a transaction of its own. When the
 * database is unreachable, all items get that error at once. 64 callers charge 7 to 8 times as often as with a commit each.
 */
export function grouped<In, Out>(options: GroupOptions<In, Out>): (item: In) => Promise<Out> {
  const { store, ahead, open, committed, most } = options;
  const waiting: Waiting<In, Out>[] = [];
  let scheduled = false;

  async function commit(group: readonly Waiting<In, Out>[]): Promise<void> {
    let broken = false;
    const breaks = (error: unknown): never => {
      broken = true;
      throw error;
    };
    const items = group.map(({ item }) => item);
    try {
      const results = await store.transact(async (tx, read) => {
        const batch = await open(tx, items, read).catch(breaks);
        const settled: Settled<Out>[] = [];
        for (const item of items) {
          try {
            settled.push({ out: await batch.one(item) });
          } catch (error) {
            settled.push(error instanceof PrivacyError ? { error } : breaks(error));
          }
        }
        await batch.settle().catch(breaks);
        return settled;
      }, ahead?.(items));
      committed?.();
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result !== undefined && "out" in result) resolve(result.out);
        else reject(result?.error);
      });
    } catch (error) {
      const mayStand = (broken || error instanceof WriteRefused) && connectionErrorCode(error) === null;
      if (mayStand && group.length > 1) for (const item of group) await commit([item]);
      else for (const { reject } of group) reject(error);
    }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) await commit(waiting.splice(0, most));
    scheduled = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      setImmediate(() => void flush());
    });
}
