export type { Adjacency } from "./adjacency.ts";
export {
  type DeltaAmount,
  deltaAmount,
  deltaFromUnits,
  deltaNumber,
  deltaRational,
  deltaUnits,
  type EpsilonAmount,
  epsilonAmount,
  epsilonFromUnits,
  epsilonNumber,
  epsilonRational,
  epsilonUnits,
  formatDelta,
  formatEpsilon,
  formatResidue,
  type ResidueAmount,
  residueAmount,
  residueFromUnits,
  residueNumber,
  residueRational,
  residueUnits,
} from "./amount.ts";
export { bernoulliExp } from "./bernoulli.ts";
export { discreteGaussianPmf, discreteGaussianSampler } from "./discrete-gaussian.ts";
export { nextDown, nextUp, type Rounding, toDouble } from "./double.ts";
export type { ErrorCode, ErrorDetails } from "./error.ts";
export { errorCodes, PrivacyError } from "./error.ts";
export { type DpEvent, type EventKind, eventKinds, formatEvent, parseEvent } from "./event.ts";
export { Exact } from "./exact.ts";
export {
  type Admission,
  admit,
  canSwitch,
  type FilterNode,
  nextState,
  openLane,
  type Refusal,
  type ResidueQuote,
  type Standing,
} from "./filter.ts";
export type { Caps, FilterState } from "./filter-state.ts";
export {
  gaussianAccuracy,
  gaussianPmf,
  gaussianSampler,
  gaussianSigmaFor,
  gaussianTail,
  gaussianVariance,
  noiseMultiplier,
  sampleRoundedGaussian,
} from "./gaussian.ts";
export { gaussianDelta, logGaussianDelta } from "./gaussian-profile.ts";
export {
  type Amendment,
  amendTerms,
  type Guarantee,
  guarantee,
  guaranteeDelta,
  guaranteeTradeoff,
  type Raise,
} from "./guarantee.ts";
export { type FullQuota, freeQuota, largestEpsilon, type QuotaUse, quotaCaps } from "./headroom.ts";
export {
  type AccuracyTarget,
  laplaceAccuracy,
  laplaceEpsilonFor,
  laplacePmf,
  laplaceSampler,
  laplaceScaleFor,
  laplaceTail,
  laplaceVariance,
  sampleDiscreteLaplace,
} from "./laplace.ts";
export { type Price, priceEvent, priceEvents, pricePure } from "./price.ts";
export { below, belowBig, type FillWords, type Random, type SecureRandom, secureRandom } from "./random.ts";
export {
  type Decimal,
  divide,
  formatRational,
  integerSqrt,
  multiply,
  parseRational,
  type Rational,
  rational,
} from "./rational.ts";
export { type ChargedStep, type Discrepancy, replay, type StoredStep, verifyHistory } from "./replay.ts";
export {
  aboutResidue,
  largestPure,
  largestResidue,
  leastResidue,
  type Margin,
  payPure,
  payResidue,
  pureEpsilon,
  type ResidueStep,
} from "./residue.ts";
export {
  type ActiveRuleRow,
  activeRuleNames,
  activeRuleRow,
  DEFAULT_RULE,
  hasRoom,
  type Lane,
  nextRule,
  type Rule,
  type RuleRow,
  ruleNames,
  ruleRow,
  type Shortfall,
} from "./rules.ts";
export { permuteAndFlip, type Run } from "./select.ts";
export {
  erf,
  erfc,
  erfcx,
  log1mexp,
  log1pexp,
  logAdd,
  logErfc,
  logGamma,
  logNormalCdf,
  logNormalDensity,
  logNormalQuantile,
  logSumExp,
  normalCdf,
  normalDensity,
  normalQuantile,
  normalQuantileUpper,
} from "./special.ts";
export {
  capCaps,
  LARGEST_EPSILON,
  ledgerCaps,
  type Opening,
  openState,
  openTerms,
  type Quota,
  quotaDelta,
  shareCaps,
  type Terms,
} from "./terms.ts";
export { type Delta, delta, type Epsilon, epsilon, type Mu, mu, type Rho, rho } from "./units.ts";
export { VERSION } from "./version.ts";
