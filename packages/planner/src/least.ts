import { epsilonNumber, formatEpsilon } from "@dosimeter/core";
import { gdpEpsilon, optimalProfile, readSpends, zcdpEpsilon } from "@dosimeter/core/accounting";
import type { Declaration } from "@dosimeter/query/declaration";
import { familyOf, isCounted, type PlanDraft, shareOf } from "./draft.ts";
import { withAllLeft } from "./follow.ts";
import { budgetsOf, limitOf } from "./limits.ts";
import { optimalDelta } from "./optimal-grid.ts";
import { unitsFor } from "./price.ts";
import { largestWithin } from "./redistribute.ts";
import { type Share, scaled } from "./shares.ts";

/** The least total ε of a list under each accountant that can price it; null where one cannot. Rounded up. */
export interface Totals {
  readonly addition: number | null;
  readonly optimal: number | null;
  readonly zcdp: number | null;
  readonly gaussian: number | null;
}

/** Σε, the optimal composition, zCDP and the exact Gaussian of one list of shares, at δ. [M30, M36, M37, M47] */
export function totalsOf(shares: readonly Share[], delta: number): Totals {
  const paid = shares.filter(({ units }) => units > 0n);
  const isLaplace = paid.every(({ noise }) => noise === "laplace");
  const isGaussian = paid.every(({ noise }) => noise === "gaussian");
  const rho = paid.reduce(
    (sum, { noise, units }) => sum + (noise === "laplace" ? Number(units * units) / 2e24 : Number(units) / 1e12),
    0,
  );
  const up = 1 + 1e-14;
  return {
    addition: isLaplace ? sumOf(paid) : null,
    optimal: isLaplace ? optimalTotal(paid, delta) : null,
    zcdp: delta > 0 ? zcdpEpsilon(rho * up, delta) : null,
    gaussian: isGaussian && delta > 0 ? gdpEpsilon(2 * rho * up, delta) : null,
  };
}

const sumOf = (shares: readonly Share[]): number =>
  epsilonNumber(shares.reduce((sum, { units }) => sum + units, 0n) as Parameters<typeof epsilonNumber>[0], "up");

function optimalTotal(shares: readonly Share[], delta: number): number {
  const sum = sumOf(shares);
  if (!(delta > 0)) return sum;
  const epsilons = shares.map(({ units }) => Number(units) / 1e12);
  const distinct = new Map<number, number>();
  for (const epsilon of epsilons) distinct.set(epsilon, (distinct.get(epsilon) ?? 0) + 1);
  const sums = [...distinct.values()].reduce((product, count) => product * (count + 1), 1);
  if (distinct.size === 1 || sums <= 4096) {
    const events = epsilons.map((epsilon) => ({ kind: "pure", epsilon }) as const);
    return Math.min(sum, optimalProfile(readSpends(events)).epsilon(delta).upper);
  }
  let [low, high] = [0, sum];
  while (high - low > 1e-7 * sum) {
    const middle = (low + high) / 2;
    if (optimalDelta(middle)(epsilons) <= delta) high = middle;
    else low = middle;
  }
  return high;
}

export interface LeastTotal {
  /**
   * The share that each row with a target needs, in ε or ρ by its noise; the others keep their share. Exact decimals.
   */
  readonly needs: readonly { readonly id: string; readonly units: string }[];
  /** The least ε that meets every target, by accountant. */
  readonly totals: Totals;
  /**
   * The factor by which every target is missed when the present budget is split in proportion; ≤ 1 when all are met.
   */
  readonly missedBy: number;
}

/** The least ε for all the targets (δ as given), rows without a target left out; null where no row has a target. */
export function leastTotal(draft: PlanDraft, declaration: Declaration): LeastTotal | null {
  const rows = draft.rows.filter((row) => isCounted(row) && row.target !== undefined);
  if (rows.length === 0) return null;
  const needs = rows.map((row) => ({
    id: row.id,
    base: { noise: familyOf(row), units: unitsFor(row, row.target ?? 0, draft, declaration) },
  }));
  const others = draft.rows.filter((row) => isCounted(row) && row.target === undefined && row.mode !== "free");
  return {
    needs: needs.map(({ id, base }) => ({ id, units: formatEpsilon(base.units) })),
    totals: totalsOf(
      needs.map(({ base }) => base),
      Number(limitOf(draft).delta) / 1e18,
    ),
    missedBy: 1 / reachOf(needs, others.map(shareOf), draft),
  };
}

/** The largest r such that r times every need fits. */
function reachOf(needs: readonly { readonly base: Share }[], held: readonly Share[], draft: PlanDraft): number {
  const grid = 10n ** 12n;
  const best = budgetsOf(withAllLeft(draft)).map((budget) =>
    largestWithin((times) => budget.margin([...held, ...needs.map(({ base }) => scaled(base, times, grid))]), grid),
  );
  return Number(best.reduce((a, b) => (b > a ? b : a), 0n)) / 1e12;
}
