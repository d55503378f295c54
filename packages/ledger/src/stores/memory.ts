import type { Tx } from "./store.ts";

/** Memory of one transaction for the next. Dropped as soon as another process writes. */
export interface Memory<T> {
  recall(tx: Tx): T | undefined;
  /** Valid only if `tx` commits, which the transaction numbers check. */
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
