import { invalid, PrivacyError } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import {
  fromPoints,
  isTradeoffFunction,
  type PointsInput,
  TOLERANCE,
  type TradeoffFunction,
} from "@dosimeter/tradeoff";
import type { Chart, ChartSize } from "../../chart.ts";
import type { TradeoffItem, TradeoffPlotOptions } from "./axes.ts";
import { tradeoffChart } from "./chart.ts";

/** How a curve or points are to be drawn; what is left out is chosen from the data. */
export interface Drawn {
  readonly of: TradeoffFunction | PointsInput;
  readonly name?: string;
  /** "line" asks for a convex curve; "points" draws marks and their lower hull. Fewer than 100 points are drawn as points. */
  readonly draw?: "line" | "points";
  readonly hidePoints?: boolean;
  /** Its place among the colours, from 0: a list of which some curves are not drawn yet keeps its colours. */
  readonly place?: number;
  readonly band?: { readonly lower: TradeoffFunction; readonly upper: TradeoffFunction };
}

/** A plot of trade-off functions: immutable, and joined with others by `plus`. */
export interface TradeoffPlot {
  readonly items: readonly TradeoffItem[];
  readonly options: TradeoffPlotOptions;
  /** This plot's items, then the other's. Titles, legend and axes: this plot's, else the other's. */
  plus(other: TradeoffPlot): TradeoffPlot;
  with(options: TradeoffPlotOptions): TradeoffPlot;
  chart(size: ChartSize): Chart;
}

export type Plotted = TradeoffFunction | PointsInput | Drawn;

/** Draws trade-off functions and points: `fdp(gdp(1), epsdelta(1, 0.1), { legend: "Methods" })`. */
export function fdp(...values: readonly (Plotted | TradeoffPlotOptions)[]): TradeoffPlot {
  const last = values.at(-1);
  const options = isOptions(last) ? last : {};
  const things = (isOptions(last) ? values.slice(0, -1) : values) as readonly Plotted[];
  const { tolerance = TOLERANCE } = options;
  if (!(tolerance >= 0 && tolerance < 1)) invalid("tolerance", tolerance, "a number in [0, 1)");
  return plotOf(
    things.map((value, i) => readItem(value, { place: i + 1, tolerance })),
    options,
  );
}

export const named = (value: Plotted, name: string): Drawn => ({ ...drawn(value), name });
/** As a line: points must then be a convex, falling curve. */
export const asLine = (value: Plotted): Drawn => ({ ...drawn(value), draw: "line" });
/** As marks with their lower hull, or as the hull alone. */
export const asPoints = (value: Plotted, { hide = false }: { readonly hide?: boolean } = {}): Drawn => ({
  ...drawn(value),
  draw: "points",
  hidePoints: hide,
});

function plotOf(items: readonly TradeoffItem[], options: TradeoffPlotOptions): TradeoffPlot {
  const unique = distinctNames(items);
  const plot: TradeoffPlot = {
    items: unique,
    options,
    plus: (other) => plotOf([...items, ...other.items], { ...other.options, ...options }),
    with: (more) => plotOf(items, { ...options, ...more }),
    chart: (size) => tradeoffChart(unique, options, size),
  };
  return Object.freeze(plot);
}

/** Second and later bearers of a name get " 2", " 3", …, and never a name that another item has. */
function distinctNames(items: readonly TradeoffItem[]): readonly TradeoffItem[] {
  const taken = new Set(items.map(({ name }) => name));
  const used = new Set<string>();
  return items.map((item) => {
    let name = item.name;
    for (let n = 2; used.has(name) || (name !== item.name && taken.has(name)); n++) name = `${item.name} ${n}`;
    used.add(name);
    return Object.freeze({ ...item, name });
  });
}

function readItem(
  value: Plotted,
  { place, tolerance }: { readonly place: number; readonly tolerance: number },
): TradeoffItem {
  const { of, name, draw, hidePoints = false, place: slot = null, band = null } = drawn(value);
  if (name !== undefined && (typeof name !== "string" || name.trim() === ""))
    invalid(`curve ${place}.name`, name, "a name");
  if (draw !== undefined && draw !== "line" && draw !== "points")
    invalid(`curve ${place}.draw`, draw, '"line" or "points"');
  if (typeof hidePoints !== "boolean") invalid(`curve ${place}.hidePoints`, hidePoints, "true or false");
  if (slot !== null && !(Number.isSafeInteger(slot) && slot >= 0))
    invalid(`curve ${place}.place`, slot, "an integer >= 0");
  if (isTradeoffFunction(of)) {
    const isMarked = draw === "points";
    return {
      name: name ?? of.label,
      curve: of,
      points: isMarked ? of.vertices() : null,
      arePointsHidden: hidePoints,
      place: slot,
      band: band ?? bracketOf(of),
    };
  }
  const label = name ?? `points ${place}`;
  try {
    const curve = fromPoints(of, { label, tolerance });
    const definition = curve.definition as { readonly points: readonly (readonly [number, number])[] };
    const points = definition.points.map(([alpha, beta]) => ({ alpha, beta }));
    const isLine = (draw ?? (points.length < LINE ? "points" : "line")) === "line";
    if (isLine)
      fromPoints(
        [...points].sort((a, b) => a.alpha - b.alpha),
        { as: "curve", tolerance },
      );
    return { name: label, curve, points: isLine ? null : points, arePointsHidden: hidePoints, place: slot, band };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    throw new PrivacyError(
      error.code,
      { ...error.details, curve: label },
      `curve ${place} (${label}): ${error.message}`,
    );
  }
}

const LINE = 100;

const bracketOf = (curve: TradeoffFunction) => (curve.upper === null ? null : { lower: curve, upper: curve.upper });

const isDrawn = (value: unknown): value is Drawn => isRecord(value) && "of" in value;
const drawn = (value: Plotted): Drawn => (isDrawn(value) ? value : { of: value });

const optionNames: readonly string[] = ["legend", "tolerance", "title", "axes", "from", "advantage"];

function isOptions(value: unknown): value is TradeoffPlotOptions {
  if (
    typeof value !== "object" ||
    value === null ||
    Array.isArray(value) ||
    isTradeoffFunction(value) ||
    isDrawn(value)
  )
    return false;
  return Object.keys(value).every((key) => optionNames.includes(key));
}
