import { invalid } from "@dosimeter/core";
import { integrateInPanels } from "@dosimeter/core/internal";

/**
 * The law of T = |X₁ − X₂| with X₁, X₂ independent Gamma(k, 1): what the published privacy at risk calls BesselG(k, 1).
 * T ~ Gamma(I + 1, 1) with I the matchbox law on 0…k−1 [M100]: every sum below has positive terms, so relative errors stay at a few ulps.
 */
export interface DifferenceLaw {
  readonly k: number;
  /** Weights of the mixture, w₀…; those below 1e-300 of the largest are left out. */
  readonly weights: Float64Array;
  /** P(T ≤ x), 0 ≤ x ≤ 600. */
  cdf(x: number): number;
  /** P(T > x), accurate where it is tiny. */
  survival(x: number): number;
  /** Density at x; decreasing and log-concave. */
  density(x: number): number;
  /** P(a < T ≤ b) without cancellation. */
  mass(a: number, b: number): number;
}

/** Beyond this e^−x leaves the range of a double's normal numbers; no privacy parameter lives there. */
export const MAX_EPSILON = 600;
export const MAX_DIMENSION = 1_000_000;
const NEGLIGIBLE = 1e-300;
const CONVERGED = 1e-19;

/** The law for outputs of dimension `k` (1 … 10⁶); set-up costs O(√k), an evaluation O(x + √x). */
export function differenceLaw(k: number): DifferenceLaw {
  if (!Number.isInteger(k) || k < 1 || k > MAX_DIMENSION) {
    invalid("k", k, `an integer from 1 to ${MAX_DIMENSION}`);
  }
  const weights = matchboxWeights(k - 1);
  const prefix = new Float64Array(weights.length + 1);
  const suffix = new Float64Array(weights.length + 1);
  for (let i = 0; i < weights.length; i++) prefix[i + 1] = at(prefix, i) + at(weights, i);
  for (let i = weights.length - 1; i >= 0; i--) suffix[i] = at(suffix, i + 1) + at(weights, i);

  const quick = k > 1 && k <= QUICK_DIMENSION ? polynomials({ weights, suffix, prefix }) : undefined;
  const cdf = (x: number): number => {
    if (k === 1) return -Math.expm1(-x);
    if (quick !== undefined) {
      if (x <= QUICK_POINT) return x * horner(quick.below, x) * Math.exp(-x);
      const above = horner(quick.above, x) * Math.exp(-x);
      if (above < 0.5) return 1 - above;
    }
    let poisson = Math.exp(-x);
    let sum = 0;
    for (let j = 1; ; j++) {
      poisson *= x / j;
      const term = poisson * (j < prefix.length ? at(prefix, j) : 1);
      sum += term;
      if (j > x && poisson <= CONVERGED * sum) return Math.min(sum, 1);
    }
  };
  const mixture = (x: number, factors: Float64Array): number => {
    let poisson = Math.exp(-x);
    let sum = 0;
    for (let j = 0; j < weights.length; j++) {
      const term = poisson * at(factors, j);
      sum += term;
      if (j > x && term <= CONVERGED * sum) break;
      poisson *= x / (j + 1);
    }
    return sum;
  };
  const density = (x: number): number => {
    if (k === 1) return Math.exp(-x);
    return quick === undefined ? mixture(x, weights) : horner(quick.density, x) * Math.exp(-x);
  };
  const survival = (x: number): number => {
    if (k === 1) return Math.exp(-x);
    return quick === undefined ? mixture(x, suffix) : horner(quick.above, x) * Math.exp(-x);
  };
  const mass = (a: number, b: number): number => {
    if (!(b > a)) return 0;
    if (k === 1) return -Math.exp(-a) * Math.expm1(a - b);
    const [belowA, belowB] = [cdf(a), cdf(b)];
    if (belowA <= 0.5 * belowB) return belowB - belowA;
    const [aboveA, aboveB] = [survival(a), survival(b)];
    if (aboveB <= 0.5 * aboveA) return aboveA - aboveB;
    return integrateInPanels(density, a, b);
  };
  return {
    k,
    weights,
    cdf: (x) => cdf(checkPoint(x)),
    survival: (x) => survival(checkPoint(x)),
    density: (x) => density(checkPoint(x)),
    mass: (a, b) => mass(checkPoint(a), checkPoint(b)),
  };
}

/** Up to here the sums are polynomials of so low a degree that Horner's rule beats the Poisson recursion. */
const QUICK_DIMENSION = 24;
/** Below this point 30 terms of the distribution function are beyond a double's reach. */
const QUICK_POINT = 2;
const QUICK_TERMS = 30;

/** Coefficients over e^−x: of the density, of P(T > x), and of P(T ≤ x)/x; all positive. */
function polynomials({
  weights,
  suffix,
  prefix,
}: {
  readonly weights: Float64Array;
  readonly suffix: Float64Array;
  readonly prefix: Float64Array;
}): { readonly density: Float64Array; readonly above: Float64Array; readonly below: Float64Array } {
  const factorial = (n: number): number => {
    let product = 1;
    for (let j = 2; j <= n; j++) product *= j;
    return product;
  };
  return {
    density: weights.map((weight, j) => weight / factorial(j)),
    above: suffix.subarray(0, weights.length).map((weight, j) => weight / factorial(j)),
    below: Float64Array.from(
      { length: QUICK_TERMS },
      (_, j) => (j + 1 < prefix.length ? at(prefix, j + 1) : 1) / factorial(j + 1),
    ),
  };
}

function horner(coefficients: Float64Array, x: number): number {
  let sum = 0;
  for (let j = coefficients.length - 1; j >= 0; j--) sum = sum * x + at(coefficients, j);
  return sum;
}

/** wᵢ = C(2m−i, m)·2^−(2m−i), i = 0…m, cut where they no longer matter. */
function matchboxWeights(m: number): Float64Array {
  const weights: number[] = [centralBinomial(m)];
  for (let i = 1; i <= m; i++) {
    const next = ((weights[i - 1] ?? 0) * 2 * (m - i + 1)) / (2 * m - i + 1);
    if (next < NEGLIGIBLE) break;
    weights.push(next);
  }
  return Float64Array.from(weights);
}

/** C(2m, m)/4^m: the product for small m, Stirling's series from m = 64 on (next term below 1e-18). */
function centralBinomial(m: number): number {
  if (m < 64) {
    let value = 1;
    for (let j = 1; j <= m; j++) value *= (2 * j - 1) / (2 * j);
    return value;
  }
  const t = 1 / m;
  const series =
    1 +
    t *
      (-1 / 8 +
        t *
          (1 / 128 +
            t * (5 / 1024 + t * (-21 / 32768 + t * (-399 / 262144 + t * (869 / 4194304 + (t * 39325) / 33554432))))));
  return series / Math.sqrt(Math.PI * m);
}

function checkPoint(x: number): number {
  if (!(x >= 0 && x <= MAX_EPSILON)) {
    invalid("epsilon", x, `from 0 to ${MAX_EPSILON}`);
  }
  return x;
}

const at = (values: Float64Array, index: number): number => values[index] ?? 0;
