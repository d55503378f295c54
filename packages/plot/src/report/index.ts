export { capital } from "../scene/text.ts";
export type { ReportedAnswer, ReportedRelease } from "./answer.ts";
export {
  agreedTable,
  agreedWords,
  answerChart,
  answerSentence,
  answersText,
  answerTable,
  captionOf,
  comparisonSentences,
  noiseWords,
  releaseTable,
  tablesIn,
} from "./answer-chart.ts";
export { comparedChart, isSortable, type RowOrder } from "./answer-forms.ts";
export {
  binText,
  cellValueIn,
  columnHeading,
  columnMeasure,
  columnText,
  measureOf,
  subtitleOf,
  titleOf,
  unitOf,
  valueText,
} from "./answer-words.ts";
export { askedBy, citation, datasetText } from "./citation.ts";
export { endingOf, type FormatName, formats, formatted } from "./formats.ts";
export { type PeriodSeries, periodChart, periodSeries, periodTable } from "./period-series.ts";
export { placesOf } from "./places.ts";
export { type PublicRelease, publicHtml, publicSvg } from "./public-report.ts";
export { quoted, releaseReport } from "./release-report.ts";
