export { roundTowards } from "@dosimeter/core/internal";
export type { Chart, ChartSize } from "./chart.ts";
export { type Cell, cellText, type Table, toCsv, toTable } from "./chart.ts";
export {
  accountantsChart,
  agentReportChart,
  burnDownChart,
  lossHistoryChart,
  reportChart,
} from "./charts/accountants.ts";
export { columnChart } from "./charts/bar-chart.ts";
export { type BlockStripSpec, blockStrip } from "./charts/block-strip.ts";
export { type BudgetBarSpec, type BudgetSegment, budgetBar, budgetEdges } from "./charts/budget-bar.ts";
export { budgetCourseChart, courseText } from "./charts/budget-course.ts";
export { dotPlot } from "./charts/dot-plot.ts";
export { dotRows } from "./charts/dot-rows.ts";
export { type GaugeDialSpec, gaugeDial, gaugeTexts, moreText } from "./charts/gauge-dial.ts";
/** @public */
export { heatTable } from "./charts/heat-table.ts";
export { type IcicleCell, type IcicleNode, type IcicleSpec, icicleCells, icicleChart } from "./charts/icicle.ts";
export { intervalDot } from "./charts/interval-dot.ts";
export { lineChart, type Placed } from "./charts/line-chart.ts";
export { oddsGrid } from "./charts/odds-grid.ts";
/** @public */
export { pyramidChart } from "./charts/pyramid.ts";
export { type RegionShape, regionMap } from "./charts/region-map.ts";
/** @public */
export { smallMultiples } from "./charts/small-multiples.ts";
export { type SpanChartSpec, spanChart } from "./charts/span-chart.ts";
export { barStrip, drawsStrip } from "./charts/strips.ts";
export type { TradeoffAxes, TradeoffPlotOptions } from "./charts/tradeoff/axes.ts";
export { shortName } from "./charts/tradeoff/chart.ts";
export { asLine, asPoints, fdp, named, type TradeoffPlot } from "./charts/tradeoff/plot.ts";
export type { Point } from "./frame/marks.ts";
export { inks, inkVariables, type Theme } from "./scene/ink.ts";
export {
  areYears,
  firstMeasure,
  formatAmount,
  formatDecimal,
  formatNumber,
  intervalText,
  measureText,
  rangeText,
  yearText,
} from "./scene/number.ts";
export type { Scene, SceneNode } from "./scene/scene.ts";
export { toSvg } from "./scene/svg.ts";
