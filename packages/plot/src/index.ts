export { type Chart, type ChartSize, chart } from "./chart.ts";
export {
  type AccountantCurve,
  accountantsChart,
  agentReportChart,
  burnDownChart,
  lossHistoryChart,
  type ReportLines,
  reportChart,
} from "./charts/accountants.ts";
export { type BarChartSpec, type BarValue, columnChart, rowChart } from "./charts/bar-chart.ts";
export { type BarStripSpec, barStrip } from "./charts/bar-strip.ts";
export { type BlockStripRun, type BlockStripSpec, blockStrip } from "./charts/block-strip.ts";
export { type BudgetBarSpec, type BudgetSegment, budgetBar, budgetEdges } from "./charts/budget-bar.ts";
export { type BudgetCourseSpec, budgetCourseChart, courseText } from "./charts/budget-course.ts";
export { type DotPlotSpec, dotPlot } from "./charts/dot-plot.ts";
export { type DrawsStripSpec, drawsStrip } from "./charts/draws-strip.ts";
export { type GaugeDialSpec, gaugeDial, moreText } from "./charts/gauge-dial.ts";
export { type IcicleCell, type IcicleNode, type IcicleSpec, icicleCells, icicleChart } from "./charts/icicle.ts";
export { type IntervalDotSpec, intervalDot } from "./charts/interval-dot.ts";
export {
  type LineChartSpec,
  lineChart,
  type NumericAxis,
  type Placed,
  type Reference,
  type Series,
  type Shade,
} from "./charts/line-chart.ts";
export { type OddsGridSpec, oddsGrid } from "./charts/odds-grid.ts";
export { type SpanChartSpec, spanChart } from "./charts/span-chart.ts";
export type { TradeoffAxes } from "./charts/tradeoff/axes.ts";
export { shortName } from "./charts/tradeoff/chart.ts";
export type { TradeoffItem, TradeoffPlotOptions } from "./charts/tradeoff/item.ts";
export {
  asLine,
  asPoints,
  type Drawn,
  fdp,
  named,
  type Plotted,
  type TradeoffPlot,
} from "./charts/tradeoff/plot.ts";
export { type Area, type AxisSpec, type Frame, type FrameSpec, frame } from "./frame/frame.ts";
export { type LegendItem, legend } from "./frame/legend.ts";
export { bandMark, lineMark, type Point, pointMark, rectMark, type Stroke, whiskerMark } from "./frame/marks.ts";
export {
  type BandScale,
  bandScale,
  linearScale,
  logScale,
  type Scale,
  type ScaleOptions,
  type Tick,
} from "./frame/scale.ts";
export {
  type InkName,
  ink,
  inks,
  inkVariables,
  type Shape,
  seriesStyle,
  type Theme,
} from "./scene/ink.ts";
export {
  areYears,
  firstMeasure,
  formatAmount,
  formatDecimal,
  formatNumber,
  intervalText,
  inUnit,
  type Measure,
  measureText,
  rangeText,
  roundTowards,
  yearText,
} from "./scene/number.ts";
export { seriesTexture, type Texture, texturedFill } from "./scene/pattern.ts";
export {
  group,
  node,
  type Scene,
  type SceneAttributes,
  type SceneNode,
  type SceneTag,
} from "./scene/scene.ts";
export { type SvgOptions, toSvg } from "./scene/svg.ts";
export { FONT_FAMILY, fitText, textWidth } from "./scene/text.ts";
export { type Cell, cellText, type Table, table, toCsv, toTable } from "./table.ts";
