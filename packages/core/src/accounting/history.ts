import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import type { Work } from "../work.ts";
import type { Method } from "./loss.ts";
import { accountantNamed, lossOf } from "./report.ts";
import { readSpends } from "./spends.ts";

/** The total after some of the spends. */
export interface HistoryPoint {
  /** Number of spends so far; a line repeated n times counts as n spends. */
  readonly spends: number;
  readonly epsilon: number;
}

/**
 * A total over time: ε at δ after each of about `points` prefixes of the list, each as if it had been fixed in advance.
 * A method that cannot price the list, or not with this work, has no points. The neighbour relation is that of the whole list; ADJACENCY_MISMATCH.
 */
export function lossHistory(
  events: readonly DpEvent[],
  {
    delta,
    method,
    points = 24,
    adjacency: given,
    work,
  }: {
    readonly delta: number;
    readonly method: Method;
    readonly points?: number;
    readonly adjacency?: EventAdjacency | undefined;
    readonly work?: Work;
  },
): readonly HistoryPoint[] {
  const { adjacency } = readSpends(events, given);
  const accountant = accountantNamed(method);
  const lines = events.map((event) => (event.kind === "repeated" ? event : { count: 1, event }));
  const total = lines.reduce((sum, { count }) => sum + count, 0);
  const steps = Math.min(points, total);
  const stops = Array.from({ length: steps + 1 }, (_, i) => (steps === 0 ? 0 : Math.round((i * total) / steps)));
  try {
    return stops.map((spends) => ({
      spends,
      epsilon: lossOf(readSpends(firstOf(lines, spends), adjacency, "events", work), { delta }, accountant).epsilon,
    }));
  } catch (error) {
    if (error instanceof PrivacyError && (error.code === "UNSUPPORTED_EVENT" || error.code === "TOO_MUCH_WORK"))
      return [];
    throw error;
  }
}

/** The first `count` spends of a list of repeated events. */
function firstOf(
  lines: readonly { readonly count: number; readonly event: DpEvent }[],
  spends: number,
): readonly DpEvent[] {
  let left = spends;
  return lines.flatMap(({ count, event }): DpEvent[] => {
    const taken = Math.min(count, left);
    left -= taken;
    return taken === 0 ? [] : [{ kind: "repeated", count: taken, event }];
  });
}
