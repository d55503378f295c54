import type { Context } from "../context.ts";
import { announce } from "../outbox/announce.ts";
import type { Tx } from "../stores/store.ts";
import { type Chain, openChain } from "./chain.ts";

/** One transaction that changes something: the change and its audit line are committed together or not at all. */
export async function change<T>(
  context: Context,
  body: (tx: Tx, chain: Chain) => Promise<T>,
  compares?: string | null,
): Promise<T> {
  return context.store.transact(
    async (tx) => {
      const chain = await openChain(context, tx);
      const result = await body(tx, chain);
      await announce(context, tx, chain.said);
      await chain.settle();
      return result;
    },
    [],
    compares,
  );
}
