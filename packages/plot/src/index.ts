export {
  type AccountantCurve,
  accountantsChart,
  agentReportChart,
  agentSlackChart,
  burnDownChart,
  lossHistoryChart,
  type ReportLines,
  reportChart,
} from "./accountants.ts";
export { type BarChartSpec, type BarValue, columnChart, rowChart } from "./bar-chart.ts";
export { type BudgetBarSpec, type BudgetSegment, budgetBar, budgetEdges } from "./budget-bar.ts";
export { type Chart, type ChartSize, chart } from "./chart.ts";
export { type DotPlotSpec, dotPlot } from "./dot-plot.ts";
export { type DrawsStripSpec, drawsStrip } from "./draws-strip.ts";
export { type Area, type AxisSpec, type Frame, type FrameSpec, frame } from "./frame.ts";
export { type IcicleCell, type IcicleNode, type IcicleSpec, icicleCells, icicleChart } from "./icicle.ts";
export {
  dashes,
  type InkName,
  ink,
  inks,
  inkVariables,
  resolveInks,
  type Shape,
  seriesStyle,
  shapes,
  type Theme,
} from "./ink.ts";
export { type LegendItem, legend } from "./legend.ts";
export {
  type LineChartSpec,
  lineChart,
  type NumericAxis,
  type Placed,
  type Reference,
  type Series,
  type Shade,
} from "./line-chart.ts";
export { bandMark, lineMark, type Point, pointMark, rectMark, type Stroke, whiskerMark } from "./marks.ts";
export { formatDecimal, formatNumber } from "./number.ts";
export { type OddsGridSpec, oddsGrid } from "./odds-grid.ts";
export { seriesTexture, type Texture, texturedFill, textures } from "./pattern.ts";
export {
  type BandScale,
  bandScale,
  linearScale,
  logScale,
  type Scale,
  type ScaleOptions,
  type Tick,
  transformedScale,
} from "./scale.ts";
export {
  coordinate,
  group,
  node,
  type Scene,
  type SceneAttributes,
  type SceneNode,
  type SceneTag,
  walk,
} from "./scene.ts";
export { type SpanChartSpec, spanChart } from "./span-chart.ts";
export { type SvgOptions, toSvg } from "./svg.ts";
export { type Cell, cellText, type Table, table, toCsv, toTable } from "./table.ts";
export { FONT_FAMILY, fitText, textWidth, wrapText } from "./text.ts";
export {
  asLine,
  asPoints,
  type Drawn,
  fdp,
  named,
  type Plotted,
  type TradeoffItem,
  type TradeoffPlot,
  type TradeoffPlotOptions,
} from "./tradeoff.ts";
export type { TradeoffAxes } from "./tradeoff-axes.ts";
export { shortName } from "./tradeoff-chart.ts";
