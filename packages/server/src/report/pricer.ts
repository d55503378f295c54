import { freeQuota, PrivacyError } from "@dosimeter/core";
import type { planQuotes } from "@dosimeter/core/accounting";
import type { Certified, FreeQuota, Quotes } from "@dosimeter/ledger";
import { openThread } from "../threads/thread.ts";
import type { CertifiedAnswer, CertifiedList } from "./certified.worker.ts";

/** The slow computations of the ledger, in their own threads. */
interface Pricer {
  /** Prices are kept by plan and r, since the same plan is first quoted and then paid. */
  readonly quotes: Quotes;
  /** Short histories are replayed in this thread, so that no other is started for them. */
  readonly freeQuota: FreeQuota;
  readonly certified: Certified;
  close(): Promise<void>;
}

const MAX_KEPT = 200;

/** The most charges that are replayed in this thread: up to 15 ms, and 13 ms in a thread that runs already. */
const SHORT = 500;
/** A page asks about all of its accounts at once. */
const MAX_ACCOUNTS = 10_000;

export function openPricer(): Pricer {
  const thread = openThread<Parameters<typeof planQuotes>, ReturnType<typeof planQuotes>>(
    "quotes.worker",
    import.meta.url,
  );
  const replayer = openThread<Parameters<typeof freeQuota>, ReturnType<typeof freeQuota>>(
    "free-quota.worker",
    import.meta.url,
    {
      most: MAX_ACCOUNTS,
    },
  );
  const certifier = openThread<CertifiedList, CertifiedAnswer>("certified.worker", import.meta.url);
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
    async certified(...list) {
      const answer = await certifier.ask(list);
      if ("event" in answer) return answer.event;
      throw new PrivacyError(answer.code, answer.details, answer.message);
    },
    close: async () => {
      await Promise.all([thread.close(), replayer.close(), certifier.close()]);
    },
  };
}
