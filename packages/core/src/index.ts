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
export { nextDown, nextUp, type Rounding, toDouble } from "./double.ts";
export type { ErrorCode, ErrorDetails } from "./error.ts";
export { errorCodes, PrivacyError } from "./error.ts";
export { type DpEvent, type EventKind, eventKinds, formatEvent, parseEvent } from "./event.ts";
export { gaussianDelta, logGaussianDelta } from "./gaussian-profile.ts";
export { below, belowBig, type FillWords, type Random, type SecureRandom, secureRandom } from "./random.ts";
export { type Decimal, formatRational, parseRational, type Rational, rational } from "./rational.ts";
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
export { type Delta, delta, type Epsilon, epsilon, type Mu, mu, type Rho, rho } from "./units.ts";
