export { type Answer, type AnswerCell, addNoise } from "./answer.ts";
export { boundPlan } from "./bound.ts";
export { accuracy, type CalculusRequest, epsilonFor } from "./calculus.ts";
export {
  type Adjacency,
  type Column,
  type ColumnType,
  type ContributionBound,
  checkDeclaration,
  type Declaration,
  type Key,
  type Provenance,
  type Source,
} from "./declaration.ts";
export type { Engine, Measured, RunOptions, SourceColumn, TableVersion } from "./engine.ts";
export type { Cost } from "./noise.ts";
export type {
  Bin,
  BoundedPlan,
  BoundedStatistic,
  Contribution,
  DecimalInput,
  GroupKey,
  Noise,
  NoiseFamily,
  Plan,
  Sensitivity,
  StatisticRequest,
  Ticks,
} from "./plan.ts";
export { type Edit, editPlan, emptyDraft, type PlanDraft, type PlanRow } from "./planner.ts";
export { type Comparison, checkPredicate, type Predicate, predicateText } from "./predicate.ts";
export { parsePredicate } from "./predicate-text.ts";
export { eventsOf, type QuotedStatistic, quotePlan, quoteStatistic } from "./quote.ts";
export { type Statistic, type StatisticName, statisticNames, statistics } from "./statistics.ts";
