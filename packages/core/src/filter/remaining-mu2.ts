import {
  type DeltaAmount,
  deltaNumber,
  type EpsilonAmount,
  epsilonNumber,
  type Mu2Amount,
  mu2Number,
  NO_EPSILON,
  NO_MU2,
} from "../amounts/amount.ts";
import { logGaussianDelta } from "../numeric/gaussian-profile.ts";
import { largestWhole, leastWhole } from "../numeric/root.ts";
import { log1mexp, log1pexp, logAdd, logNormalCdf, logNormalQuantile, normalDensity } from "../numeric/special.ts";

/** How a charge moves the remaining μ². Steps are folded in the order given: another order can leave a little more or less. */
export type Mu2Step =
  /** Gaussian noise or any μ-GDP mechanism: r′ = r − cost. [M15] */
  | { readonly kind: "subtract"; readonly cost: bigint }
  /** `count` mechanisms that are ε-DP each. [M16] */
  | { readonly kind: "pure"; readonly epsilon: number; readonly count: bigint }
  /** One list of steps for each part of a partition by unit: the least r′. [M17] */
  | { readonly kind: "least"; readonly parts: readonly (readonly Mu2Step[])[] };

/** `charge` rounds against the payer; `verify` accepts every charge that a correct build could have made. */
export type Margin = "charge" | "verify";

const UNIT = 1e12;
/** toNumber is off by at most 2⁻⁵² relative: these factors put it on the safe side. */
const ABOVE = 1 + 2 ** -51;
const BELOW = 1 - 2 ** -51;
const toNumber = (units: bigint): number => Number(units) / UNIT;
const MAX_FOLD = 10_000n;

/** r after the steps, or null when they cannot be paid. In units of 10⁻¹², never above the exact r′. [M15]–[M18] [M315] */
export function payMu2(before: Mu2Amount, steps: readonly Mu2Step[], margin: Margin = "charge"): Mu2Amount | null {
  let left: Mu2Amount | null = before;
  for (const step of steps) {
    if (left === null) return null;
    left = payStep(left, step, margin);
  }
  return left;
}

function payStep(before: Mu2Amount, step: Mu2Step, margin: Margin): Mu2Amount | null {
  switch (step.kind) {
    case "subtract":
      return before >= step.cost ? ((before - step.cost) as Mu2Amount) : null;
    case "pure":
      return payPures(before, step, margin);
    case "least": {
      let least: Mu2Amount | null = before;
      for (const part of step.parts) {
        const after = payMu2(before, part, margin);
        if (after === null) return null;
        if (after < least) least = after;
      }
      return least;
    }
    default:
      return step satisfies never;
  }
}

/** A long run is paid in at most 10,000 groups, each as one mechanism of its summed ε: valid, and bounded work. */
function payPures(
  before: Mu2Amount,
  { epsilon, count }: { epsilon: number; count: bigint },
  margin: Margin,
): Mu2Amount | null {
  let left: Mu2Amount | null = before;
  const size = count > MAX_FOLD ? (count + MAX_FOLD - 1n) / MAX_FOLD : 1n;
  const group = size === 1n ? epsilon : epsilon * Number(size) * (1 + 1e-15);
  let open = count;
  while (open > 0n && left !== null) {
    const taken: bigint = open < size ? open : size;
    left = payPure(left, taken === size ? group : epsilon * Number(taken) * (1 + 1e-15), margin);
    open -= taken;
  }
  return left;
}

/**
 * r′ after one ε-DP mechanism: the largest with A(r′) ≥ T(r), A(r′) = Φ(−√r′/2 + ε/√r′) + e^ε·Φ(−√r′/2 − ε/√r′) and
 * T(r) = (1 + e^ε)·Φ(−√r/2), floored and less one unit, then checked with outward rounding. [M16]
 */
export function payPure(before: Mu2Amount, epsilon: number, margin: Margin = "charge"): Mu2Amount | null {
  if (before <= 0n || !Number.isFinite(epsilon)) return null;
  const from = toNumber(before) * BELOW;
  const target = log1pexp(epsilon) + logNormalCdf(-Math.sqrt(from) / 2);
  const need = target + evaluationError(from, epsilon, target) * (margin === "charge" ? 1 : -1);
  if (need > 0) return null;
  const root = solve(from, epsilon, need);
  if (margin === "verify") {
    const most = BigInt(Math.ceil(root * UNIT)) + 1n;
    return (most < before ? most : before - 1n) as Mu2Amount; // a cost is at least one unit
  }
  let after = BigInt(Math.floor(root * UNIT)) - 1n;
  for (let back = 1n; after > 0n; back *= 2n) {
    if (logCentre(toNumber(after) * ABOVE, epsilon) >= need) return after as Mu2Amount;
    after -= back;
  }
  return NO_MU2; // A(0) = 1 ≥ T(r), decided above
}

