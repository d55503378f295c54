import { integrate } from "./quadrature.ts";
import { log1mexp, logNormalCdf, logNormalDensity, mills, millsSlope, normalCdf, normalDensity } from "./special.ts";

/**
 * ln δ of the Gaussian mechanism: δ(ε; μ²) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), for any real ε and μ² ≥ 0, with full
 * relative accuracy in δ however small. −∞ where δ is 0. Rising in μ², falling in ε. [M4]
 */
export function logGaussianDelta(epsilon: number, muSquared: number): number {
  return logDeltaOfMu(epsilon, Math.sqrt(muSquared));
}

/** The same in terms of μ ≥ 0; at −ε it is 1 − e^−ε + e^−ε·δ(ε). */
export function logDeltaOfMu(epsilon: number, mu: number): number {
  if (epsilon < 0) {
    const back = mu === 0 ? 0 : Math.exp(epsilon + logDeltaOfMu(-epsilon, mu));
    return back === 0 ? log1mexp(-epsilon) : Math.log(-Math.expm1(epsilon) + back);
  }
  if (mu === 0) return Number.NEGATIVE_INFINITY;
  const a = epsilon / mu - mu / 2;
  if (a < -1) {
    const upper = -a;
    return Math.log1p(-(normalCdf(-upper) + Math.exp(epsilon + logNormalCdf(-(a + mu)))));
  }
  return logNormalDensity(a) + Math.log(millsDrop(a, mu));
}

/** δ(ε; μ²); see `logGaussianDelta`. */
export const gaussianDelta = (epsilon: number, muSquared: number): number =>
  Math.exp(logGaussianDelta(epsilon, muSquared));

/** δ(ε; μ) without the rounding of a logarithm: relative error about 1e-14, also where δ or μ is tiny. */
export function deltaOfMu(epsilon: number, mu: number): number {
  if (mu === Number.POSITIVE_INFINITY) return 1;
  if (mu === 0 || epsilon === Number.POSITIVE_INFINITY) return 0;
  const a = epsilon / mu - mu / 2;
  if (a > BELOW_DOUBLES) return 0;
  return a < mu && mu > 1 ? normalCdf(-a) - normalDensity(a) * mills(a + mu) : normalDensity(a) * millsDrop(a, mu);
}

/** Φ(−40) is below the least double. */
const BELOW_DOUBLES = 40;

/** mills(a) − mills(a + h) for h > 0: by its integral where the difference would cancel. */
function millsDrop(a: number, h: number): number {
  if (h > 1 && a < 4 * h) return mills(a) - mills(a + h);
  return integrate((x) => millsSlope(a + x), 0, h);
}
