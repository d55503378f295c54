export {
  type BoundedPlan,
  type BoundedStatistic,
  type DecimalInput,
  type GroupKey,
  type KeySelection,
  type Mechanism,
  measuredCells,
  type Noise,
  type NoiseFamily,
  type SampleRequest,
  type Sampling,
} from "./bounded.ts";
export { checkConfidence } from "./confidence.ts";
export type {
  Appended,
  Appending,
  CheckedTable,
  Engine,
  FitOptions,
  JoinedVersion,
  Lineage,
  Listing,
  Measured,
  MeasuredVector,
  Problems,
  RunOptions,
  SourceColumn,
  TableVersion,
} from "./engine.ts";
export {
  type ColumnFit,
  type Fit,
  MAX_SHOWN,
  type Misfit,
  type MisfitKind,
  type StoredValue,
  type UnitFit,
} from "./engine.ts";
export { type FitSentence, type FitTo, fitSentences } from "./fit-words.ts";
export { hasKeys, isWhole, keysOf } from "./groups.ts";
export { checkReason, PLAN_FORMAT, plainPlan, planHash, planText, sha256 } from "./plan-file.ts";
export { atOnce } from "./steps.ts";
export {
  type Axis,
  axesOf,
  type Bin,
  binsOf,
  type ChoiceTask,
  type CurveTask,
  type CutsTask,
  cellsPerGroup,
  type Exponents,
  gridOf,
  leavesOf,
  publicRowsOf,
  type Range,
  rangeOf,
  type SeriesTask,
  type SumsTask,
  type TableColumn,
  type Task,
  type Ticks,
  type TopTask,
  type TotalsTask,
  unitTicksOf,
  type ValuesTask,
} from "./task.ts";
export { isRanked, lastingOf, periodsOf, taskKindOf } from "./task-kinds.ts";
export { wholeTicks } from "./ticks.ts";
