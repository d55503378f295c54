/** Numerical tools and samplers that the packages of this repository share. They may change in any release: users import the root. */

export { laplaceLogMgf } from "./accounting/characteristic.ts";
export { adjacencyOf, oneSample, underRelation } from "./accounting/classes.ts";
export { composeLosses, type LossSource } from "./accounting/composition.ts";
export { cumulantOf, pureRenyi } from "./accounting/facts.ts";
export { holds } from "./accounting/invariants.ts";
export { isKind, type KindEvent, kindLosses, plainEvent, sampledEvent } from "./accounting/kinds.ts";
export { latticeDistribution } from "./accounting/lattice.ts";
export {
  atomicLosses,
  discreteGaussian,
  gaussianLosses,
  type LossDistribution,
  laplaceLosses,
  lossDistribution,
  poissonLosses,
  reach,
  symmetricLosses,
} from "./accounting/loss-distribution.ts";
export { mixedLoss, unmixedLoss } from "./accounting/mixture.ts";
export { binomialDelta } from "./accounting/optimal.ts";
export { type ComposedDirection, composedDirection } from "./accounting/pld.ts";
export { revealedMass } from "./accounting/revealed.ts";
export {
  asLower,
  asUpper,
  decimalAtLeast,
  drawnShare,
  enlarge,
  exactSum,
  expUp,
  lower,
  productOf,
  UNIT_ROUNDOFF,
  upper,
} from "./accounting/rounding.ts";
export { NO_DELTA, NO_EPSILON, NO_MU2 } from "./amounts/amount.ts";
export { atLeastZero, least, minus, plus } from "./amounts/arithmetic.ts";
export { exactDouble } from "./amounts/double.ts";
export { divide, floorDivide, multiply } from "./amounts/rational.ts";
export { type NumberWish, plainNumber, type TypedNumber, typedNumber, wishText } from "./amounts/typed-number.ts";
export { unlessRefused } from "./error.ts";
export { canonicalJson, type Fields, isRecord, type Present, present } from "./json.ts";
export { accessRight, LINKED, linkedDate } from "./linked.ts";
export { memoized } from "./memoized.ts";
export { choiceOf, distance, meantBy, meantText, mostWrong } from "./near.ts";
export { gaussianPmf, gaussianSampler } from "./noise/gaussian.ts";
export { laplacePmf, laplaceSampler } from "./noise/laplace.ts";
export { below } from "./noise/random.ts";
export { permuteAndFlip, type Run } from "./noise/select.ts";
export { fourierPlan, inverse, transform } from "./numeric/fft.ts";
export { deltaOfMu, logDeltaOfMu } from "./numeric/gaussian-profile.ts";
export {
  errorText,
  intervalDigits,
  MAX_PLAIN,
  meaningful,
  meaningfulDigits,
  roundTowards,
} from "./numeric/meaningful.ts";
export { integrate, integrateInPanels } from "./numeric/quadrature.ts";
export {
  bisect,
  bracketAbove,
  fallingRoot,
  halved,
  largestWhole,
  leastAt,
  leastIndex,
  leastWhole,
  risingRoot,
} from "./numeric/root.ts";
export {
  log1pexp,
  logAdd,
  logGamma,
  logNormalCdf,
  logNormalQuantile,
  logSumExp,
  mills,
  normalCdf,
  normalDensity,
  normalQuantile,
  normalQuantileUpper,
} from "./numeric/special.ts";
export {
  columnsIn,
  readTable,
  recordsOf,
  SeparatedMachine,
  type SeparatedTable,
  Step,
  separatorOf,
  type TextRecord,
} from "./separated.ts";
export { countText, csvField, isPrintable, printableText, visible } from "./text.ts";
export { isThisMachine } from "./this-machine.ts";
export { oneAfterAnother } from "./turns.ts";
