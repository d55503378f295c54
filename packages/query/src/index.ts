export { addNoise, noiseSteps } from "./answer/add-noise.ts";
export type { Answer, AnswerOrigin } from "./answer/answer.ts";
export { missingShares } from "./answer/missing-share.ts";
export { quantileOfCdf } from "./answer/quantile-of-cdf.ts";
export {
  type AnswerWords,
  answerCalendar,
  answerRange,
  answersToShow,
  answerUnit,
  errorUnit,
  planColumns,
  planTable,
  planTitle,
  planWords,
} from "./answer/title.ts";
export { boundPlan, boundSteps } from "./bind/bound-plan.ts";
export { foundBytesOf, foundCellsOf, releasedIntegers, workOf } from "./bind/limits.ts";
export { shortWindow, typedWindow } from "./bind/typed-window.ts";
export {
  blockCalendar,
  blockFrom,
  closeThrough,
  lastDatedBlock,
  lastToClose,
  planOver,
  planOverAll,
  refuseEarlyClosing,
  timesOfBlock,
  withBlock,
} from "./bind/window.ts";
export { reachingTo } from "./declaration/blocks.ts";
export { checkDeclaration } from "./declaration/check-declaration.ts";
export { columnJson, declarationJson } from "./declaration/dates.ts";
export { scaleOfStep } from "./declaration/decimals.ts";
export type {
  Column,
  ColumnType,
  ContributionBound,
  Declaration,
  DeclaredBlocks,
  Joinable,
  Provenance,
  UnitNoun,
} from "./declaration/declaration.ts";
export { type Formula, formulaText } from "./declaration/formula.ts";
export type { JoinedColumn, JoinRequest, TakeName, Taken } from "./declaration/join-type.ts";
export type { Key } from "./declaration/key.ts";
export { missingWords } from "./declaration/missing-words.ts";
export { mostRowsOf } from "./declaration/most.ts";
export { type Comparison, checkPredicate, isOrdered, type Predicate, predicateText } from "./declaration/predicate.ts";
export { parsePredicate } from "./declaration/predicate-text.ts";
export { inNoun, spokenColumn, unitNounOf } from "./declaration/words.ts";
export { withDerived } from "./expression/derive.ts";
export { parseFormula } from "./expression/formula-text.ts";
export { joinRequest, passesOf, withJoin } from "./join/join.ts";
export { columnsToTake, takeNames, takenWords, takeOf } from "./join/taken.ts";
export type { Cost } from "./noise/noise.ts";
export type {
  BoundedPlan,
  BoundedStatistic,
  Contribution,
  DecimalInput,
  GroupKey,
  Mechanism,
  Noise,
  NoiseChoice,
  NoiseFamily,
  Sensitivity,
} from "./plan/bounded.ts";
export { measuredCells } from "./plan/bounded.ts";
export type {
  Appended,
  Appending,
  CheckedTable,
  Engine,
  JoinedVersion,
  Lineage,
  Listing,
  Measured,
  Problems,
  RunOptions,
  SourceColumn,
  TableVersion,
} from "./plan/engine.ts";
export { checkReason, plainPlan, planHash, planText } from "./plan/plan-file.ts";
export type { Bin, Ticks } from "./plan/task.ts";
export { lastingOf } from "./plan/task-kinds.ts";
export { headroomOf } from "./planner/account-headroom.ts";
export { type AccountantChoice, accountantChoices, accountantNames, accountants } from "./planner/budget.ts";
export { type AccountantOutcome, compareAccountants } from "./planner/compare.ts";
export { comparePlans, type RowChange } from "./planner/diff.ts";
export {
  type Allocation,
  type Edit,
  emptyDraft,
  type Notice,
  type Pending,
  type PlanDraft,
  type PlanRow,
  planOf,
  type RowMode,
  requestWith,
} from "./planner/draft.ts";
export { editPlan } from "./planner/edit.ts";
export { firstDelta } from "./planner/first-delta.ts";
export { firstPrice, roomFor } from "./planner/first-price.ts";
export { leftBelow } from "./planner/follow.ts";
export { type Fitness, type Grade, gradeOf, referenceOf } from "./planner/grade.ts";
export type { Headroom, HeadroomNode } from "./planner/headroom.ts";
export { type Help, helpsFor } from "./planner/helps.ts";
export { committed, type History, openHistory, redone, undone } from "./planner/history.ts";
export { type LeastTotal, leastTotal, type Totals } from "./planner/least.ts";
export { limitOf } from "./planner/limits.ts";
export { type GivenRow, openRows } from "./planner/open.ts";
export { type ClippingPoint, clippingCurve, clippingOf, type Guess } from "./planner/practice/clipping.ts";
export { type Practice, type PractisedStatistic, practise } from "./planner/practice/practice.ts";
export { practiceRandom } from "./planner/practice/practice-data.ts";
export { noiseSpread } from "./planner/practice/spread.ts";
export {
  blocksOfDraft,
  errorAt,
  peopleOf,
  readableUnits,
  tableErrorsOf,
  unitsFor,
  wholeDeclaration,
} from "./planner/price.ts";
export { pricedPlan } from "./planner/priced-plan.ts";
export { type Profile, type ProfileRequest, profileDraft, profileOf } from "./planner/profile.ts";
export { type PsiTable, psiShares } from "./planner/psi.ts";
export { needsReason } from "./planner/sample.ts";
export { openPlan, savedPlan } from "./planner/saved-plan.ts";
export {
  requestOfTexts,
  type Setting,
  type SettingTexts,
  settings,
  settingsFor,
  textsOfRequest,
} from "./planner/settings.ts";
export { mostFor } from "./planner/settle.ts";
export { type WayOut, waysOut } from "./planner/ways-out.ts";
export { accuracy, type CalculusRequest, epsilonFor } from "./quote/calculus.ts";
export { deltaWarning } from "./quote/delta-warning.ts";
export { type Computation, compute, getAccuracy, getParameter, type Metadata } from "./quote/psi-calculus.ts";
export { eventsOf, type QuotedStatistic, quotePlan, quoteStatistic, type Remedy } from "./quote/quote.ts";
export { uselessFrom } from "./quote/usefulness.ts";
export { errorText } from "./quote/words.ts";
export { type About, type Append, type Canonical, canonicalOf } from "./reuse/canonical.ts";
export { type Combined, combined, type Operation, type Picked } from "./reuse/combine.ts";
export { consistentSteps, mayAgree } from "./reuse/consistent.ts";
export { whyNoRows } from "./reuse/derive.ts";
export { type Diagrams, diagramsOf } from "./reuse/diagram.ts";
export { type Earlier, earlierOf, type Origin, type Pool, poolOf } from "./reuse/earlier.ts";
export {
  answerOf,
  isAsAccurate,
  type Offer,
  type OfferKind,
  type StatisticSpec,
  toppedUp,
  unseen,
  type Way,
  waysTo,
  whyNoTopUp,
  whyNotAtThis,
} from "./reuse/offer.ts";
export { questionsFrom } from "./reuse/questions.ts";
export { readSchema, readSchemaText } from "./schema/schema.ts";
export type { ColumnWords, SchemaWords } from "./schema/schema-words.ts";
export { parseValues, valuesText } from "./schema/values.ts";
export { type ConnectionSettings, decodedPart } from "./source/connection-settings.ts";
export {
  type ConvertedFormat,
  commentOf,
  convertedFormats,
  mayBeText,
  movedTo,
  overFile,
  pathIn,
  type UploadFormat,
  uploadExtensions,
  uploadFormatOf,
  uploadFormats,
} from "./source/file.ts";
export type { ConnectedTable } from "./source/kind.ts";
export {
  type ConnectionKind,
  connectedSource,
  connectionKindOf,
  connectionKinds,
  connectionOf,
  identityOf,
  isConnected,
  isLive,
  limitsStatements,
  parseSource,
  type Source,
  sourceKinds,
} from "./source/kinds.ts";
export { joinOf } from "./sql-text/joined.ts";
export { sqlName } from "./sql-text/language.ts";
export { planOfSql, type SqlPlan, type SqlTerms, sqlPlanSteps } from "./sql-text/plan-of-sql.ts";
export { unpriced, withTotal } from "./sql-text/price.ts";
export { sqlOfPlan } from "./sql-text/print.ts";
export type { SqlQuery } from "./sql-text/query.ts";
export { readSql, readSqlAbout } from "./sql-text/read.ts";
export type { SqlTable } from "./sql-text/table.ts";
export { type SqlCell, tableSteps } from "./sql-text/table-rows.ts";
export { declaredRows } from "./statistics/accuracy.ts";
export type { AnswerCell } from "./statistics/cell.ts";
export type { CurveQuantile } from "./statistics/curve/cdf.ts";
export {
  definitionOf,
  isStatisticName,
  isTableName,
  type StatisticName,
  statisticNames,
  statisticOf,
  statistics,
  withKind,
} from "./statistics/index.ts";
export type { ReleasedTable, TableErrors } from "./statistics/released.ts";
export type { Plan, StatisticRequest } from "./statistics/request.ts";
export type { Statistic } from "./statistics/statistic.ts";
export {
  askRows,
  checkRowsQuestion,
  type RowsAnswer,
  type RowsQuestion,
  UNMEASURED,
} from "./statistics/table/ask-rows.ts";
export { binnedColumns, releasesNamed, withColumnBins } from "./statistics/table/column-bins.ts";
export { estimate as estimateTable } from "./statistics/table/estimate.ts";
export { syntheticParquet } from "./statistics/table/parquet.ts";
export { givesBins, releasedBins } from "./statistics/table/released-bins.ts";
export {
  type PairStanding,
  standingOfPair,
  tableErrors,
  tableNotes,
} from "./statistics/table/released-table.ts";
export type { SyntheticRequest } from "./statistics/table/synthesize.ts";
export {
  longestLine,
  MAX_SYNTHETIC_ROWS,
  type SyntheticCells,
  syntheticCells,
  syntheticCsv,
} from "./statistics/table/synthesize.ts";
export { isCountable } from "./statistics/table/table-task.ts";
