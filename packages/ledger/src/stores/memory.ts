import type { Tx } from "./store.ts";

/** What one transaction leaves for the next, so that it need not be read again. Forgotten as soon as anyone else writes. */
export interface Memory<T> {
  recall(tx: Tx): T | undefined;
  /** Of no use unless `tx` commits: the numbers of transactions see to that. */
  keep(tx: Tx, value: T): void;
}

export function memory<T>(): Memory<T> {
  let kept: { readonly serial: bigint; readonly value: T } | undefined;
  return {
    recall: ({ serial }) => (kept !== undefined && kept.serial + 1n === serial ? kept.value : undefined),
    keep: ({ serial }, value) => {
      kept = { serial, value };
    },
  };
}
