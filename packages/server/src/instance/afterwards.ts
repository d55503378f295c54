import { randomInt } from "node:crypto";
import { errorFields, type Log } from "../telemetry/log.ts";

/** Work whose duration no caller may see. */
interface Afterwards {
  /** Begins this at a random moment of the next second. */
  readonly later: (work: () => Promise<void>) => void;
  /** Begins what waits now; resolves when all is done. */
  readonly settled: () => Promise<void>;
}

const MAX_DELAY_MS = 1000;

export function openAfterwards(log: Log): Afterwards {
  const waiting = new Map<NodeJS.Timeout, () => void>();
  const running = new Set<Promise<void>>();

  function run(work: () => Promise<void>): void {
    const done: Promise<void> = work()
      .catch((error: unknown) => log.error("AFTERWARDS_FAILED", errorFields(error)))
      .finally(() => running.delete(done));
    running.add(done);
  }

  return {
    later(work) {
      const timer = setTimeout(() => {
        waiting.delete(timer);
        run(work);
      }, randomInt(MAX_DELAY_MS));
      waiting.set(timer, () => run(work));
    },
    async settled() {
      for (const [timer, begin] of waiting) {
        clearTimeout(timer);
        begin();
      }
      waiting.clear();
      await Promise.all(running);
    },
  };
}
