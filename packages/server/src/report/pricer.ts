import { freeQuota } from "@dosimeter/core";
import type { planQuotes } from "@dosimeter/core/accounting";
import type { FreeQuota, Quotes } from "@dosimeter/ledger";
import { openThread } from "./thread.ts";

/** What takes long to compute for the ledger, in threads of their own. */
interface Pricer {
  /** A plan at the same r is priced once: people look at a quote before they pay it. */
  readonly quotes: Quotes;
  /** Short histories are replayed here: that takes less than the way there. */
  readonly freeQuota: FreeQuota;
  close(): Promise<void>;
}

const MAX_KEPT = 200;

/** Charges that are replayed in a few milliseconds. */
const SHORT = 500;
/** Every account of a page is asked about at once. */
const MAX_ACCOUNTS = 10_000;

export function openPricer(): Pricer {
  const thread = openThread<Parameters<typeof planQuotes>, ReturnType<typeof planQuotes>>("quotes.worker");
  const replayer = openThread<Parameters<typeof freeQuota>, ReturnType<typeof freeQuota>>("free-quota.worker", {
    most: MAX_ACCOUNTS,
  });
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
        if (kept.size <= MAX_KEPT) break;
        kept.delete(oldest);
      }
      return asked;
    },
    freeQuota: (...use) => (use[2].history.length < SHORT ? freeQuota(...use) : replayer.ask(use)),
    close: async () => {
      await Promise.all([thread.close(), replayer.close()]);
    },
  };
}
