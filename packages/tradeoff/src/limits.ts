import { invalid } from "@dosimeter/core";
import { integrate, normalCdf, normalDensity, risingRoot } from "@dosimeter/core/internal";
import { checkCount, checkFinite, checkRate } from "./check.ts";
import type { TradeoffFunction } from "./curve.ts";
import { gdp } from "./gdp.ts";
import { usefulRange } from "./lattice.ts";

/** Moments of the privacy loss ln|f′(U)| of one use: kl = −E, variance, E|·+ kl|³ and the third and fourth cumulants. */
export interface LossMoments {
  readonly kl: number;
  readonly variance: number;
  readonly absoluteThird: number;
  readonly third: number;
  readonly fourth: number;
}

/** Moments of a curve [M77]; ∞ where some outcomes are distinguished with certainty. */
export function lossMoments(curve: TradeoffFunction): LossMoments {
  if (curve.power(0) > 0 || curve.inverted().power(0) > 0) {
    const none = Number.POSITIVE_INFINITY;
    return { kl: none, variance: none, absoluteThird: none, third: none, fourth: none };
  }
  const mean = expectation(
    curve,
    (x) => x,
    () => 1,
    0,
  );
  const central = (power: number) =>
    expectation(
      curve,
      (x) => (x - mean) ** power,
      (x) => power * (x - mean) ** (power - 1),
      mean,
    );
  const variance = central(2);
  const absoluteThird = expectation(
    curve,
    (x) => Math.abs(x - mean) ** 3,
    (x) => 3 * (x - mean) * Math.abs(x - mean),
    mean,
  );
  return { kl: -mean, variance, absoluteThird, third: central(3), fourth: central(4) - 3 * variance ** 2 };
}

/** E g(L) under the first hypothesis: sums over pieces, or g(low) + ∫ g′(x)·Pr[L > x] dx. */
function expectation(
  curve: TradeoffFunction,
  g: (x: number) => number,
  slope: (x: number) => number,
  split: number,
): number {
  if (curve.atoms !== null) {
    const { loss, p } = curve.atoms;
    let sum = 0;
    for (let i = 0; i < loss.length; i++) sum += (p[i] ?? 0) * g(loss[i] ?? 0);
    return sum;
  }
  const [low, high] = usefulRange(curve);
  const middle = Math.min(high, Math.max(low, split));
  let sum = g(low);
  for (const [from, to] of [
    [low, middle],
    [middle, high],
  ] as const) {
    const panels = 64;
    for (let i = 0; i < panels; i++) {
      const a = from + ((to - from) * i) / panels;
      const b = from + ((to - from) * (i + 1)) / panels;
      if (b > a) sum += integrate((x) => slope(x) * curve.touch(x), a, b);
    }
  }
  return sum;
}

/** An approximation of a composition. It is not a guarantee, and no function here uses it as one. */
export interface Approximation {
  readonly method: "clt" | "edgeworth";
  readonly isGuarantee: false;
  readonly mu: number;
  beta(alpha: number): number;
}

/** The central limit with the band of Berry and Esseen around it; the band is a valid bound. */
export interface NormalApproximation extends Approximation {
  readonly method: "clt";
  /** Half-width: G_μ(α + γ) − γ ≤ f(α) ≤ G_μ(α − γ) + γ. */
  readonly gamma: number;
  lower(alpha: number): number;
  upper(alpha: number): number;
}

