export { capital } from "../scene/text.ts";
export type { ReportedAnswer, ReportedRelease } from "./answer.ts";
export {
  agreedTable,
  answerChart,
  answerSentence,
  answersText,
  answerTable,
  captionOf,
  comparisonSentences,
  noiseWords,
  releaseTable,
  tablesIn,
  titleOf,
} from "./answer-chart.ts";
export { binText, cellValueIn, columnMeasure, columnText, measureOf, unitOf, valueText } from "./answer-words.ts";
export { askedBy, citation, datasetText } from "./citation.ts";
export { reportHtml } from "./html.ts";
export { type PeriodSeries, periodChart, periodSeries, periodTable } from "./period-series.ts";
export { quoted, releaseReport } from "./release-report.ts";
