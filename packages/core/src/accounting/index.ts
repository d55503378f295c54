export {
  type AgentBudget,
  type AgentLoss,
  type AgentReport,
  type AgentRule,
  type AgentSpend,
  agentLift,
  agentLosses,
  agentReport,
} from "./as-published/agent.ts";
export { type Calibration, type CalibrationTarget, calibrate } from "./calibrate.ts";
export { certified, isCertified } from "./certified.ts";
export { neededAdjacency, type SpendClass, spendClasses } from "./classes.ts";
export { howManyMore } from "./count.ts";
export { type LossFacts, lossFacts } from "./facts.ts";
export { gdpDelta, gdpEpsilon, muOfLaplace, muOfPure } from "./gdp.ts";
export { type GroupLoss, groupPrivacy, groupRho } from "./group.ts";
export { type HistoryPoint, lossHistory } from "./history.ts";
export { type RunningTarget, type RunningTotal, runningLine, runningTotal } from "./incremental.ts";
export { type BrokenInvariantListener, onBrokenInvariant } from "./invariants.ts";
export type { Method, Question, TotalLoss } from "./loss.ts";
export { odometerEpsilon } from "./odometer.ts";
export { type OptimalProfile, optimalProfile } from "./optimal.ts";
export { type PlanPrice, planPrice } from "./plan-price.ts";
export { isPaidBy, planQuotes } from "./plan-quote.ts";
export {
  type PrivacyLossDirection,
  type PrivacyLossDistribution,
  privacyLossDistribution,
} from "./pld.ts";
export type { PldOptions } from "./profile-engines.ts";
export { type PublicationRow, readPublications } from "./publications.ts";
export {
  type Accountant,
  accountantNamed,
  accountants,
  type BestLoss,
  lossOf,
  type Report,
  type ReportOptions,
  tightestLoss,
  tightestOf,
  totalLoss,
} from "./report.ts";
export type { Interval, Lower, Upper } from "./rounding.ts";
export { amplifyBySampling, functioningLoss, type SampleFrame } from "./sampling.ts";
export { agentListOf, byLine, readSpendList, type SpendLine } from "./spend-list.ts";
export { readSpends, type Spend, type Spends, type SteppedSpend, spendsOverTime } from "./spends.ts";
export { rhoOfPure, zcdpDelta, zcdpEpsilon, zcdpEpsilonSimple } from "./zcdp.ts";