/** μ = 2Σkl/√Σvariance and γ = 0.56·Σ E|·|³/(Σ variance)^1.5 [M77] (Dong–Roth–Su 2022, Theorem 5). An approximation. */
export function centralLimit(curves: readonly TradeoffFunction[]): NormalApproximation {
  if (!Array.isArray(curves) || curves.length === 0) invalid("curves", curves, "at least one curve");
  const moments = curves.map(lossMoments);
  const total = (read: (m: LossMoments) => number) => moments.reduce((sum, m) => sum + read(m), 0);
  const variance = total(({ variance }) => variance);
  const mu = variance === 0 ? 0 : (2 * total(({ kl }) => kl)) / Math.sqrt(variance);
  const gamma = variance === 0 ? 0 : (0.56 * total(({ absoluteThird }) => absoluteThird)) / variance ** 1.5;
  const normal = gdp(Number.isFinite(mu) ? mu : Number.POSITIVE_INFINITY);
  return Object.freeze({
    method: "clt" as const,
    isGuarantee: false as const,
    mu,
    gamma,
    beta: (alpha: number) => normal.beta(alpha),
    lower: (alpha: number) => Math.max(0, normal.beta(Math.min(1, checkRate(alpha, "alpha") + gamma)) - gamma),
    upper: (alpha: number) => Math.min(1 - alpha, normal.beta(Math.max(0, checkRate(alpha, "alpha") - gamma)) + gamma),
  });
}

/** The Edgeworth expansion of f^⊗count to order 1/count [M77] (Zheng et al. 2020). An approximation, poor in the far tail. */
export function edgeworth(count: number, curve: TradeoffFunction): Approximation {
  checkCount(count, "count");
  const under = lossMoments(curve);
  const other = lossMoments(curve.inverted());
  if (!Number.isFinite(under.variance) || under.variance === 0)
    invalid("curve", curve.label, "of finite, positive variance");
  const [sp, sq] = [Math.sqrt(under.variance), Math.sqrt(other.variance)];
  const first = expansion(count, under);
  // Under the other hypothesis the loss of this direction is minus that of the inverted curve.
  const second = expansion(count, { ...other, third: -other.third });
  const mu = (Math.sqrt(count) * (under.kl + other.kl)) / sp;
  return Object.freeze({
    method: "edgeworth" as const,
    isGuarantee: false as const,
    mu,
    beta(alpha: number) {
      checkRate(alpha, "alpha");
      if (alpha === 0 || alpha === 1) return 1 - alpha;
      const threshold = risingRoot((x) => first(x) - (1 - alpha), -12, 12);
      return Math.min(1 - alpha, Math.max(0, second(((threshold - mu) * sp) / sq)));
    },
  });
}

/** The distribution function of a normalised sum of `count` losses. */
function expansion(count: number, { variance, third, fourth }: LossMoments): (x: number) => number {
  const s = Math.sqrt(variance);
  const skew = third / (6 * s ** 3 * Math.sqrt(count));
  const tail = fourth / (24 * s ** 4 * count);
  const square = third ** 2 / (72 * s ** 6 * count);
  return (x) =>
    normalCdf(x) -
    normalDensity(x) * (skew * (x * x - 1) + tail * (x ** 3 - 3 * x) + square * (x ** 5 - 10 * x ** 3 + 15 * x));
}

/** Noisy stochastic gradient descent in the limit of many steps [M77]: Poisson one way (Bu et al. 2020), uniform both ways. */
export function gradientDescentLimit(run: {
  readonly noiseMultiplier: number;
  readonly rate: number;
  readonly steps: number;
}): { readonly isGuarantee: false; readonly poisson: number; readonly uniform: number } {
  const { noiseMultiplier, rate, steps } = run;
  if (!(checkFinite(noiseMultiplier, "noiseMultiplier") > 0)) invalid("noiseMultiplier", noiseMultiplier, "> 0");
  checkRate(rate, "rate");
  checkCount(steps, "steps");
  const inverse = 1 / noiseMultiplier;
  const grown = Math.exp(inverse * inverse);
  const both = grown * normalCdf(1.5 * inverse) + 3 * normalCdf(-0.5 * inverse) - 2;
  return Object.freeze({
    isGuarantee: false as const,
    poisson: rate * Math.sqrt(steps * Math.expm1(inverse * inverse)),
    uniform: Math.SQRT2 * rate * Math.sqrt(steps * both),
  });
}
