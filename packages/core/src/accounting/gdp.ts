import { nextUp } from "../amounts/double.ts";
import { logGaussianDelta } from "../numeric/gaussian-profile.ts";
import { bracketAbove, fallingRoot } from "../numeric/root.ts";
import { erf, logNormalQuantile } from "../numeric/special.ts";
import { asLower, asUpper, enlarge, expUp, type Interval } from "./rounding.ts";

/** Error of ln δ that `logGaussianDelta` may have, relative to 1 + |ln δ| + |ε|, taken as a margin [M37]. */
const LOG_MARGIN = 4e-15;

const margin = (log: number, epsilon: number): number => LOG_MARGIN * (1 + Math.abs(log) + Math.abs(epsilon));

/** An upper bound on ln δ of μ-GDP at ε. */
function gdpLogDelta(muSquared: number, epsilon: number): number {
  const log = logGaussianDelta(epsilon, muSquared);
  return Math.min(0, log + margin(log, epsilon));
}

/** A lower bound on it. */
function gdpLeastLogDelta(muSquared: number, epsilon: number): number {
  const log = logGaussianDelta(epsilon, muSquared);
  return log - margin(log, epsilon);
}

/** δ of μ-GDP at ε [M37]; 0 only when μ = 0 or it underflows. */
export const gdpDelta = (muSquared: number, epsilon: number): number =>
  muSquared === 0 ? 0 : epsilon === Number.POSITIVE_INFINITY ? 0 : expUp(gdpLogDelta(muSquared, epsilon));

/** Bounds on δ of a μ² between two numbers, at any real ε [M37]. */
export function gdpDeltaBetween(muSquared: Interval, epsilon: number): Interval {
  if (epsilon === Number.POSITIVE_INFINITY) return { upper: asUpper(0, "exact"), lower: asLower(0, "exact") };
  if (epsilon === Number.NEGATIVE_INFINITY) return { upper: asUpper(1, "exact"), lower: asLower(1, "exact") };
  const none = Math.max(0, -Math.expm1(epsilon));
  const lower = muSquared.lower > 0 ? Math.exp(gdpLeastLogDelta(muSquared.lower, epsilon)) : 0;
  return {
    upper: muSquared.upper === 0 ? asUpper(none, 1) : asUpper(gdpDelta(muSquared.upper, epsilon), "one-sided"),
    lower: asLower(muSquared.upper === 0 ? none : lower < TINIEST ? 0 : lower, 2),
  };
}

/** Below this, rounding leaves no lower bound. */
const TINIEST = 1e-300;

/** The least ε ≥ 0 with δ(ε) ≤ δ for μ-GDP [M37]; ∞ at δ = 0 unless μ = 0. */
export function gdpEpsilon(muSquared: number, delta: number): number {
  if (muSquared === 0) return 0;
  if (!(delta > 0) || muSquared === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  const target = Math.log(delta) * (delta < 1 ? 1 + 2 ** -52 : 1);
  const excess = (epsilon: number): number => gdpLogDelta(muSquared, epsilon) - target;
  if (excess(0) <= 0) return 0;
  const mu = Math.sqrt(muSquared);
  const high = bracketAbove(excess, 0, muSquared / 2 + mu);
  return Number.isFinite(high) ? nextUp(fallingRoot(excess, 0, high, 4e-16)) : high;
}

const NONE = asLower(0, "exact");

/** Bounds on the least ε of a μ² between two numbers: at `delta` from above, at `most` ≥ `delta` from below. */
export function gdpEpsilonBetween(muSquared: Interval, delta: number, most: number): Interval {
  const upper = asUpper(gdpEpsilon(muSquared.upper, delta), "one-sided");
  if (!(muSquared.lower > 0) || most >= 1) return { upper, lower: NONE };
  if (upper === Number.POSITIVE_INFINITY) return { upper, lower: asLower(most > 0 ? 0 : upper, "exact") };
  const log = Math.log(most) + 2 ** -52 * Math.abs(Math.log(most));
  const excess = (epsilon: number): number => gdpLeastLogDelta(muSquared.lower, epsilon) - log;
  if (excess(0) <= 0) return { upper, lower: NONE };
  let lower = fallingRoot(excess, 0, upper, 4e-16);
  for (let gap = 2 ** -52; !(excess(lower) > 0) && gap < 1; gap *= 2) lower = upper * (1 - gap);
  return { upper, lower: asLower(excess(lower) > 0 ? lower : 0, "one-sided") };
}

/** μ of an ε-DP mechanism, and of one of 2ε-bounded range: erf(μ/√8) = tanh(ε/2) [M38], rounded up. [M316] */
export const muOfPure = (epsilon: number): number =>
  epsilon < 1
    ? muOfDistance(Math.tanh(epsilon / 2))
    : enlarge(-2 * logNormalQuantile(-epsilon - Math.log1p(Math.exp(-epsilon))), 16);

/** μ of the Laplace mechanism with noise multiplier 1/ε: erf(μ/√8) = 1 − e^{−ε/2} [M38], rounded up. */
export const muOfLaplace = (epsilon: number): number =>
  epsilon < 1 ? muOfDistance(-Math.expm1(-epsilon / 2)) : enlarge(-2 * logNormalQuantile(-epsilon / 2 - Math.LN2), 16);

/** √8·erf⁻¹(distance) by Halley's method, for a total variation distance below ½. */
function muOfDistance(distance: number): number {
  let x = (distance * Math.sqrt(Math.PI)) / 2;
  for (let i = 0; i < 6; i++) {
    const step = ((erf(x) - distance) * Math.sqrt(Math.PI) * Math.exp(x * x)) / 2;
    x -= step / (1 + x * step);
  }
  return enlarge(Math.sqrt(8) * x, 16);
}
