import { type Calendar, clockOf, dayOfPeriod } from "@dosimeter/core";
import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { rectMark, ruleMark, textMark } from "../frame/marks.ts";
import { linearScale } from "../frame/scale.ts";
import { ink } from "../scene/ink.ts";
import { areYears, formatNumber, intervalText, measureText, rangeText } from "../scene/number.ts";
import { coordinate as c, node, type SceneNode } from "../scene/scene.ts";
import { textWidth } from "../scene/text.ts";

export interface IntervalDotSpec {
  readonly title: string;
  readonly value: number;
  /** null: its error is no interval of values. */
  readonly interval: readonly [number, number] | null;
  /** Where the declaration says that it can lie; null: nowhere said, and it stands against zero. */
  readonly range: readonly [number, number] | null;
  readonly confidence: number;
  readonly unit?: string | null | undefined;
  /** It is a date, counted in these periods from 1970 on. */
  readonly calendar?: Calendar | null | undefined;
  /** The ends of the scale are written below it. */
  readonly ends?: boolean;
}

const EDGE = 6;
const STRIP = 18;

/** One released number as a dot with its interval, against the range that it can lie in. Small enough for a row of a list. */
export function intervalDot(spec: IntervalDotSpec, { width }: ChartSize): Chart {
  const { title, value, interval, ends = false } = spec;
  const domain = domainOf(spec);
  const track = spec.range ?? domain;
  const x = linearScale({ domain, range: [EDGE, width - EDGE] });
  const y = STRIP / 2;
  const at = `${formatNumber(spec.confidence * 100)} %`;
  const [from, to] = interval ?? [value, value];
  const nodes: SceneNode[] = [
    rectMark(
      { x0: x.map(track[0]), x1: x.map(track[1]), y0: y - 1.5, y1: y + 1.5 },
      { fill: ink("track"), radius: 1.5 },
    ),
    ...(interval === null ? [] : whisker(x.map(from), x.map(to), y)),
    node("circle", {
      cx: c(x.map(value)),
      cy: y,
      r: 4.5,
      fill: ink("series1"),
      stroke: ink("surface"),
      "stroke-width": 1,
    }),
    ...(ends ? track.map((end) => endText(endOf(end, spec), x.map(end), width)) : []),
  ];
  const summary = `${measureText(value, spec)}${
    interval === null ? "" : `, ${intervalText(interval, spec)} (${at})`
  }${spec.range === null ? "" : `, of a range of ${rangeText(spec.range, spec)}`}.`;
  const facts = table(["Value", "From", "To", "Confidence"], [[value, ...(interval ?? [null, null]), spec.confidence]]);
  return chart({ title, summary }, { width, height: ends ? STRIP + 18 : STRIP, nodes }, facts);
}

/** An end of the scale, without its unit; of a time its day. */
function endOf(end: number, { unit, calendar }: IntervalDotSpec): string {
  if (areYears(unit)) return measureText(end, { unit }, 3);
  if (calendar == null || clockOf(calendar) === null) return measureText(end, { calendar }, 3);
  return measureText(dayOfPeriod(Math.round(end), calendar), { calendar: "day" });
}

/** The declared range, wider where noise put the answer beyond it; without one, from zero to well beyond the interval. */
function domainOf({ value, interval, range }: IntervalDotSpec): readonly [number, number] {
  const [from, to] = interval ?? [value, value];
  const [lower, upper] = range ?? [Math.min(0, 1.25 * from), Math.max(0, 1.25 * to)];
  const [low, high] = [Math.min(lower, from, value), Math.max(upper, to, value)];
  return low < high ? [low, high] : [low - 1, high + 1];
}

function whisker(from: number, to: number, y: number): readonly SceneNode[] {
  const ends = [from, to].map((end) => ruleMark([end, y - 5], [end, y + 5], "series1", 2));
  return [ruleMark([from, y], [to, y], "series1", 2), ...ends];
}

function endText(text: string, at: number, width: number): SceneNode {
  const half = textWidth(text, 12) / 2 + 1;
  const middle = Math.min(width - half, Math.max(half, at));
  return textMark(text, { x: middle, y: STRIP + 12, anchor: "middle", size: 12, isMuted: true });
}
