export type { ComposedLoss } from "./composed.ts";
export { composedEpsilon, composedFacts, composedLaplaceEpsilon, composedLoss, composedShortfall } from "./composed.ts";
export type { CompositionLines } from "./composition.ts";
export { compositionLines, meanLossBounds } from "./composition.ts";
export type { PublishedModel } from "./confidence.ts";
export { publishedModel } from "./confidence.ts";
export type { CostFunction, CostModel, CostOptimum, Weight } from "./cost.ts";
export {
  advantageCost,
  budgetInterval,
  compensationBudget,
  costOptimum,
  costRange,
  epsilonForError,
  expectedLossCost,
  exponentialCost,
  hillCost,
  hsuStudy,
  largestConvexEpsilon,
  posteriorCost,
  publishedBounds,
  saturatingCost,
} from "./cost.ts";
export type { DifferenceLaw } from "./difference.ts";
export { differenceLaw, LARGEST_DIMENSION, LARGEST_EPSILON } from "./difference.ts";
export type { CoverageBounds } from "./sampled.ts";
export {
  coverageBounds,
  noiseRatio,
  orderStatistic,
  publishedBothSources,
  sampledConfidence,
  samplerForRisk,
  samplerRisk,
  sampleSize,
  samplesForMaximum,
  toleranceOrder,
} from "./sampled.ts";
export type { Pick, PublicRecords, SampledSensitivity } from "./sensitivity.ts";
export { publicRecords, readDistances, sampleDistances } from "./sensitivity.ts";
export type { Rows, SampledStatistic, SampledStatisticName } from "./statistic.ts";
export { sampledStatistic, sampledStatistics } from "./statistic.ts";
export type { LossFacts } from "./truth.ts";
export {
  attackAccuracy,
  discreteLaplaceLoss,
  gaussianLoss,
  gaussianShortfall,
  laplaceLoss,
  laplaceLossMoments,
  laplaceOverlap,
  laplaceValueAtRisk,
  midpointLoss,
  overstatement,
  simulationWeight,
} from "./truth.ts";
