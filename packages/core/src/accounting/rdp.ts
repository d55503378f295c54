import { memoized } from "../memoized.ts";
import { orderGrid } from "./orders.ts";
import { enlarge, expUp, lower } from "./rounding.ts";
import type { Spends } from "./spends.ts";
import { renyiEpsilon, renyiLogDelta } from "./zcdp.ts";

/** λ·D_{1+λ} of a whole list. */
export function renyiTotalOf({ classes, renyiSum }: Spends): (lambda: number) => number {
  return memoized((lambda) =>
    enlarge(
      renyiSum?.(lambda) ?? classes.reduce((total, { facts, count }) => total + count * facts.renyi(lambda), 0),
      classes.length + 8,
    ),
  );
}

/** ε at δ: the least over the grid of orders, refined around the best one; never below 0. */
export function rdpEpsilonOf(
  renyi: (lambda: number) => number,
  delta: number,
  declared: readonly number[] = [],
): number {
  if (!(delta > 0)) {
    const high = orderGrid[orderGrid.length - 1] as number;
    return renyi(orderGrid[0] as number) === 0 ? 0 : limit(renyi(high) / high);
  }
  return Math.max(
    0,
    leastOverOrders((lambda) => renyiEpsilon(lambda, renyi(lambda) / lambda, delta), declared),
  );
}

/** At δ = 0 no finite order gives a bound, except that of a list without privacy loss. */
const limit = (value: number): number => (value === 0 ? 0 : Number.POSITIVE_INFINITY);

/** δ at ε. */
export function rdpDeltaOf(
  renyi: (lambda: number) => number,
  epsilon: number,
  declared: readonly number[] = [],
): number {
  if (renyi(orderGrid[0] as number) === 0) return 0;
  return expUp(leastOverOrders((lambda) => renyiLogDelta(lambda, renyi(lambda) / lambda, epsilon), declared));
}

/**
 * λ of the orders at which events were declared. An event has no bound above its own order, so each of these is a
 * candidate.
 */
export const declaredOrders = ({ classes }: Spends): readonly number[] =>
  classes.flatMap(({ event }) => (event.kind === "rdp" ? [lower(event.order) - 1] : []));

function leastOverOrders(f: (lambda: number) => number, declared: readonly number[]): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  let worse = 0;
  orderGrid.forEach((lambda, i) => {
    if (worse > 12) return;
    const value = f(lambda);
    if (value < least) [best, least, worse] = [i, value, 0];
    else if (least < Number.POSITIVE_INFINITY) worse++;
  });
  let low = orderGrid[Math.max(0, best - 1)] as number;
  let high = orderGrid[Math.min(orderGrid.length - 1, best + 1)] as number;
  for (let i = 0; i < 40; i++) {
    const [a, b] = [low + (high - low) * 0.382, low + (high - low) * 0.618];
    const [fa, fb] = [f(a), f(b)];
    least = Math.min(least, fa, fb);
    if (fa < fb) high = b;
    else low = a;
  }
  return declared.reduce((low, lambda) => (lambda > 0 ? Math.min(low, f(lambda)) : low), least);
}
