import { fallingRoot } from "../numeric/root.ts";
import { logGamma } from "../numeric/special.ts";
import type { Work } from "../work.ts";
import { composeClasses } from "./composition.ts";
import { distributionOf } from "./pld.ts";
import type { PldOptions } from "./profile-engines.ts";
import { asLower, asUpper, decimalAtLeast, exactSum, type Interval, upper } from "./rounding.ts";
import { cannotPrice, type Spends, slackDelta } from "./spends.ts";
import { subsetProfile } from "./subset.ts";
import { zcdpDelta } from "./zcdp.ts";

/** Bounds on the least (ε, δ) that holds for every list of mechanisms with these (εᵢ, δᵢ) [M47]. */
export interface OptimalProfile {
  readonly epsilon: (delta: number) => Interval;
  readonly delta: (epsilon: number) => Interval;
  /** How it was computed. */
  readonly form: "exact" | "bracket";
}

/** UNSUPPORTED_EVENT for an event without a pure ε. */
export function optimalProfile(spends: Spends, options: PldOptions = {}): OptimalProfile {
  const groups = pureGroups(spends);
  // Exactly, as decimals [M30]: a rounded sum may lie below it.
  const most = decimalAtLeast(
    exactSum(spends.classes.map(({ facts, count }) => ({ value: facts.decimal ?? facts.epsilon, count }))),
  );
  const { profile, form, inverse } = chooseProfile(groups, spends.work, options);
  const { deltaMass: lost, deltaLeast: least } = spends;
  return {
    form,
    delta(epsilon) {
      const { upper: high, lower: low } = epsilon >= most ? NOTHING : profile(epsilon);
      return {
        upper: asUpper(Math.min(1, asUpper(lost + (1 - lost) * high, lost === 0 ? "of bounds" : 2)), "of bounds"),
        lower: asLower(Math.max(0, least + (1 - lost) * low), 4),
      };
    },
    epsilon(delta) {
      const infinity = Number.POSITIVE_INFINITY;
      if (delta < lost)
        return { upper: asUpper(infinity, "exact"), lower: asLower(delta < least ? infinity : 0, "exact") };
      const target = slackDelta(spends, delta);
      const room = delta === least ? 0 : ((delta - least) / (1 - lost)) * (1 + 2 ** -51);
      if (!(room > 0)) return { upper: asUpper(most, "one-sided"), lower: asLower(most, 4) };
      if (inverse !== undefined)
        return {
          upper: target > 0 ? inverse(target).upper : asUpper(most, "one-sided"),
          lower: inverse(Math.min(room, LARGEST)).lower,
        };
      const above = (epsilon: number): number => Math.log(profile(epsilon).upper) - Math.log(target);
      const below = (epsilon: number): number =>
        Math.log(Math.max(1e-323, profile(epsilon).lower)) - Math.log(room) * (room < 1 ? 1 - 2 ** -52 : 1);
      if (most === 0 || above(0) <= 0) return NOTHING;
      const high = !(target > 0) || above(most) > 0 ? most : fallingRoot(above, 0, most, 4e-16);
      return {
        upper: asUpper(Math.min(most, asUpper(high, 1)), "of bounds"),
        lower: asLower(below(0) <= 0 ? 0 : fallingRoot(below, 0, high), 10),
      };
    },
  };
}

const NOTHING: Interval = { upper: asUpper(0, "exact"), lower: asLower(0, "exact") };

/** The largest δ that a profile is asked for. */
const LARGEST = 1 - 2 ** -53;

interface PureGroup {
  readonly epsilon: number;
  readonly count: number;
}

function pureGroups({ classes }: Spends): readonly PureGroup[] {
  const counts = new Map<number, number>();
  for (const spend of classes) {
    const { epsilon, delta } = spend.facts;
    if (epsilon === Number.POSITIVE_INFINITY && upper(delta) < 1)
      throw cannotPrice(spend, "an event with a pure epsilon");
    if (epsilon > 0) counts.set(epsilon, (counts.get(epsilon) ?? 0) + spend.count);
  }
  return [...counts].map(([epsilon, count]) => ({ epsilon, count })).sort((a, b) => a.epsilon - b.epsilon);
}

/** Above this number of equal spends the sum has too many terms; a bracket takes its place. */
const MAX_EQUAL = 1e10;
const MAX_SUMS = 2 ** 20;

