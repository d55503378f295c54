import type { ChargeId } from "@dosimeter/ledger";

/** Wakes callers who wait for the stage of a charge to change. */
interface StageChanges {
  /** Resolves at the next change, when the time is up, or when the signal aborts. */
  next(charge: ChargeId, options: { readonly seconds: number; readonly signal?: AbortSignal }): Promise<void>;
  tell(charge: ChargeId): void;
  tellAll(): void;
}

export function openStageChanges(): StageChanges {
  const waiting = new Map<ChargeId, Set<() => void>>();
  const tell = (charge: ChargeId): void => {
    for (const wake of waiting.get(charge) ?? []) wake();
  };
  return {
    next(charge, { seconds, signal }) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakers = waiting.get(charge) ?? new Set();
      waiting.set(charge, wakers.add(resolve));
      const timer = setTimeout(resolve, seconds * 1000);
      signal?.addEventListener("abort", () => resolve(), { once: true });
      return promise.finally(() => {
        clearTimeout(timer);
        wakers.delete(resolve);
        if (wakers.size === 0) waiting.delete(charge);
      });
    },
    tell,
    tellAll() {
      for (const charge of waiting.keys()) tell(charge);
    },
  };
}
