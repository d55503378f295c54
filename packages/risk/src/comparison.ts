import { type CompositionLines, compositionLines } from "./as-published/composition.ts";
import { publishedModel } from "./as-published/model.ts";
import { composedEpsilon, composedFacts, composedLoss, composedShortfall } from "./composed.ts";
import { costOptimum } from "./cost.ts";

/** One number of releases in the paper's comparison, with what is true of it. */
export interface ComparisonRow extends CompositionLines {
  readonly count: number;
  /** The exact curve for Laplace noise, worst pair, extrapolated from two grids: about 1e-6 relative. */
  readonly exact: number;
  /** What may be shown as the total for any ε₀-DP mechanism: the lesser of basic and optimal. */
  readonly holds: number;
  /** The true δ where the curve that the authors' program draws and the ½ form of theorem 3.1 run. */
  readonly deltaAtPlotted: number;
  readonly deltaAtHalf: number;
  /** At 95 %, of the loss of Laplace noise. */
  readonly valueAtRisk: number;
  readonly expectedShortfall: number;
}

/** The comparison of figures 9–11 at one number of releases; the level of privacy at risk is the cost optimum, as in the paper. */
export function compositionRow(options: {
  readonly epsilon0: number;
  readonly count: number;
  readonly delta: number;
  readonly epsilon?: number;
  readonly confidence?: number;
}): ComparisonRow {
  const { epsilon0, count, delta } = options;
  const epsilon = options.epsilon ?? costOptimum({ epsilon0 }).epsilon;
  const confidence = options.confidence ?? publishedModel({ epsilon0 }).confidence(epsilon);
  const lines = compositionLines({ epsilon0, epsilon, confidence, count, delta });
  const { fine, exact } = exactEpsilon({ epsilon0, count, delta });
  return {
    count,
    ...lines,
    exact,
    holds: Math.min(lines.basic, lines.optimal),
    deltaAtPlotted: composedFacts(fine, lines.asPlotted).delta,
    deltaAtHalf: composedFacts(fine, lines.publishedHalf).delta,
    ...composedShortfall(fine, 0.95),
  };
}

function exactEpsilon({ epsilon0, count, delta }: { epsilon0: number; count: number; delta: number }) {
  const usual = composedLoss({ epsilon0, count });
  const cells = 2 * Math.ceil(usual.reach / count / 2);
  const fine = cells * count === usual.reach ? usual : composedLoss({ epsilon0, count, resolution: cells });
  const rough = composedEpsilon(composedLoss({ epsilon0, count, resolution: cells / 2 }), delta);
  const better = composedEpsilon(fine, delta);
  return { fine, exact: Math.max(0, better - (rough - better) / 3) };
}

/** About `points` whole numbers from 1 to `most`, evenly spread, both ends in. */
export function spreadCounts(most: number, points = 25): readonly number[] {
  const parts = Math.max(1, Math.min(most, points) - 1);
  return [...new Set(Array.from({ length: parts + 1 }, (_, i) => Math.round(1 + ((most - 1) * i) / parts)))];
}

/** What every surface calls the published numbers. */
export const RISK_NAME = "Privacy at risk (published model, Dandekar et al. 2021)";

/** Stands, in full, wherever a number of the published model is shown. */
export const RISK_SENTENCE =
  "Privacy at risk is a probabilistic reading of a mechanism that is still ε0-DP. The release is charged ε0. This figure is a modelling aid; it is not a guarantee, does not compose, does not survive post-processing, and is never used to admit a query.";

/** Stands next to every amount of money. */
export const COST_SENTENCE =
  "The cost function and its amounts are chosen by the operator; they are not an estimate of liability and not legal advice.";
