export { noiseRatio, publishedBothSources } from "./as-published/both-sources.ts";
export { publishedBounds } from "./as-published/bounds.ts";
export type { CompositionLines } from "./as-published/composition.ts";
export { compositionLines, meanLossBounds } from "./as-published/composition.ts";
export type { PublishedModel } from "./as-published/model.ts";
export { publishedModel } from "./as-published/model.ts";
export type { ComparisonRow } from "./comparison.ts";
export { compositionRow, spreadCounts } from "./comparison.ts";
export type { ComposedLoss } from "./composed.ts";
export {
  composedDiscreteLoss,
  composedEpsilon,
  composedFacts,
  composedLaplaceEpsilon,
  composedLoss,
  composedShortfall,
  jointLoss,
} from "./composed.ts";
export type { CostForm, CostFunction, CostModel, CostOptimum, Weight } from "./cost.ts";
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
  saturatingCost,
} from "./cost.ts";
export type { DifferenceLaw } from "./difference.ts";
export { differenceLaw, MAX_DIMENSION, MAX_EPSILON } from "./difference.ts";
export { dominationThreshold, GENERIC_DOMINATION_THRESHOLD } from "./domination.ts";
export { participationCost, plainStudy } from "./economics.ts";
export { elevenWords, equationEleven } from "./equation-eleven.ts";
export { optimalEpsilon } from "./optimal.ts";
export { readNumericColumns } from "./public-csv.ts";
export type { CoverageBounds } from "./sampled.ts";
export {
  coverageBounds,
  orderStatistic,
  sampledConfidence,
  sampledVectorConfidence,
  samplerForRisk,
  samplerRisk,
  sampleSize,
  samplesForMaximum,
  toleranceOrder,
} from "./sampled.ts";
export type { Pick, PublicRecords, SampledSensitivity, SamplingOptions } from "./sensitivity.ts";
export { publicRecords, readDistances, repeatablePick, sampleDifferences, sampleDistances } from "./sensitivity.ts";
export { COST_SENTENCE, RISK_NAME, RISK_SENTENCE } from "./sentence.ts";
export type { Rows, SampledStatistic, SampledStatisticName } from "./statistic.ts";
export { sampledStatistic, sampledStatisticNames } from "./statistic.ts";
export type { LossFacts } from "./truth.ts";
export {
  attackAccuracy,
  composedMu,
  discreteLaplaceLoss,
  gaussianLoss,
  gaussianShortfall,
  laplaceLoss,
  laplaceLossMoments,
  laplaceOverlap,
  laplaceShortfall,
  laplaceValueAtRisk,
  midpointLoss,
  overstatement,
  simulationWeight,
} from "./truth.ts";
export type { TornadoRow, Triangle, UncertainInputs } from "./uncertain.ts";
export { costQuantiles, costTornado } from "./uncertain.ts";
