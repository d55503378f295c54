import { log1mexp, logNormalCdf, logNormalDensity, mills, millsSlope, normalCdf } from "./special.ts";

const POINTS = [
  [0.1252334085114689, 0.2491470458134028],
  [0.3678314989981802, 0.2334925365383548],
  [0.5873179542866175, 0.2031674267230659],
  [0.7699026741943047, 0.1600783285433462],
  [0.9041172563704749, 0.1069393259953184],
  [0.9815606342467192, 0.0471753363865118],
] as const;

/**
 * ln δ of the Gaussian mechanism: δ(ε; μ²) = Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ), for any real ε and μ² ≥ 0, with full
 * relative accuracy in δ however small. −∞ where δ is 0. Rising in μ², falling in ε. [M4]
 */
export function logGaussianDelta(epsilon: number, muSquared: number): number {
  if (muSquared === 0) return epsilon < 0 ? log1mexp(-epsilon) : Number.NEGATIVE_INFINITY;
  const mu = Math.sqrt(muSquared);
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

/** mills(a) − mills(a + h) for h > 0: by its integral where the difference would cancel. */
function millsDrop(a: number, h: number): number {
  if (h > 1 && a < 4 * h) return mills(a) - mills(a + h);
  let sum = 0;
  for (const [point, weight] of POINTS) {
    sum += weight * (millsSlope(a + (h * (1 - point)) / 2) + millsSlope(a + (h * (1 + point)) / 2));
  }
  return (sum * h) / 2;
}
