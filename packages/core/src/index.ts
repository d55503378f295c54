export {
  type DeltaAmount,
  deltaAmount,
  deltaDecimal,
  deltaFromUnits,
  deltaNumber,
  type EpsilonAmount,
  epsilonAmount,
  epsilonDecimal,
  epsilonFromUnits,
  epsilonNumber,
  formatDelta,
  formatEpsilon,
  formatMu2,
  gaussianMultiplier,
  type Mu2Amount,
  mu2Amount,
  mu2Decimal,
  mu2FromUnits,
  mu2Number,
} from "./amounts/amount.ts";
export { type Rounding, toDouble } from "./amounts/double.ts";
export {
  type Decimal,
  formatRational,
  integerSqrt,
  parseRational,
  type Rational,
  rational,
  squareRootUp,
} from "./amounts/rational.ts";
export { type BlockLoss, lossAcrossBlocks } from "./blocks/across-blocks.ts";
export {
  admitWindow,
  type BlockAdmission,
  type BlockPath,
  type BlockTerms,
  checkBlockTerms,
  openBlocks,
} from "./blocks/block-filter.ts";
export {
  admitBlocks,
  type BlockFilter,
  type BlockPiece,
  type BlockStates,
  type BlockStep,
  type BlocksAdmission,
  blockHistories,
  leastRoom,
  payBlocks,
  replayBlocks,
  type StoredBlockStep,
  sameStates,
  verifyBlocks,
} from "./blocks/block-states.ts";
export {
  type BlockCalendar,
  type Blocks,
  blockAt,
  blockEnds,
  blockName,
  blockNamed,
  blockOfDay,
  type CalendarBlocks,
  type CohortBlocks,
  calendarBlocks,
  closedThrough,
  cohortBlocks,
  endOfBlock,
  MAX_BLOCKS,
  MAX_RANGES,
  rangeName,
} from "./blocks/blocks.ts";
export {
  type ContinualStep,
  columnMu2,
  columnShare,
  isStepOf,
  MAX_HORIZON,
  squareRootColumn,
} from "./blocks/continual.ts";
export { countedTwice } from "./blocks/counted-twice.ts";
export { type BlockRange, filled, type Run, type Runs, rangesOf, together } from "./blocks/run.ts";
export {
  type BudgetCourse,
  type Course,
  MAX_DUE,
  type RepeatedReport,
  type Simulation,
  simulate,
  type TeamCourse,
} from "./blocks/simulate.ts";
export { countedFor, MAX_STATED, type Relation, relationNames } from "./blocks/stated.ts";
export { acrossBlocks, type BlockPromise, blockWord, protectedUnit } from "./blocks/unit-words.ts";
export { type BlockTimes, resolveWindow, type WindowRequest } from "./blocks/window.ts";
export {
  type CalendarUnit,
  calendarUnits,
  type DatePart,
  datePart,
  dateParts,
  FIRST_DAY,
  firstDayOf,
  formatDate,
  LAST_DAY,
  periodOfDay,
  readPeriod,
} from "./calendar.ts";
export {
  type Calendar,
  type Clock,
  type ClockPart,
  type ClockParts,
  type ClockUnit,
  clockOf,
  clockParts,
  clockSeconds,
  clockUnits,
  dayOfPeriod,
  dayPeriod,
  FIRST_SECOND,
  formatPeriod,
  isCalendarUnit,
  LAST_SECOND,
  parsePeriod,
  periodsOf,
  periodText,
  periodUnit,
  readInstant,
  wholePeriod,
} from "./clock.ts";
export { type ErrorCode, type ErrorDetails, errorCodes, invalid, PrivacyError } from "./error.ts";
export { type DpEvent, type EventKind, eventKinds, formatEvent, parseEvent } from "./event.ts";
export { Exact } from "./exact.ts";
export { type Adjacency, adjacencies, type EventAdjacency } from "./filter/adjacency.ts";
export {
  type Admission,
  admit,
  canSwitch,
  type FilterNode,
  type FilterTerms,
  type Mu2Quote,
  nextState,
  openingRule,
  type Refusal,
} from "./filter/filter.ts";
export { type Caps, type FilterState, fullerOf, sameCaps, sameState } from "./filter/filter-state.ts";
export {
  type Amendment,
  amendTerms,
  type Guarantee,
  guarantee,
  guaranteeDelta,
  guaranteeTradeoff,
  neverFall,
  type Raise,
} from "./filter/guarantee.ts";
export { type FullQuota, freeQuota, largestEpsilon, type QuotaUse, quotaCaps } from "./filter/headroom.ts";
export { type Price, priceEvent, priceEvents } from "./filter/price.ts";
export {
  aboutMu2,
  largestMu2,
  largestPure,
  leastMu2,
  type Margin,
  type Mu2Step,
  payMu2,
  payPure,
  pureEpsilon,
} from "./filter/remaining-mu2.ts";
export { type ChargedStep, type Discrepancy, replay, type StoredStep, verifyHistory } from "./filter/replay.ts";
export {
  type ActiveRule,
  type ActiveRuleRow,
  activeRuleNames,
  activeRuleRow,
  amountShare,
  DEFAULT_RULE,
  hasRoom,
  nextRule,
  type Rule,
  type RuleRow,
  ruleNames,
  ruleRow,
  type Shortfall,
  spentShare,
} from "./filter/rules.ts";
export {
  ledgerCaps,
  MAX_EPSILON,
  type Opening,
  openState,
  openTerms,
  type Quota,
  quotaDelta,
  shareCaps,
  type Terms,
} from "./filter/terms.ts";
export {
  gaussianAccuracy,
  gaussianSigmaFor,
  noiseMultiplier,
} from "./noise/gaussian.ts";
export {
  type AccuracyTarget,
  laplaceAccuracy,
  laplaceEpsilonFor,
  laplaceScaleFor,
} from "./noise/laplace.ts";
export { type FillWords, type Random, type SecureRandom, secureRandom } from "./noise/random.ts";
export { gaussianDelta } from "./numeric/gaussian-profile.ts";
export { casesText, FITTED } from "./text.ts";
export { VERSION } from "./version.ts";
export { QUESTION_WORK, unboundedWork, type Work, workBudget } from "./work.ts";
export {
  byLocalTime,
  DAY_SECONDS,
  instantOf,
  isZone,
  type OffsetChange,
  offsetAt,
  offsetFrom,
  type ZoneOffsets,
  zoneOffsets,
} from "./zones.ts";
