import { type Cell, type Chart, type ChartSize, chart, table } from "../chart.ts";
import { frame } from "../frame/frame.ts";
import { type LegendItem, legend } from "../frame/legend.ts";
import { rectMark, whiskerMark } from "../frame/marks.ts";
import { bandScale, linearScale } from "../frame/scale.ts";
import { ink, seriesStyle } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { seriesTexture, texturedFill } from "../scene/pattern.ts";
import { coordinate as c, group, node, type SceneNode } from "../scene/scene.ts";
import { capital, fitText, textWidth } from "../scene/text.ts";

/** One answer: its value and the interval that holds the true value at the stated confidence. */
export interface BarValue {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
}

export interface BarChartSpec {
  readonly title: string;
  /** Names of the slots: bins, categories, groups. */
  readonly names: readonly string[];
  /** What the names are, such as "age". */
  readonly nameLabel: string;
  readonly valueLabel: string;
  /** One series of values in the order of `names`, or several side by side. */
  readonly series: readonly { readonly name: string; readonly values: readonly (BarValue | null)[] }[];
  /** "95 %": said in the table and the summary where values have intervals. */
  readonly confidence?: string;
  readonly summary?: string;
}

const MAX_BAR = 26;

/** Upright bars with error bars: right for bins in order. */
export function columnChart(spec: BarChartSpec, { width, height = 320, heading = false }: ChartSize): Chart {
  const base = frame({
    width,
    height,
    heading: heading ? spec.title : undefined,
    x: { label: spec.nameLabel, names: spec.names },
    y: { label: spec.valueLabel, scale: (range) => linearScale({ domain: reach(spec), range, nice: true }) },
    legend: legendItems(spec),
  });
  const inner = bandScale(spec.series.length, [0, base.slots.bandwidth], spec.series.length > 1 ? 0.12 : 0);
  const marks = spec.series.flatMap((series, index) => {
    const { fill, stroke } = paint(index);
    return spec.names.flatMap((name, slot): SceneNode[] => {
      const value = series.values[slot];
      if (value === null || value === undefined) return [];
      const x0 = base.slots.start(slot) + inner.start(index);
      const box = { x0, x1: x0 + inner.bandwidth, y0: base.y.map(0), y1: base.y.map(value.value) };
      const bar = rectMark(box, { fill, stroke, hint: hint(spec, name, series.name, value) });
      const at = x0 + inner.bandwidth / 2;
      return [
        bar,
        ...whisker(value, { map: base.y.map, at, isVertical: true, cap: Math.min(10, inner.bandwidth * 0.6) }),
      ];
    });
  });
  const zero = c(base.y.map(0));
  const zeroLine = node("line", {
    x1: c(base.area.left),
    x2: c(base.area.right),
    y1: zero,
    y2: zero,
    stroke: ink("axis"),
  });
  const nodes = [...definitions(spec), ...base.behind, base.clip(marks), zeroLine, ...base.front];
  return chart({ title: spec.title, summary: spec.summary ?? describe(spec) }, { width, height, nodes }, tableOf(spec));
}

