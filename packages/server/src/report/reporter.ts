import { formatDelta, formatEpsilon, formatResidue } from "@dosimeter/core";
import type { ReportQuestion, SpendReport } from "@dosimeter/ledger";
import { openThread } from "./thread.ts";

/** Makes reports in one thread of its own; the same question about the same ledger head is answered once. */
export interface Reporter {
  /** RATE_LIMITED when too many wait already. */
  report(question: ReportQuestion): Promise<SpendReport>;
  close(): Promise<void>;
}

const MOST_KEPT = 64;

export function openReporter(): Reporter {
  const thread = openThread<ReportQuestion, SpendReport>("report.worker");
  const kept = new Map<string, Promise<SpendReport>>();
  return {
    report(question) {
      const key = keyOf(question);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const asked = thread.ask(question);
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

/** All that a report depends on: the head of the ledger stands for its lines, the caps for every move of quota. */
function keyOf({ history, delta, threshold }: ReportQuestion): string {
  const { node, head, path, standing, quota } = history;
  const caps = path.map(({ caps: { epsilon, delta: room, residue } }) => [
    formatEpsilon(epsilon),
    formatDelta(room),
    formatResidue(residue),
  ]);
  return JSON.stringify([
    node,
    head.hash,
    caps,
    standing,
    formatEpsilon(quota.epsilon),
    formatDelta(quota.delta),
    delta,
    threshold,
  ]);
}
