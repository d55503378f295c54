import { Worker } from "node:worker_threads";
import { formatDelta, formatEpsilon, formatResidue, PrivacyError } from "@dosimeter/core";
import type { ReportQuestion, SpendReport } from "@dosimeter/ledger";

/** Makes reports in one thread of its own; the same question about the same ledger head is answered once. */
export interface Reporter {
  /** RATE_LIMITED when too many wait already. */
  report(question: ReportQuestion): Promise<SpendReport>;
  close(): Promise<void>;
}

const MOST_KEPT = 64;
const MOST_WAITING = 100;

interface Reply {
  readonly id: number;
  readonly report?: SpendReport;
  readonly problem?: unknown;
}

export function openReporter(): Reporter {
  const kept = new Map<string, Promise<SpendReport>>();
  const waiting = new Map<number, PromiseWithResolvers<SpendReport>>();
  let worker: Worker | null = null;
  let next = 0;

  function thread(): Worker {
    if (worker !== null) return worker;
    const started = new Worker(new URL(fileOf("report.worker"), import.meta.url), {
      execArgv: process.execArgv.filter((flag) => !flag.startsWith("--input-type")),
    });
    started.unref();
    started.on("message", ({ id, report, problem }: Reply) => {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (report === undefined) asked?.reject(problem);
      else asked?.resolve(report);
    });
    const fail = (error: unknown) => {
      if (worker === started) worker = null;
      for (const asked of waiting.values()) asked.reject(error);
      waiting.clear();
    };
    started.on("error", fail);
    started.on("exit", () => fail(new PrivacyError("INTERNAL")));
    worker = started;
    return started;
  }

  function ask(question: ReportQuestion): Promise<SpendReport> {
    if (waiting.size >= MOST_WAITING) {
      throw new PrivacyError("RATE_LIMITED", {}, "too many reports are being made; try again soon");
    }
    const asked = Promise.withResolvers<SpendReport>();
    next += 1;
    waiting.set(next, asked);
    thread().postMessage({ id: next, question });
    return asked.promise;
  }

  return {
    report(question) {
      const key = keyOf(question);
      const known = kept.get(key);
      if (known !== undefined) return known;
      const asked = ask(question);
      kept.set(key, asked);
      asked.catch(() => kept.delete(key));
      for (const [oldest] of kept) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
      }
      return asked;
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** The source in a checkout, what was built of it in a package. */
const fileOf = (name: string): string => `./${name}${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`;

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
