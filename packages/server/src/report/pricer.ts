import type { planQuotes } from "@dosimeter/core/accounting";
import type { Quotes } from "@dosimeter/ledger";
import { openThread } from "./thread.ts";

/** Prices plans in a thread of its own; a plan at the same r is priced once: people look at a quote before they pay it. */
export interface Pricer {
  readonly quotes: Quotes;
  close(): Promise<void>;
}

const MOST_KEPT = 200;

export function openPricer(): Pricer {
  const thread = openThread<Parameters<typeof planQuotes>, ReturnType<typeof planQuotes>>("quotes.worker");
  const kept = new Map<string, ReturnType<Quotes>>();
  return {
    quotes(...plan) {
      const key = JSON.stringify(plan, (_, value) => (typeof value === "bigint" ? String(value) : value));
      const known = kept.get(key);
      if (known !== undefined) return known;
      const asked = thread.ask(plan);
      kept.set(key, asked);
      asked.catch(() => kept.delete(key));
      for (const [oldest] of kept) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
      }
      return asked;
    },
    close: () => thread.close(),
  };
}
