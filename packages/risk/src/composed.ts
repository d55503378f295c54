import { invalid, PrivacyError } from "@dosimeter/core";
import { checkEpsilon, checkEpsilon0, checkWhole } from "./check.ts";
import { addGrids, discreteLaplaceGrid, laplaceGrid } from "./loss-grid.ts";
import type { LossFacts } from "./truth.ts";

/**
 * The loss of `count` Laplace releases at ε₀ each, worst pair, on a grid: probabilities of losses `index·step`, index from −`reach` on.
 * Each cell's mass goes to its two ends so that mass and E e^−L are kept [M108]: δ(ε) is an upper bound, off by O(step²).
 */
export interface ComposedLoss {
  readonly step: number;
  readonly reach: number;
  readonly probabilities: Float64Array;
}

const USUAL_GRID = 2 ** 16;
const MAX_GRID = 2 ** 21;
const FINEST = 1000;
/** Below this an inverse transform of doubles knows nothing. */
const MIN_DELTA = 1e-12;

/** The composed loss of 1 … 10⁵ releases; `resolution` cells of (0, ε₀] (default: as fine as 2¹⁶ points allow, 1000 at most). */
export function composedLoss(options: {
  readonly epsilon0: number;
  readonly count: number;
  readonly resolution?: number;
}): ComposedLoss {
  const epsilon0 = checkEpsilon0(options.epsilon0);
  const count = checkWhole("count", options.count);
  if (count > 100_000) invalid("count", count, "at most 100000 releases");
  const cells = checkWhole("resolution", options.resolution ?? usualResolution(count));
  if (2 * count * cells >= MAX_GRID) {
    const want = `at most ${Math.floor(MAX_GRID / 2 / count)} for ${count} releases`;
    invalid("resolution", cells, want);
  }
  const step = epsilon0 / cells;
  return composed(step, addGrids([{ law: laplaceGrid(epsilon0, step), count }]));
}

const composed = (step: number, probabilities: Float64Array): ComposedLoss => ({
  step,
  reach: (probabilities.length - 1) / 2,
  probabilities,
});

const VECTOR_RESOLUTION = 2520;

/**
 * Independent Laplace releases with losses of their own: the coordinates of one vector release whose neighbours differ by the share
 * levels[i]/ε₀ of Δ in coordinate i, or different releases of one list. `resolution` cells of Σ levels; shares of 2520 are on the grid.
 */
export function jointLoss(options: { readonly levels: readonly number[]; readonly resolution?: number }): ComposedLoss {
  const levels = options.levels.filter((level) => level !== 0);
  const total = checkEpsilon0(levels.reduce((sum, level) => sum + checkEpsilon0(level), 0));
  if (levels.length > 10_000) invalid("levels", levels.length, "at most 10000 of them");
  const step = total / checkWhole("resolution", options.resolution ?? Math.max(VECTOR_RESOLUTION, 4 * levels.length));
  const counts = new Map<number, number>();
  for (const level of levels) counts.set(level, (counts.get(level) ?? 0) + 1);
  return composed(step, addGrids([...counts].map(([level, count]) => ({ law: laplaceGrid(level, step), count }))));
}

/** `count` releases of discrete Laplace noise on an integer answer that moves by `sensitivity`: exact, on the lattice of its losses. */
export function composedDiscreteLoss(options: {
  readonly epsilon0: number;
  readonly sensitivity: number;
  readonly count: number;
}): ComposedLoss {
  const epsilon0 = checkEpsilon0(options.epsilon0);
  const sensitivity = checkWhole("sensitivity", options.sensitivity);
  const count = checkWhole("count", options.count);
  if (2 * count * sensitivity >= MAX_GRID) {
    const want = `at most ${Math.floor((MAX_GRID - 1) / 2 / sensitivity)} at this sensitivity`;
    invalid("count", count, want);
  }
  return composed(epsilon0 / sensitivity, addGrids([{ law: discreteLaplaceGrid(epsilon0, sensitivity), count }]));
}

const usualResolution = (count: number): number =>
  Math.max(2, Math.min(FINEST, Math.floor((USUAL_GRID - 1) / (2 * count))));

/**
 * ε at `delta` of `count` Laplace releases at ε₀ each: the exact curve, extrapolated from two grids (Richardson; about 1e-6 relative,
 * not a bound: the accountant's certified total is).
 */
export function composedLaplaceEpsilon(options: {
  readonly epsilon0: number;
  readonly count: number;
  readonly delta: number;
}): number {
  const { epsilon0, count, delta } = options;
  const fine = 2 * Math.ceil(usualResolution(checkWhole("count", count)) / 2);
  const [rough, better] = [fine / 2, fine].map((resolution) =>
    composedEpsilon(composedLoss({ epsilon0, count, resolution }), delta),
  );
  if (rough === undefined || better === undefined) throw new PrivacyError("INTERNAL");
  return Math.max(0, better - (rough - better) / 3);
}

const lossAt = ({ step, reach }: ComposedLoss, index: number): number => (index - reach) * step;

/** P(L > ε), P(|L| ≤ ε) and δ(ε) of the composition. */
export function composedFacts(loss: ComposedLoss, epsilon: number): LossFacts {
  checkEpsilon(epsilon);
  const slack = loss.step * 1e-9;
  let [tail, within, delta] = [0, 0, 0];
  loss.probabilities.forEach((mass, index) => {
    const l = lossAt(loss, index);
    if (l > epsilon + slack) {
      tail += mass;
      delta -= mass * Math.expm1(epsilon - l);
    } else if (l >= -epsilon - slack) within += mass;
  });
  return { tail, within, delta };
}

/** The least ε with δ(ε) ≤ delta, delta from 1e-12 on. */
export function composedEpsilon(loss: ComposedLoss, delta: number): number {
  if (!(delta >= MIN_DELTA && delta < 1)) {
    invalid("delta", delta, `from ${MIN_DELTA} to below 1`);
  }
  let [mass, weighted] = [0, 0]; // Σ p and Σ p·e^−l above the point
  for (let index = loss.probabilities.length - 1; index >= 0; index--) {
    const l = lossAt(loss, index);
    if (mass - weighted * Math.exp(l) > delta || l < 0) {
      return weighted > 0 ? Math.max(0, Math.log((mass - delta) / weighted)) : 0;
    }
    const p = loss.probabilities[index] ?? 0;
    mass += p;
    weighted += p * Math.exp(-l);
  }
  return 0;
}

/** Value-at-risk, the least l with P(L ≤ l) ≥ level, and expected shortfall, the mean of the worst 1 − level. */
export function composedShortfall(
  loss: ComposedLoss,
  level: number,
): { readonly valueAtRisk: number; readonly expectedShortfall: number } {
  if (!(level > 0 && level < 1)) invalid("level", level, "between 0 and 1");
  const room = 1 - level;
  let [above, sum] = [0, 0];
  for (let index = loss.probabilities.length - 1; index >= 0; index--) {
    const p = loss.probabilities[index] ?? 0;
    const l = lossAt(loss, index);
    if (above + p > room || index === 0) {
      return { valueAtRisk: l, expectedShortfall: (sum + (room - above) * l) / room };
    }
    above += p;
    sum += p * l;
  }
  return { valueAtRisk: lossAt(loss, 0), expectedShortfall: lossAt(loss, 0) };
}
