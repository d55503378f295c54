import { type Cell, type Chart, type ChartSize, chart, table } from "../chart.ts";
import { frame } from "../frame/frame.ts";
import type { LegendItem } from "../frame/legend.ts";
import { rectMark, ruleMark, whiskerMark } from "../frame/marks.ts";
import { bandScale, linearScale } from "../frame/scale.ts";
import { seriesStyle } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { seriesTexture, texturedFill } from "../scene/pattern.ts";
import { node, type SceneNode } from "../scene/scene.ts";
import { capital } from "../scene/text.ts";

/** One answer: its value and the interval that holds the true value at the stated confidence. */
export interface BarValue {
  readonly value: number;
  readonly low?: number;
  readonly high?: number;
  /** It cannot be distinguished from noise: it is drawn faint, and the axis need not reach it. */
  readonly isFaint?: boolean;
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
  readonly subtitle?: string;
  /** The ends of the axis, where other charts share them. */
  readonly domain?: readonly [number, number];
}

/** Upright bars with error bars: right for bins in order. */
export function columnChart(spec: BarChartSpec, { width, height = 320, heading }: ChartSize): Chart {
  const base = frame({
    width,
    height,
    x: { label: spec.nameLabel, names: spec.names },
    y: {
      label: spec.valueLabel,
      scale: (range) => linearScale({ domain: spec.domain ?? reach(spec), range, nice: true }),
    },
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
      const hinted = { hint: hint(spec, name, series.name, value) };
      const bar = rectMark(
        box,
        value.isFaint ? { fill: "none", stroke, isFaint: true, ...hinted } : { fill, stroke, ...hinted },
      );
      const at = x0 + inner.bandwidth / 2;
      return [
        bar,
        ...whisker(value, { map: base.y.map, at, isVertical: true, cap: Math.min(10, inner.bandwidth * 0.6) }),
      ];
    });
  });
  const zero = base.y.map(0);
  const zeroLine = ruleMark([base.area.left, zero], [base.area.right, zero], "axis");
  const nodes = [...definitions(spec), ...base.behind, base.clip(marks), zeroLine, ...base.front];
  return chart({ ...spec, summary: spec.summary ?? describe(spec) }, { width, height, nodes }, tableOf(spec), {
    heading,
  });
}

/** The fill and the outline of the series at `index`. */
export function paint(index: number) {
  const color = seriesStyle(index).ink;
  return { fill: texturedFill(seriesTexture(index), color).fill, stroke: color } as const;
}

export function definitions(spec: BarChartSpec): readonly SceneNode[] {
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

export function whisker(
  { low, high, isFaint }: BarValue,
  place: {
    readonly map: (value: number) => number;
    readonly at: number;
    readonly isVertical: boolean;
    readonly cap: number;
  },
): readonly SceneNode[] {
  if (low === undefined || high === undefined || isFaint) return [];
  const { map, ...rest } = place;
  const span = { from: map(low), to: map(high), ...rest };
  return [whiskerMark(span, { ink: "surface", width: 4 }), whiskerMark(span, { ink: "text", width: 1.5 })];
}

/** Zero is always shown: a bar whose foot is cut off lies about ratios. */
export function reach(spec: Pick<BarChartSpec, "series">): readonly [number, number] {
  let [low, high] = [0, 0];
  for (const value of spec.series.flatMap((series) => series.values)) {
    for (const end of value === null || value.isFaint
      ? []
      : [value.value, value.low ?? value.value, value.high ?? value.value]) {
      if (!Number.isFinite(end)) continue;
      low = Math.min(low, end);
      high = Math.max(high, end);
    }
  }
  return low === high ? [0, 1] : [low, high];
}

export function hint(spec: BarChartSpec, name: string, series: string, value: BarValue): string {
  const who = spec.series.length > 1 ? `${name}, ${series}` : name;
  const span =
    value.low === undefined || value.high === undefined
      ? ""
      : ` (${formatNumber(value.low)} to ${formatNumber(value.high)})`;
  return `${who}: ${formatNumber(value.value)}${span}`;
}

export function describe(spec: BarChartSpec): string {
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

export function tableOf(spec: BarChartSpec) {
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