/** Lying bars with error bars and their values written out: right for names of any length. The height follows the rows. */
export function rowChart(spec: BarChartSpec, { width, heading = false }: ChartSize): Chart {
  const rowHeight = Math.max(34, spec.series.length * 22 + 12);
  const key = legend(legendItems(spec), width - 8);
  const headingHeight = heading ? 30 : 0;
  const top = headingHeight + key.height + 4;
  const isStacked = width < 520;
  const nameWidth = isStacked
    ? 0
    : Math.min(width * 0.32, Math.max(...spec.names.map((name) => textWidth(name, 13)), 40));
  const step = rowHeight + (isStacked ? 20 : 0);
  const height = Math.ceil(top + Math.max(1, spec.names.length) * step + 46);
  const values = spec.series.flatMap((series) =>
    series.values.map((value) => (value === null ? "" : formatNumber(value.value))),
  );
  const valueWidth = Math.max(30, ...values.map((text) => textWidth(text, 13))) + 10;
  const [left, right] = [4 + nameWidth + (isStacked ? 0 : 12), width - valueWidth - 6];
  const x = linearScale({ domain: reach(spec), range: [left, right], nice: true });
  const bottom = top + Math.max(1, spec.names.length) * step;
  const ticks = x.ticks(Math.max(2, Math.floor((right - left) / 80)));
  const grid = ticks.map((tick) => upright(c(x.map(tick.value)), { top, bottom, isZero: tick.value === 0 }));
  const tickWords = ticks.map((tick) =>
    words(tick.label, { x: x.map(tick.value), y: bottom + 17, anchor: "middle", size: 12, isMuted: true }),
  );
  const rows = spec.names.flatMap((name, slot) => {
    const y = top + slot * step;
    const barTop = y + (isStacked ? 20 : 0);
    const inner = bandScale(spec.series.length, [barTop + 4, barTop + rowHeight - 4], 0.16);
    const nameY = isStacked ? y + 15 : barTop + rowHeight / 2 + 4.5;
    const label = words(fitText(name, 13, isStacked ? width - 8 : nameWidth), {
      x: 4,
      y: nameY,
      anchor: "start",
      size: 13,
    });
    const bars = spec.series.flatMap((series, index): SceneNode[] => {
      const value = series.values[slot];
      const atEnd = { x: width - 4, y: inner.center(index) + 4.5, anchor: "end", size: 13 } as const;
      if (value === null || value === undefined) return [words("–", atEnd)];
      const { fill, stroke } = paint(index);
      const thickness = Math.min(MAX_BAR, inner.bandwidth);
      const y0 = inner.center(index) - thickness / 2;
      const box = { x0: x.map(0), x1: x.map(value.value), y0, y1: y0 + thickness };
      return [
        rectMark(box, { fill, stroke, hint: hint(spec, name, series.name, value) }),
        ...whisker(value, {
          map: x.map,
          at: inner.center(index),
          isVertical: false,
          cap: Math.min(10, thickness * 0.6),
        }),
        words(formatNumber(value.value, 3), atEnd),
      ];
    });
    return [label, ...bars];
  });
  const nodes = [
    ...definitions(spec),
    ...(heading
      ? [
          node("text", { x: 4, y: 20, "font-size": 16, "font-weight": 650, fill: ink("text") }, [
            fitText(spec.title, 16, width - 8),
          ]),
        ]
      : []),
    group({ transform: `translate(4 ${headingHeight})` }, key.nodes),
    group({}, grid),
    ...rows,
    ...tickWords,
    words(fitText(spec.valueLabel, 13, width - 8), {
      x: width - 4,
      y: height - 6,
      anchor: "end",
      size: 13,
      isMuted: true,
    }),
  ];
  return chart({ title: spec.title, summary: spec.summary ?? describe(spec) }, { width, height, nodes }, tableOf(spec));
}

/** A line of the grid. */
const upright = (
  x: number,
  { top, bottom, isZero }: { readonly top: number; readonly bottom: number; readonly isZero: boolean },
): SceneNode => node("line", { x1: x, x2: x, y1: top, y2: bottom, stroke: ink(isZero ? "axis" : "grid") });

function words(
  text: string,
  at: {
    readonly x: number;
    readonly y: number;
    readonly anchor: "start" | "middle" | "end";
    readonly size: number;
    readonly isMuted?: boolean;
  },
): SceneNode {
  const attributes = {
    x: c(at.x),
    y: c(at.y),
    "font-size": at.size,
    "text-anchor": at.anchor,
    fill: ink(at.isMuted ? "muted" : "text"),
  };
  return node("text", attributes, [text]);
}

