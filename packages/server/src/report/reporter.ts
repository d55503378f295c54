import { formatDelta, formatEpsilon, formatMu2 } from "@dosimeter/core";
import type { ReportQuestion, SpendReport } from "@dosimeter/ledger";
import { noLongerWanted, openThread } from "../threads/thread.ts";

/** Makes reports in its own thread; one report for the same question and ledger head. */
export interface Reporter {
  /** Stops when the last waiting caller leaves, with NOT_READY. RATE_LIMITED when too many wait already. */
  report(question: ReportQuestion, signal?: AbortSignal): Promise<SpendReport>;
  close(): Promise<void>;
}

interface Kept {
  readonly answer: Promise<SpendReport>;
  readonly end: AbortController;
  waiting: number;
}

const MAX_KEPT = 64;

export function openReporter(): Reporter {
  const thread = openThread<ReportQuestion, SpendReport>("report.worker", import.meta.url, { isOneByOne: true });
  const kept = new Map<string, Kept>();

  function begin(key: string, question: ReportQuestion): Kept {
    const end = new AbortController();
    const one: Kept = { answer: thread.ask(question, end.signal), end, waiting: 0 };
    kept.set(key, one);
    one.answer.catch(() => forget(key, one));
    for (const [oldest] of kept) {
      if (kept.size <= MAX_KEPT) break;
      kept.delete(oldest);
    }
    return one;
  }

  function forget(key: string, one: Kept): void {
    if (kept.get(key) === one) kept.delete(key);
  }

  return {
    async report(question, signal) {
      if (signal?.aborted) throw noLongerWanted();
      const key = keyOf(question);
      const one = kept.get(key) ?? begin(key, question);
      one.waiting += 1;
      const leave = () => {
        one.waiting -= 1;
        if (one.waiting > 0) return;
        forget(key, one);
        one.end.abort();
      };
      signal?.addEventListener("abort", leave);
      try {
        return await one.answer;
      } finally {
        signal?.removeEventListener("abort", leave);
      }
    },
    close: () => thread.close(),
  };
}

/** All that a report depends on: the head of the ledger, for its lines, and the caps, for changes of quota. */
function keyOf({ history, delta, threshold }: ReportQuestion): string {
  const { node, head, path, admissionTerms, quota } = history;
  const caps = path.map(({ caps: { epsilon, delta: room, mu2 } }) => [
    formatEpsilon(epsilon),
    formatDelta(room),
    formatMu2(mu2),
  ]);
  return JSON.stringify([
    node,
    head.hash,
    caps,
    admissionTerms,
    formatEpsilon(quota.epsilon),
    formatDelta(quota.delta),
    delta,
    threshold,
  ]);
}
