import { present } from "@dosimeter/core/internal";
import { type Cell, type Chart, type ChartSize, chart, table } from "../chart.ts";
import { type Frame, frame } from "../frame/frame.ts";
import type { LegendItem } from "../frame/legend.ts";
import { bandMark, faintMark, lineMark, type Point, pointMark, rectMark, whiskerMark } from "../frame/marks.ts";
import { linearScale, logScale, type Scale } from "../frame/scale.ts";
import { type InkName, ink, type Shape, seriesStyle } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { coordinate, node, type SceneNode } from "../scene/scene.ts";
import { capital, fitText, textWidth } from "../scene/text.ts";

/** A numeric axis of a line chart. The domain is that of the data where none is given. */
interface NumericAxis {
  readonly label: string;
  readonly domain?: readonly [number, number];
  readonly scale?: "linear" | "log" | ((domain: readonly [number, number], range: readonly [number, number]) => Scale);
  readonly includeZero?: boolean;
  /** What a value is called in words and in the table: a date. */
  readonly text?: (value: number) => string;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
  readonly draw?: "line" | "points" | "both";
  /** Uncertainty around the line. */
  readonly band?: readonly { readonly x: number; readonly low: number; readonly high: number }[];
  /** Uncertainty of single points. */
  readonly intervals?: readonly { readonly x: number; readonly low: number; readonly high: number }[];
  /** Points that cannot be distinguished from noise: not on the line, and drawn faint. */
  readonly faint?: readonly Point[];
  /** Look of its own; otherwise the look of its place in the list. */
  readonly ink?: InkName;
  readonly dash?: string;
  readonly shape?: Shape;
}

/** A straight mark across the area with words at its end. */
interface Reference {
  readonly axis: "x" | "y";
  readonly value: number;
  readonly label: string;
}

/** A part of the x axis that cannot be chosen. */
interface Shade {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

export interface LineChartSpec {
  readonly title: string;
  readonly x: NumericAxis;
  readonly y: NumericAxis;
  readonly series: readonly Series[];
  readonly references?: readonly Reference[];
  readonly shades?: readonly Shade[];
  /** Single points worth naming, such as a chosen setting. */
  readonly markers?: readonly {
    readonly x: number;
    readonly y: number;
    readonly label: string;
    readonly ink?: InkName;
  }[];
  /** One sentence; made from the ends of each series where none is given. */
  readonly summary?: string;
  readonly subtitle?: string;
  /** "auto" hides the legend when there is one series. */
  readonly legend?: "auto" | "always" | "never";
}

/** From pixels of a chart to values. */
export interface Placed {
  readonly xAt: (pixel: number) => number;
}

/** Lines, points, bands and markers over two numeric axes; `xAt` is for handles drawn over it. */
export function lineChart(spec: LineChartSpec, { width, height = 320, heading }: ChartSize): Chart & Placed {
  const looks = spec.series.map((series, index) => ({
    ...seriesStyle(index),
    ...present({ ink: series.ink, dash: series.dash, shape: series.shape }),
  }));
  const items: LegendItem[] = spec.series.map((series, index) => {
    const { ink: color, dash, shape } = looks[index] ?? seriesStyle(index);
    const isPoints = series.draw === "points";
    return {
      label: series.name,
      ink: color,
      kind: isPoints ? "point" : "line",
      dash,
      ...(series.draw === "both" || isPoints ? { shape } : {}),
    };
  });
  const isLegendShown = spec.legend === "always" || (spec.legend !== "never" && spec.series.length > 1);
  const base = frame({
    width,
    height,
    x: { label: spec.x.label, scale: (range) => axisScale(spec.x, extent(spec, 0), range) },
    y: { label: spec.y.label, scale: (range) => axisScale(spec.y, extent(spec, 1), range) },
    legend: isLegendShown ? items : [],
  });
  const marks = spec.series.flatMap((series, index) => drawSeries(series, looks[index] ?? seriesStyle(index), base));
  const shades = (spec.shades ?? []).map(({ from, to, label }) =>
    rectMark(
      { x0: base.x.map(from), x1: base.x.map(to), y0: base.area.top, y1: base.area.bottom },
      { fill: ink("track"), hint: label },
    ),
  );
  const references = (spec.references ?? []).map((reference) => referenceLine(reference, base));
  const markers = (spec.markers ?? []).flatMap((marker) => namedPoint(marker, base));
  const nodes = [
    ...base.behind,
    base.clip([...shades, ...references.map((mark) => mark.line), ...marks]),
    ...base.front,
    ...references.map((mark) => mark.words),
    ...markers,
  ];
  const summary = spec.summary ?? describe(spec);
  return {
    ...chart({ ...spec, summary }, { width, height, nodes }, tableOf(spec), { heading }),
    xAt: (pixel) => base.x.invert(pixel),
  };
}

function extent(spec: LineChartSpec, axis: 0 | 1): readonly [number, number] {
  const values = spec.series.flatMap((series) => [
    ...series.points.map((point) => point[axis]),
    // Values that say nothing do not stretch their axis.
    ...(axis === 0 ? (series.faint ?? []).map(([at]) => at) : []),
    ...[...(series.band ?? []), ...(series.intervals ?? [])].flatMap((span) =>
      axis === 0 ? [span.x] : [span.low, span.high],
    ),
  ]);
  const markers = (spec.markers ?? []).map((marker) => (axis === 0 ? marker.x : marker.y));
  const lines = (spec.references ?? [])
    .filter((line) => line.axis === (axis === 0 ? "x" : "y"))
    .map((line) => line.value);
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of [...values, ...markers, ...lines]) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : [0, 1];
}