function paint(index: number) {
  const color = seriesStyle(index).ink;
  return { fill: texturedFill(seriesTexture(index), color).fill, stroke: color } as const;
}

function definitions(spec: BarChartSpec): readonly SceneNode[] {
  const defs = spec.series.flatMap((_, index) => texturedFill(seriesTexture(index), seriesStyle(index).ink).defs);
  return defs.length === 0 ? [] : [node("defs", {}, defs)];
}

const legendItems = (spec: BarChartSpec): readonly LegendItem[] =>
  spec.series.length < 2
    ? []
    : spec.series.map((series, index) => ({
        label: series.name,
        ink: seriesStyle(index).ink,
        kind: "area",
        texture: seriesTexture(index),
      }));

function whisker(
  { low, high }: BarValue,
  place: {
    readonly map: (value: number) => number;
    readonly at: number;
    readonly isVertical: boolean;
    readonly cap: number;
  },
): readonly SceneNode[] {
  if (low === undefined || high === undefined) return [];
  const span = {
    from: place.map(low),
    to: place.map(high),
    at: place.at,
    isVertical: place.isVertical,
    cap: place.cap,
  };
  return [whiskerMark(span, { ink: "surface", width: 4 }), whiskerMark(span, { ink: "text", width: 1.5 })];
}

/** Zero is always shown: a bar whose foot is cut off lies about ratios. */
function reach(spec: BarChartSpec): readonly [number, number] {
  let [low, high] = [0, 0];
  for (const value of spec.series.flatMap((series) => series.values)) {
    for (const end of value === null ? [] : [value.value, value.low ?? value.value, value.high ?? value.value]) {
      if (!Number.isFinite(end)) continue;
      low = Math.min(low, end);
      high = Math.max(high, end);
    }
  }
  return low === high ? [0, 1] : [low, high];
}

function hint(spec: BarChartSpec, name: string, series: string, value: BarValue): string {
  const who = spec.series.length > 1 ? `${name}, ${series}` : name;
  const span =
    value.low === undefined || value.high === undefined
      ? ""
      : ` (${formatNumber(value.low)} to ${formatNumber(value.high)})`;
  return `${who}: ${formatNumber(value.value)}${span}`;
}

function describe(spec: BarChartSpec): string {
  const all = spec.series.flatMap((series) =>
    series.values.flatMap((value, slot) =>
      value === null
        ? []
        : [{ at: `${spec.names[slot] ?? ""}${spec.series.length > 1 ? ` (${series.name})` : ""}`, value: value.value }],
    ),
  );
  const sorted = all.toSorted((a, b) => b.value - a.value);
  const [most, least] = [sorted.at(0), sorted.at(-1)];
  const measured = capital(spec.valueLabel);
  if (most === undefined || least === undefined) return `${measured} by ${spec.nameLabel}: nothing to show.`;
  if (all.length === 1) return `${measured}: ${formatNumber(most.value)}.`;
  const span = `highest for ${most.at} at ${formatNumber(most.value)}, lowest for ${least.at} at ${formatNumber(least.value)}`;
  return `${measured} by ${spec.nameLabel}, ${all.length} values: ${span}.`;
}

function tableOf(spec: BarChartSpec) {
  const hasSpan = spec.series.some((series) => series.values.some((value) => value?.low !== undefined));
  const isMany = spec.series.length > 1;
  const at = spec.confidence === undefined ? "" : ` (${spec.confidence})`;
  const rows = spec.names.flatMap((name, slot) =>
    spec.series.map((series): readonly Cell[] => {
      const value = series.values[slot];
      const span = hasSpan ? [value?.low ?? null, value?.high ?? null] : [];
      return [name, ...(isMany ? [series.name] : []), value?.value ?? null, ...span];
    }),
  );
  return table(
    [spec.nameLabel, ...(isMany ? ["Series"] : []), spec.valueLabel, ...(hasSpan ? [`From${at}`, `To${at}`] : [])],
    rows,
  );
}
