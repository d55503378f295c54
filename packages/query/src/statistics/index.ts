export { accuracyOf, declaredRows, rowsPerGroup } from "./accuracy.ts";
export type { AnswerCell, Interval } from "./cell.ts";
export { bandOf, curveCells, curveHalfWidth, endOf, leafOf, shareOf, weightedHalfWidth } from "./curve/cdf.ts";
export { weightsOf } from "./curve/factor.ts";
export { isotonic, leafWeights, prefixSums } from "./curve/tree.ts";
export { type FamilyName, families, saidOf, spoken } from "./families.ts";
export { fits, needWords, type Reads } from "./fits.ts";
export { READABLE } from "./histogram/bins.ts";
export { isPresent, packedTicks, sumOfProducts } from "./joint/joint-sql.ts";
export { ofEach } from "./keys/top.ts";
export { binAt, numberOf, tickOf } from "./place.ts";
export {
  answerBins,
  definitionOf,
  groupedBy,
  isStatisticName,
  isTableName,
  nameOf,
  type StatisticName,
  statisticNames,
  statisticOf,
  statistics,
  takesNoise,
  withKind,
} from "./registry.ts";
export type { ReleasedTable, TableErrors } from "./released.ts";
export type { Plan, StatisticRequest } from "./request.ts";
export { type FromQuantiles, type FromSums, nothing, type Quantile, selectedForm, type ViewName } from "./reuse.ts";
export { populationOf } from "./sampling.ts";
export { packedSeries } from "./series/series-sql.ts";
export type { Aggregate, Off, OwnField, Statistic, TableError } from "./statistic.ts";
export { askRows, checkRowsQuestion, type RowsAnswer, type RowsQuestion, UNMEASURED } from "./table/ask-rows.ts";
export { binnedColumns, type ColumnBins, columnBinsText, releasesNamed, withColumnBins } from "./table/column-bins.ts";
export { estimate } from "./table/estimate.ts";
export { syntheticParquet } from "./table/parquet.ts";
export { givesBins, releasedBins } from "./table/released-bins.ts";
export { type PairStanding, standingOfPair, tableErrors, tableNotes } from "./table/released-table.ts";
export {
  longestLine,
  MAX_SYNTHETIC_ROWS,
  type SyntheticCells,
  type SyntheticRequest,
  syntheticCells,
  syntheticCsv,
} from "./table/synthesize.ts";
export { boundedTableRows, tableCells, tableFields } from "./table/table-sql.ts";
export { isCountable } from "./table/table-task.ts";
export { weightsText } from "./table/weights.ts";
export { tableTrialsOf } from "./table-trials.ts";
export { tablesText } from "./tables/tables-task.ts";
export { clampedNote } from "./words.ts";
