import type { DpEvent } from "../event.ts";
import type { EventAdjacency } from "../filter/adjacency.ts";
import { leastIndex } from "../numeric/root.ts";
import type { Work } from "../work.ts";
import type { Method } from "./loss.ts";
import { accountantNamed, lossOf } from "./report.ts";
import { readSpends } from "./spends.ts";

/**
 * How many more of `event` the list can take before its total by `method`, as if fixed in advance, exceeds (ε, δ): a
 * report, not a filter. ∞ for an event without privacy loss; −1 when the list alone exceeds (ε, δ). ADJACENCY_MISMATCH where
 * an event is for the other neighbour relation.
 */
export function howManyMore(
  events: readonly DpEvent[],
  event: DpEvent,
  {
    epsilon,
    delta,
    method,
    adjacency,
    work,
  }: {
    readonly epsilon: number;
    readonly delta: number;
    readonly method: Method;
    readonly adjacency?: EventAdjacency | undefined;
    readonly work?: Work;
  },
): number {
  const accountant = accountantNamed(method);
  const fits = (count: number): boolean =>
    lossOf(
      readSpends([...events, { kind: "repeated", count, event }], adjacency, "events", work),
      { delta },
      accountant,
    ).epsilon <= epsilon;
  if (!fits(0)) return -1;
  if (readSpends([event], adjacency).classes.length === 0) return Number.POSITIVE_INFINITY;
  let low = 0;
  let high = 1;
  while (high < 2 ** 40 && fits(high)) [low, high] = [high, 2 * high];
  return leastIndex((count) => !fits(count), low, high) - 1;
}
