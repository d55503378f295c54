export { noiseRatio, publishedBothSources, publishedBounds } from "./as-published/both-sources.ts";
export { type CompositionLines, compositionLines, meanLossBounds } from "./as-published/composition.ts";
export { type PublishedModel, publishedModel } from "./as-published/model.ts";
export {
  COST_SENTENCE,
  type ComparisonRow,
  compositionRow,
  RISK_NAME,
  RISK_SENTENCE,
  spreadCounts,
} from "./comparison.ts";
export {
  type ComposedLoss,
  composedDiscreteLoss,
  composedEpsilon,
  composedFacts,
  composedLaplaceEpsilon,
  composedLoss,
  composedShortfall,
  jointLoss,
} from "./composed.ts";
export {
  advantageCost,
  budgetInterval,
  type CostForm,
  type CostFunction,
  type CostModel,
  type CostOptimum,
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
  type Weight,
} from "./cost.ts";
export { type DifferenceLaw, differenceLaw, MAX_DIMENSION, MAX_EPSILON } from "./difference.ts";
export { participationCost, plainStudy } from "./economics.ts";
export { elevenWords, equationEleven } from "./equation-eleven.ts";
export { dominationThreshold, GENERIC_DOMINATION_THRESHOLD, optimalEpsilon } from "./optimal.ts";
export { readNumericColumns } from "./public-csv.ts";
export {
  type CoverageBounds,
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
export {
  type Pick,
  type PublicRecords,
  publicRecords,
  readDistances,
  repeatablePick,
  type SampledSensitivity,
  type SamplingOptions,
  sampleDifferences,
  sampleDistances,
} from "./sensitivity.ts";
export {
  type Rows,
  type SampledStatistic,
  type SampledStatisticName,
  sampledStatistic,
  sampledStatisticNames,
} from "./statistic.ts";
export {
  attackAccuracy,
  composedMu,
  discreteLaplaceLoss,
  gaussianLoss,
  gaussianShortfall,
  type LossFacts,
  laplaceLoss,
  laplaceLossMoments,
  laplaceOverlap,
  laplaceShortfall,
  laplaceValueAtRisk,
  midpointLoss,
  overstatement,
  simulationWeight,
} from "./truth.ts";
export { costQuantiles, costTornado, type TornadoRow, type Triangle, type UncertainInputs } from "./uncertain.ts";
