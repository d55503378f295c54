/**
 * What a program needs to use Dosimeter: the client of a server, prices, accountants, trade-off functions, plans and the
 * check of an export. It needs no Node module and runs in a browser too. `dosimeter/server` starts a server.
 *
 * @module
 */

// Talks to a server: one typed method for each route of `/v1`.
export { type Client, type ClientOptions, createClient, type RequestOptions } from "@dosimeter/client";
// The loss of a mechanism as an event, the error that every part throws, and the version.
export {
  type DpEvent,
  type ErrorCode,
  type ErrorDetails,
  formatEvent,
  PrivacyError,
  parseEvent,
  VERSION,
} from "@dosimeter/core";
// Accountants: the total loss of a list of events, by one method or by the tightest; noise for a target loss.
export {
  type BestLoss,
  type Calibration,
  type CalibrationTarget,
  calibrate,
  type Method,
  type Question,
  type ReportOptions,
  type TotalLoss,
  tightestLoss,
  totalLoss,
} from "@dosimeter/core/accounting";
// Derives prices of whole plans again, for `checkExport`.
export { planAccountant } from "@dosimeter/core/derive";
export { boundPlan } from "@dosimeter/query/bind";
export { checkDeclaration, type Declaration, type Formula, formulaText } from "@dosimeter/query/declaration";
export { parseFormula } from "@dosimeter/query/expression";
// Statistics before they are paid: the error at an ε, the ε for an error, a plan's bounds and its quote.
export {
  accuracy,
  type CalculusRequest,
  type Computation,
  compute,
  epsilonFor,
  getAccuracy,
  getParameter,
  type QuotedStatistic,
  quotePlan,
} from "@dosimeter/query/quote";
export type { Plan, StatisticRequest } from "@dosimeter/query/statistics";
// Trade-off functions: the least type II error at each type I error, how they compose, and what they promise.
export {
  compose,
  epsdelta,
  estEpsdelta,
  estGdp,
  fromPoints,
  gdp,
  group,
  lap,
  mechanismCurve,
  type Readings,
  readings,
  subsample,
  type TradeoffFunction,
  type TradeoffPoint,
} from "@dosimeter/tradeoff";
// Recomputes an exported ledger from its text alone.
export { type Check, checkExport, type Problem } from "@dosimeter/verify";