/** The least r that can pay the steps, to a few units above the exact one; null when no r can. Checked by paying it. */
export function leastMu2(steps: readonly Mu2Step[]): Mu2Amount | null {
  const start = unpay(0, steps);
  if (!(start < 1e300)) return null;
  const pays = (units: bigint) => payMu2(units as Mu2Amount, steps);
  let enough = BigInt(Math.ceil(start * UNIT)) + 2n * BigInt(steps.length); // a step rounds down by a unit or two
  let left = pays(enough);
  for (let more = 16n; left === null; more *= 16n) {
    enough += more;
    left = pays(enough);
  }
  // What remains after payment is the excess. A smaller start loses nearly the same number of units to rounding.
  const excess = BigInt(Math.floor(Math.max(0, unpay(toNumber(left), steps) - start) * UNIT));
  if (excess === 0n) return enough as Mu2Amount;
  let least = enough - excess;
  for (let more = 1n; least < enough && pays(least) === null; more *= 2n) least += more;
  return (least < enough ? least : enough) as Mu2Amount;
}

/** About the least μ² that pays the steps and leaves `after`, in doubles: for searches, never for a decision. */
export const aboutMu2 = (steps: readonly Mu2Step[], after = 0): number => unpay(after, steps);

/** The exact fold backwards: from r′ after the steps to r before them. */
function unpay(after: number, steps: readonly Mu2Step[]): number {
  return steps.reduceRight((left, step) => {
    if (step.kind === "subtract") return left + toNumber(step.cost);
    if (step.kind === "least") return step.parts.reduce((most, part) => Math.max(most, unpay(left, part)), left);
    const size = step.count > MAX_FOLD ? (step.count + MAX_FOLD - 1n) / MAX_FOLD : 1n;
    let before = left;
    for (let open = step.count; open > 0n; open -= size) {
      const epsilon = step.epsilon * Number(open < size ? open : size);
      const quantile = logNormalQuantile(logCentre(before, epsilon) - log1pexp(epsilon));
      before = Math.max(before, 4 * quantile * quantile);
    }
    return before;
  }, after);
}

/** The largest ε (in ledger units) of one pure charge that r can pay; 0 when there is none. [M16] */
export function largestPure(remaining: Mu2Amount | null): EpsilonAmount {
  if (remaining === null || remaining <= 0n) return NO_EPSILON;
  const half = Math.sqrt(toNumber(remaining)) / 2;
  const pays = (units: bigint): boolean => payPure(remaining, pureEpsilon(units as EpsilonAmount)) !== null;
  let above = BigInt(Math.ceil((logNormalCdf(half) - logNormalCdf(-half)) * UNIT)) + 1n;
  let low = above;
  for (let back = 1n; low > 0n && !pays(low); back *= 2n) {
    above = low;
    low -= back;
  }
  if (low <= 0n) low = 0n;
  return (leastWhole((units) => !pays(units), low, above) - 1n) as EpsilonAmount;
}

/** A pure ε as a double, never below the amount, for its price in μ². */
export const pureEpsilon = (epsilon: EpsilonAmount): number => toNumber(epsilon) * ABOVE;

/** ln A(r′): 0 at r′ = 0, falling. */
function logCentre(after: number, epsilon: number): number {
  if (after <= 0) return 0;
  const root = Math.sqrt(after);
  const low = epsilon / root - root / 2;
  if (low > 0.5) return log1mexp(-logGaussianDelta(epsilon, after));
  return logAdd(logNormalCdf(low), epsilon + logNormalCdf(-epsilon / root - root / 2));
}

/** More than twice what the logarithms on both sides can be off by; see the error test of special.ts. */
const evaluationError = (from: number, epsilon: number, target: number): number =>
  4e-15 * (0.25 + from / 8 + epsilon + Math.abs(target));

/** Largest w in [0, from] with ln A(w) ≥ need, to well below a unit: Newton's method kept inside a bracket. */
function solve(from: number, epsilon: number, need: number): number {
  let low = 0;
  let high = from;
  let w = from - epsilon * epsilon;
  if (!(w > from / 4)) w = from / 2;
  for (let i = 0; i < 100; i++) {
    const value = logCentre(w, epsilon) - need;
    if (value >= 0) low = w;
    else high = w;
    const root = Math.sqrt(w);
    const slope = normalDensity(root / 2 - epsilon / root) / (2 * root * Math.exp(value + need));
    const next = w + value / slope;
    const step = next > low && next < high ? next - w : (low + high) / 2 - w;
    w += step;
    if (Math.abs(step) < 1e-13 || high - low < 1e-13) break;
  }
  return w;
}

/** The largest μ² with δ_Gauss(ε; μ²) ≤ δ_f, decided with outward rounding; 0 when δ_f is 0. [M10] */
export function largestMu2(epsilon: EpsilonAmount, deltaFilter: DeltaAmount): Mu2Amount {
  if (deltaFilter <= 0n || epsilon <= 0n) return NO_MU2;
  const least = epsilonNumber(epsilon, "down");
  const logDelta = Math.log(deltaNumber(deltaFilter, "down"));
  const fits = (units: bigint): boolean => {
    const value = logGaussianDelta(least, mu2Number(units, "up"));
    return value + 4e-15 * (1 + least + Math.abs(value)) <= logDelta - 4e-16 * (1 + Math.abs(logDelta));
  };
  return largestWhole(fits) as Mu2Amount;
}
