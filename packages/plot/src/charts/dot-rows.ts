import { type Chart, type ChartSize, chart } from "../chart.ts";
import { fitting } from "../frame/frame.ts";
import { legend } from "../frame/legend.ts";
import { captionMarks, faintMark, pointMark, ruleMark, textMark, whiskerMark } from "../frame/marks.ts";
import { linearScale, type Scale, type ScaleOptions } from "../frame/scale.ts";
import { seriesStyle } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import { group, node, type SceneNode } from "../scene/scene.ts";
import { fitText, textWidth } from "../scene/text.ts";
import { type BarChartSpec, type BarValue, describe, hint, tableOf } from "./bar-chart.ts";

export interface DotRowsSpec extends BarChartSpec {
  /** What is said below each name: how many it is about. */
  readonly notes?: readonly (string | null)[];
  /** The axis of the values; equal steps where none is given. */
  readonly scale?: (ends: Pick<ScaleOptions, "domain" | "range">) => Scale;
  /** A value as it is written at the end of its row. */
  readonly text?: (value: BarValue) => string;
  /** The axis has a zero: of amounts. */
  readonly includeZero?: boolean;
}

/** Rows from which on the axis is written above them too. */
const MANY = 14;
const NARROW = 520;

/** A dot with its interval for each name, on one scale: right for names of any length. The height follows the rows. */
export function dotRows(spec: DotRowsSpec, { width, heading }: ChartSize): Chart {
  const { names, series, notes = [], text = ({ value }) => formatNumber(value, 3) } = spec;
  const isStacked = width < NARROW;
  const isNoted = notes.some((note) => note !== null);
  const items = series.map(({ name }, index) => ({ label: name, kind: "point" as const, ...seriesStyle(index) }));
  const key = legend(series.length < 2 ? [] : items, width - 8);
  const band = Math.max(isNoted && !isStacked ? 38 : 28, series.length * 18 + 8);
  const step = band + (isStacked ? 18 : 0);
  const top = key.height + (names.length > MANY ? 24 : 6);
  const bottom = top + Math.max(1, names.length) * step;
  const written = series.flatMap(({ values }) =>
    values.map((value) => (value === null || value.isFaint ? "–" : text(value))),
  );
  const valueWidth = Math.max(24, ...written.map((each) => textWidth(each, 13))) + 12;
  const nameWidth = Math.min(
    width * 0.34,
    Math.max(40, ...names.map((name) => textWidth(name, 13)), ...notes.map((note) => textWidth(note ?? "", 11))),
  );
  const [left, right] = [isStacked ? 12 : nameWidth + 22, width - valueWidth - 10];
  const scale = spec.scale ?? ((ends) => linearScale({ ...ends, nice: true }));
  const x = scale({ domain: spec.domain ?? dotEnds(spec), range: [left, right] });
  const ticks = fitting(x, right - left);
  const grid = ticks.map(({ value }) => {
    const at = x.map(value);
    return ruleMark([at, top], [at, bottom], value === 0 ? "axis" : "grid");
  });
  const marks = ticks.flatMap(({ value, label }) => {
    const half = textWidth(label, 12) / 2;
    const at = Math.min(width - half, Math.max(half, x.map(value)));
    const words = (y: number) => textMark(label, { x: at, y, anchor: "middle", size: 12, isMuted: true });
    return [words(bottom + 17), ...(names.length > MANY ? [words(top - 8)] : [])];
  });
  const rows = names.flatMap((name, slot): readonly SceneNode[] => {
    const y = top + slot * step;
    const low = y + step - band;
    const note = notes[slot] ?? null;
    const nameY = isStacked ? y + 16 : low + band / 2 + (note === null ? 4.5 : -2);
    const noteAt = isStacked ? ({ x: width - 4, y: nameY, anchor: "end" } as const) : { x: 4, y: nameY + 15 };
    const room = isStacked ? width - 16 - (note === null ? 0 : textWidth(note, 11)) : nameWidth;
    const line = low + band / 2;
    return [
      textMark(fitText(name, 13, room), { x: 4, y: nameY }),
      ...(note === null ? [] : [textMark(note, { ...noteAt, size: 11, isMuted: true })]),
      ruleMark([left, line], [right, line], "grid"),
      ...series.flatMap((one, index) => {
        const value = one.values[slot] ?? null;
        const cy = low + (band * (index + 1)) / (series.length + 1);
        const says = textMark(value === null || value.isFaint ? "–" : text(value), {
          x: width - 4,
          y: cy + 4.5,
          anchor: "end",
        });
        return value === null
          ? [says]
          : [...dot(value, index, { x, cy, hint: hint(spec, name, one.name, value) }), says];
      }),
    ];
  });
  const below = captionMarks(spec.valueLabel, bottom + 38, width);
  const nodes = [group({ transform: "translate(4 0)" }, key.nodes), group({}, grid), ...marks, ...rows, ...below];
  const height = Math.ceil(bottom + 28 + below.length * 17);
  return chart({ ...spec, summary: spec.summary ?? describe(spec) }, { width, height, nodes }, tableOf(spec), {
    heading,
  });
}

function dot(
  { value, low, high, isFaint }: BarValue,
  index: number,
  { x, cy, hint: words }: { readonly x: Scale; readonly cy: number; readonly hint: string },
): readonly SceneNode[] {
  const look = seriesStyle(index);
  const cx = x.map(value);
  if (isFaint) return [faintMark({ cx, cy }, { ink: look.ink, hint: words })];
  const ends = low === undefined || high === undefined ? [] : [{ from: x.map(low), to: x.map(high) }];
  const stroke = { ink: look.ink, width: 2, hint: words };
  return [
    ...ends.map((span) => whiskerMark({ ...span, at: cy, isVertical: false, cap: 9 }, stroke)),
    node("g", {}, [pointMark(look.shape, { cx, cy }, look.ink, 9), node("title", {}, [words])]),
  ];
}

/** From the least to the largest that the marks reach. */
export function dotEnds({ series, includeZero = false }: DotRowsSpec): readonly [number, number] {
  const told = series.flatMap(({ values }) =>
    values.flatMap((value) => (value === null || value.isFaint ? [] : [value])),
  );
  const ends = told.flatMap(({ value, low = value, high = value }) => [value, low, high]).filter(Number.isFinite);
  if (ends.length === 0) return [0, 1];
  const [least, most] = [Math.min(...ends), Math.max(...ends)];
  return includeZero ? [Math.min(0, least), Math.max(0, most)] : [least, most];
}
