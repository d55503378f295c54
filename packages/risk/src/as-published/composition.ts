import { invalid } from "@dosimeter/core";
import { checkEpsilon, checkEpsilon0, checkShare, checkWhole } from "../check.ts";
import { optimalEpsilon } from "../optimal.ts";

/** Bounds on the total ε of `count` releases of one ε₀-DP mechanism at this δ; all but `published` hold, `published` only by slack. [M106] */
export interface CompositionLines {
  readonly basic: number;
  /** Dwork and Roth, Theorem 3.20: drift ε₀(e^ε₀ − 1). */
  readonly advanced: number;
  /** The same with the tight drift ε₀·tanh(ε₀/2). */
  readonly advancedTight: number;
  readonly zcdp: number;
  /** The least ε that holds for every ε₀-DP mechanism; exact for counts with discrete Laplace noise. */
  readonly optimal: number;
  /** Hoeffding about the true mean loss of Laplace noise, ε₀ + e^−ε₀ − 1; for Laplace noise only. */
  readonly hoeffding: number;
  /** Theorem 3.1 with the confidence of Theorem 4.1. */
  readonly published: number;
  /** Theorem 3.1 with the mean ½[γε² + (1 − γ)ε₀²]: false for Laplace noise, from n = 257 at ε₀ = 0.5. */
  readonly publishedHalf: number;
  /** The curve that the authors' program draws: a wrongly inverted Hoeffding bound, false. */
  readonly asPlotted: number;
}

/** Every closed-form line of the paper's comparison (its figures 9–11) for `confidence` at level `epsilon`. */
export function compositionLines(options: {
  readonly epsilon0: number;
  readonly epsilon: number;
  readonly confidence: number;
  readonly count: number;
  readonly delta: number;
}): CompositionLines {
  const { confidence, count, delta } = options;
  const epsilon0 = checkEpsilon0(options.epsilon0);
  const epsilon = Math.min(checkEpsilon(options.epsilon), epsilon0);
  checkShare("confidence", confidence);
  checkWhole("count", count);
  if (!(delta > 0 && delta < 1)) invalid("delta", delta, "between 0 and 1");
  const deviation = epsilon0 * Math.sqrt(2 * count * Math.log(1 / delta));
  const means = meanLossBounds({ epsilon0, epsilon, confidence });
  return {
    basic: count * epsilon0,
    advanced: deviation + count * epsilon0 * Math.expm1(epsilon0),
    advancedTight: deviation + count * epsilon0 * Math.tanh(epsilon0 / 2),
    zcdp: deviation + (count * epsilon0 * epsilon0) / 2,
    optimal: optimalEpsilon({ epsilon0, count, delta }),
    hoeffding: deviation + count * (epsilon0 + Math.expm1(-epsilon0)),
    published: deviation + count * means.published,
    publishedHalf: deviation + count * means.half,
    asPlotted: Math.sqrt(-Math.log1p(-delta) / (2 * count)) * (epsilon0 - epsilon) + count * means.published,
  };
}

/**
 * Bounds on the mean loss when |L| ≤ ε₀ surely and P(|L| ≤ ε) ≥ confidence under both neighbours: the paper's two forms and
 * the tight one [M107]. With the confidence of Theorem 4.1 the premise is false for Laplace noise.
 */
export function meanLossBounds(options: {
  readonly epsilon0: number;
  readonly epsilon: number;
  readonly confidence: number;
}): {
  readonly published: number;
  readonly half: number;
  readonly tight: number;
} {
  const { epsilon0, epsilon, confidence } = options;
  const mix = (f: (e: number) => number): number => confidence * f(epsilon) + (1 - confidence) * f(epsilon0);
  return {
    published: mix((e) => e * Math.expm1(e)),
    half: mix((e) => (e * e) / 2),
    tight: mix((e) => e * Math.tanh(e / 2)),
  };
}