function axisScale(axis: NumericAxis, data: readonly [number, number], range: readonly [number, number]): Scale {
  const isGiven = axis.domain !== undefined;
  const domain = axis.domain ?? (axis.includeZero ? [Math.min(0, data[0]), Math.max(0, data[1])] : data);
  if (typeof axis.scale === "function") return axis.scale(domain, range);
  if (axis.scale !== "log") return linearScale({ domain, range, nice: !isGiven });
  const low = domain[0] > 0 ? domain[0] : Math.min(1, domain[1] > 0 ? domain[1] / 1e6 : 1);
  return logScale({ domain: [low, Math.max(domain[1], low)], range, nice: !isGiven });
}

function drawSeries(
  series: Series,
  look: { ink: InkName; dash: string; shape: Shape },
  { x, y }: Frame,
): readonly SceneNode[] {
  const draw = series.draw ?? "line";
  return [
    ...(series.band === undefined ? [] : [bandMark(series.band, x, y, look.ink)]),
    ...(draw === "points" ? [] : [lineMark(series.points, x, y, { ink: look.ink, dash: look.dash })]),
    ...(series.intervals ?? []).map((span) =>
      whiskerMark(
        { from: y.map(span.low), to: y.map(span.high), at: x.map(span.x), isVertical: true },
        { ink: look.ink },
      ),
    ),
    ...(series.faint ?? []).map(([px, py]) => faintMark({ cx: x.map(px), cy: y.map(py) }, look)),
    ...(draw === "line"
      ? []
      : series.points
          .filter(([px, py]) => Number.isFinite(px) && Number.isFinite(py))
          .map(([px, py]) => pointMark(look.shape, { cx: x.map(px), cy: y.map(py) }, look.ink, 7))),
  ];
}

function referenceLine(
  reference: Reference,
  { area, x, y }: Frame,
): { readonly line: SceneNode; readonly words: SceneNode } {
  const isAcross = reference.axis === "y";
  const at = coordinate(isAcross ? y.map(reference.value) : x.map(reference.value));
  const ends = isAcross
    ? { x1: area.left, x2: area.right, y1: at, y2: at }
    : { x1: at, x2: at, y1: area.top, y2: area.bottom };
  const line = node("line", { ...ends, stroke: ink("axis"), "stroke-width": 1.25, "stroke-dasharray": "4 3" });
  const text = fitText(reference.label, 12, area.right - area.left);
  const isLate = !isAcross && at + 6 + textWidth(text, 12) > area.right;
  const place = isAcross
    ? { x: area.right, y: at - 6 < area.top + 8 ? at + 14 : at - 6, "text-anchor": "end" }
    : { x: coordinate(at + (isLate ? -6 : 6)), y: area.top + 12, "text-anchor": isLate ? "end" : "start" };
  return { line, words: halo(text, place) };
}

function namedPoint(
  marker: { readonly x: number; readonly y: number; readonly label: string; readonly ink?: InkName },
  { area, x, y }: Frame,
): readonly SceneNode[] {
  const at = { cx: x.map(marker.x), cy: y.map(marker.y) };
  const text = fitText(marker.label, 12, area.right - area.left - 12);
  const isLate = at.cx + 10 + textWidth(text, 12) > area.right;
  const place = {
    x: coordinate(at.cx + (isLate ? -10 : 10)),
    y: coordinate(Math.max(area.top + 12, at.cy - 8)),
    "text-anchor": isLate ? "end" : "start",
  };
  return [pointMark("diamond", at, marker.ink ?? "text", 10), halo(text, place)];
}

/** Words with a rim of the background, legible over lines. */
function halo(text: string, place: Readonly<Record<string, string | number>>): SceneNode {
  const rim = { stroke: ink("surface"), "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" };
  return node("text", { ...place, "font-size": 12, fill: ink("text"), ...rim }, [text]);
}

function describe(spec: LineChartSpec): string {
  const at = spec.x.text ?? ((value: number) => formatNumber(value, 3));
  const parts = spec.series.map(({ name, points }) => {
    const [first, last] = [points.at(0), points.at(-1)];
    if (first === undefined || last === undefined) return `${name} has no points`;
    if (points.length === 1) return `${name} is ${formatNumber(first[1], 3)} at ${at(first[0])}`;
    return `${name} goes from ${formatNumber(first[1], 3)} at ${at(first[0])} to ${formatNumber(last[1], 3)} at ${at(last[0])}`;
  });
  return `${capital(spec.y.label)} against ${spec.x.label}: ${parts.join("; ") || "nothing to show"}.`;
}

/** Long form: one row per point, with its interval where it has one. */
function tableOf(spec: LineChartSpec) {
  const hasSpans = spec.series.some((series) => series.band !== undefined || series.intervals !== undefined);
  const rows = spec.series.flatMap((series) => {
    const spans = new Map([...(series.band ?? []), ...(series.intervals ?? [])].map((span) => [span.x, span]));
    return series.points.map(([px, py]): readonly Cell[] => {
      const span = spans.get(px);
      return [series.name, spec.x.text?.(px) ?? px, py, ...(hasSpans ? [span?.low ?? null, span?.high ?? null] : [])];
    });
  });
  return table(["Series", spec.x.label, spec.y.label, ...(hasSpans ? ["From", "To"] : [])], rows);
}
