import { PrivacyError } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import type { PrincipalId } from "@dosimeter/ledger";
import { noLongerWanted } from "./thread.ts";

/** Does work for a person once what they asked for before is done. */
export type InTurn = <T>(who: PrincipalId, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/**
 * One thing at a time for each person, so that in a queue behind it no one has more than one. RATE_LIMITED above `most` that wait, NOT_READY for
 * a caller who has left.
 */
export function openTurns(most: number): InTurn {
  const lines = new Map<PrincipalId, { waiting: number; readonly turn: ReturnType<typeof oneAfterAnother> }>();
  return async (who, signal, work) => {
    const line = lines.get(who) ?? { waiting: 0, turn: oneAfterAnother() };
    if (line.waiting >= most)
      throw new PrivacyError("RATE_LIMITED", { seconds: 10 }, `${most} questions of yours wait; try again soon`);
    lines.set(who, line);
    line.waiting += 1;
    try {
      return await line.turn(async () => {
        if (signal.aborted) throw noLongerWanted();
        return work();
      });
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) lines.delete(who);
    }
  };
}