function chooseProfile(
  groups: readonly PureGroup[],
  work: Work,
  options: PldOptions,
): {
  readonly profile: (epsilon: number) => Interval;
  readonly form: "exact" | "bracket";
  readonly inverse?: (delta: number) => Interval;
} {
  const [first, second] = groups;
  if (first === undefined) return { profile: () => NOTHING, form: "exact" };
  if (second === undefined) {
    if (first.count <= MAX_EQUAL)
      return { profile: (epsilon) => binomialDelta(first.epsilon, first.count, epsilon), form: "exact" };
    const some = { epsilon: first.epsilon, count: MAX_EQUAL };
    const rho = first.count * first.epsilon * Math.tanh(first.epsilon / 2) * (1 + 1e-14);
    return {
      profile: (epsilon) => ({
        upper: asUpper(zcdpDelta(rho, epsilon), "one-sided"),
        lower: binomialDelta(some.epsilon, some.count, epsilon).lower,
      }),
      form: "bracket",
    };
  }
  const subsets = subsetProfile(groups, MAX_SUMS);
  if (subsets !== undefined) work.spend(MAX_SUMS);
  if (subsets !== undefined) return { profile: subsets, form: "exact" };
  const classes = groups.map(({ epsilon, count }) => ({
    event: { kind: "pure", epsilon } as const,
    count,
    path: "events",
  }));
  const distribution = distributionOf(composeClasses(classes, work), options);
  return { profile: distribution.delta, form: "bracket", inverse: distribution.epsilon };
}

const ROUNDOFF = 2 ** -53;

/**
 * k equal ε-DP mechanisms [M47]: Σ C(k, i)·p^{k−i}(1 − p)^i·(1 − e^{x − (k − 2i)ε}) over (k − 2i)ε > x, for any real x.
 * Terms are taken outwards from the largest one; what is left out is bounded by a geometric series.
 */
export function binomialDelta(epsilon: number, count: number, x: number): Interval {
  const last = Math.min(count, Math.ceil((count - x / epsilon) / 2) - 1);
  if (last < 0) return NOTHING;
  const ratio = Math.exp(-epsilon);
  const mode = Math.min(last, Math.floor(((count + 1) * ratio) / (1 + ratio)));
  const gain = (i: number): number => Math.max(0, -Math.expm1(x - (count - 2 * i) * epsilon));
  const top = binomialMass(count, mode, epsilon);
  let sum = gain(mode);
  let weight = 1;
  let rest = 0;
  for (let i = mode, term = 1; i > 0; i--) {
    const step = i / ((count - i + 1) * ratio);
    term *= step;
    sum += term * gain(i - 1);
    weight += term;
    if (term < 1e-18 * sum && step < 1) {
      rest += (term * step) / (1 - step);
      break;
    }
  }
  for (let i = mode, term = 1; i < last; i++) {
    const step = ((count - i) * ratio) / (i + 1);
    term *= step;
    sum += term * gain(i + 1);
    weight += term;
    if (term < 1e-18 * sum && step < 1) {
      rest += (term * step) / (1 - step);
      break;
    }
  }
  const relative = top.relative + ROUNDOFF * (64 + 8 * Math.sqrt(count));
  const edge = ROUNDOFF * 4 * (1 + count * epsilon + Math.abs(x)) * weight;
  return {
    upper: asUpper(top.value * (sum + rest) * (1 + relative) + top.value * edge, 1),
    lower: asLower(Math.max(0, top.value * sum * (1 - relative) - top.value * edge), 1),
  };
}

/** C(n, i)·e^{−iε}/(1 + e^{−ε})ⁿ by Loader's saddle-point form, and a bound on its relative error. */
function binomialMass(n: number, i: number, epsilon: number): { readonly value: number; readonly relative: number } {
  const p = 1 / (1 + Math.exp(epsilon));
  const q = 1 / (1 + Math.exp(-epsilon));
  if (i === 0)
    return {
      value: Math.exp(-n * Math.log1p(Math.exp(-epsilon))),
      relative: ROUNDOFF * (8 + 4 * n * Math.exp(-epsilon)),
    };
  if (i === n)
    return { value: Math.exp(-n * Math.log1p(Math.exp(epsilon))), relative: ROUNDOFF * (8 + 4 * n * (1 + epsilon)) };
  const log = stirlingError(n) - stirlingError(i) - stirlingError(n - i) - deviance(i, n * p) - deviance(n - i, n * q);
  const value = Math.exp(log) * Math.sqrt(n / (2 * Math.PI * i * (n - i)));
  return { value, relative: ROUNDOFF * (64 + 16 * Math.abs(log)) };
}

/** ln n! − ln(√(2πn)·(n/e)ⁿ). */
function stirlingError(n: number): number {
  if (n < 16) return logGamma(n + 1) - (n + 0.5) * Math.log(n) + n - 0.9189385332046728;
  const square = 1 / (n * n);
  return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - square / 1188) * square) * square) * square) / n;
}

/** x·ln(x/m) + m − x, without cancellation near x = m. */
function deviance(x: number, m: number): number {
  if (Math.abs(x - m) < 0.1 * (x + m)) {
    const v = (x - m) / (x + m);
    let sum = (x - m) * v;
    let term = 2 * x * v;
    for (let j = 1; j < 1000; j++) {
      term *= v * v;
      const next = sum + term / (2 * j + 1);
      if (next === sum) break;
      sum = next;
    }
    return sum;
  }
  return x * Math.log(x / m) + m - x;
}
