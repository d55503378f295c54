import { formatRational, type Rational, rational } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import { bernoulliExp } from "./bernoulli.ts";
import { laplaceSampler } from "./laplace.ts";
import type { Random } from "./random.ts";

/**
 * A sampler of the discrete Gaussian of Canonne, Kamath and Steinke, Pr[x] ∝ exp(−x²/2σ²), exact. For study: it is not
 * 1/σ-GDP and has no closed residue cost, so the product's own noise is the exactly rounded Gaussian. [M8]
 */
export function discreteGaussianSampler(sigma: Rational): (random: Random) => bigint {
  if (sigma.numerator <= 0n) {
    invalid("sigma", formatRational(sigma), "> 0");
  }
  const n = sigma.numerator * sigma.numerator;
  const d = sigma.denominator * sigma.denominator;
  const scale = sigma.numerator / sigma.denominator + 1n;
  const draw = laplaceSampler(rational(scale));
  return (random) => {
    for (;;) {
      const y = draw(random);
      const distance = (y < 0n ? -y : y) * d * scale - n;
      if (bernoulliExp(distance * distance, 2n * n * d * scale * scale, random)) return y;
    }
  };
}

/** Pr[noise = k], normalised by summing until terms vanish. */
export function discreteGaussianPmf(sigma: number, k: number): number {
  let total = 1;
  for (let j = 1; j <= 40 * sigma + 1; j++) total += 2 * Math.exp((-j * j) / (2 * sigma * sigma));
  return Math.exp((-k * k) / (2 * sigma * sigma)) / total;
}
