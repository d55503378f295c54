export { discreteGaussian, discreteLaplace, fromPair, randomizedResponse, staircase } from "./atomic.ts";
export type { Atoms, Corners } from "./atoms.ts";
export {
  type AuditFit,
  type AuditOptions,
  auditThreshold,
  fitAudit,
  oneRunAudit,
  oneRunGaussianAudit,
  oneRunRefutes,
  type ThresholdAudit,
} from "./audit.ts";
export { boundedRange } from "./bounded-range.ts";
export { canonicalNoise } from "./canonical-noise.ts";
export { compose, selfCompose } from "./compose.ts";
export { type GaussianBound, isTradeoffFunction, named, type TradeoffFunction, type TradeoffPoint } from "./curve.ts";
export type { CurveDefinition } from "./definition.ts";
export { epsdelta } from "./epsdelta.ts";
export {
  type EpsdeltaEstimate,
  type EpsdeltaTarget,
  type EstimateOptions,
  estEpsdelta,
  estGdp,
  type GdpEstimate,
  gdpToEpsdelta,
} from "./estimate.ts";
export { maximum, minimum, symmetrise } from "./extremes.ts";
export { gaussianDelta, gaussianEpsilon, gaussianMu, gdp } from "./gdp.ts";
export { type FunctionOptions, fromFunction } from "./given.ts";
export { group } from "./group.ts";
export { lap } from "./lap.ts";
export { leastDelta, leastEpsilon, leastMu } from "./least.ts";
export {
  type Approximation,
  centralLimit,
  edgeworth,
  gradientDescentLimit,
  type LossMoments,
  lossMoments,
  type NormalApproximation,
} from "./limits.ts";
export { mechanismCurve } from "./mechanism.ts";
export { numberLabel } from "./number-label.ts";
export { type Comparison, compare, crossingsOf, dominates, slide } from "./order.ts";
export { fromPoints, type PointsInput, type PointsOptions, TOLERANCE } from "./points.ts";
export { fromScores, readPointsCsv, readScoresCsv } from "./points-csv.ts";
export {
  fromLosses,
  fromProfile,
  type LossDistribution,
  lossDistribution,
  type ProfilePoint,
  profileOf,
} from "./profile.ts";
export { mixture, readCurve } from "./read-curve.ts";
export {
  advantage,
  areaUnderCurve,
  bayesAccuracy,
  type GaussianFit,
  gaussianFit,
  likelihoodRatio,
  negativeLikelihoodRatio,
  precision,
  type RateReading,
  type Readings,
  type ReportCard,
  readings,
  reconstruction,
  reportCard,
} from "./readings.ts";
export { fromRenyi, leastRho, type RenyiPoint, renyi, zcdp } from "./renyi.ts";
export { subsample, subsampleOneWay } from "./subsample.ts";
export { truncatedLaplace } from "./truncated-laplace.ts";
