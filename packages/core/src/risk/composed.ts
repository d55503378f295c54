import { fourierPlan, inverse, transform } from "../accounting/fft.ts";
import { PrivacyError } from "../error.ts";
import { checkEpsilon, checkEpsilon0, checkWhole } from "./confidence.ts";
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
const LONGEST_GRID = 2 ** 21;
const FINEST = 1000;
/** Below this an inverse transform of doubles knows nothing. */
export const SMALLEST_DELTA = 1e-12;

/** The composed loss of 1 … 10⁵ releases; `resolution` cells of (0, ε₀] (default: as fine as 2¹⁶ points allow, 1000 at most). */
export function composedLoss(options: {
  readonly epsilon0: number;
  readonly count: number;
  readonly resolution?: number;
}): ComposedLoss {
  const epsilon0 = checkEpsilon0(options.epsilon0);
  const count = checkWhole("count", options.count);
  if (count > 100_000)
    throw new PrivacyError("INVALID_PARAMETER", { name: "count", got: count, want: "at most 100000 releases" });
  const cells = checkWhole("resolution", options.resolution ?? usualResolution(count));
  if (2 * count * cells >= LONGEST_GRID) {
    const want = `at most ${Math.floor(LONGEST_GRID / 2 / count)} for ${count} releases`;
    throw new PrivacyError("INVALID_PARAMETER", { name: "resolution", got: cells, want });
  }
  const reach = count * cells;
  const size = 2 ** Math.ceil(Math.log2(2 * reach + 1));
  const [re, im] = [new Float64Array(size), new Float64Array(size)];
  const step = epsilon0 / cells;
  // Losses −ε₀ … ε₀ stand at 0 … 2·cells, so that nothing wraps.
  oneRelease(epsilon0, cells).forEach((mass, index) => {
    re[index] = mass;
  });
  const plan = fourierPlan(size);
  transform(plan, re, im);
  for (let i = 0; i <= size / 2; i++) {
    const x = re[i] ?? 0;
    const y = im[i] ?? 0;
    const modulus = Math.sqrt(x * x + y * y) ** count;
    const angle = Math.atan2(y, x) * count;
    re[i] = modulus * Math.cos(angle);
    im[i] = modulus * Math.sin(angle);
    if (i === 0) continue;
    // The law is real: the other half of its transform is the conjugate.
    re[size - i] = re[i] ?? 0;
    im[size - i] = -(im[i] ?? 0);
  }
  inverse(plan, re, im);
  return { step, reach, probabilities: re.slice(0, 2 * reach + 1).map((mass) => Math.max(0, mass)) };
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

/** The law of one release on 2·cells + 1 grid points: atoms at ±ε₀, density ¼e^((l−ε₀)/2) between. */
function oneRelease(epsilon0: number, cells: number): Float64Array {
  const grid = new Float64Array(2 * cells + 1);
  const step = epsilon0 / cells;
  const upShare = (1 - Math.exp(-step / 2)) / -Math.expm1(-step); // of a cell's mass, by E e^−L
  const cellMass = -Math.expm1(-step / 2) / 2;
  const add = (index: number, mass: number): void => {
    grid[index] = (grid[index] ?? 0) + mass;
  };
  for (let cell = 0; cell < 2 * cells; cell++) {
    const mass = cellMass * Math.exp(((cell + 1 - 2 * cells) * step) / 2);
    add(cell + 1, mass * upShare);
    add(cell, mass * (1 - upShare));
  }
  add(2 * cells, 0.5);
  add(0, 0.5 * Math.exp(-epsilon0));
  return grid;
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
  if (!(delta >= SMALLEST_DELTA && delta < 1)) {
    throw new PrivacyError("INVALID_PARAMETER", {
      name: "delta",
      got: delta,
      want: `from ${SMALLEST_DELTA} to below 1`,
    });
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
  if (!(level > 0 && level < 1))
    throw new PrivacyError("INVALID_PARAMETER", { name: "level", got: level, want: "between 0 and 1" });
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
