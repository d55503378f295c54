import { type Calendar, periodUnit } from "@dosimeter/core";
import { errorText } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { rectMark, ruleMark } from "../frame/marks.ts";
import { linearScale } from "../frame/scale.ts";
import { type InkName, ink } from "../scene/ink.ts";
import { areYears, formatNumber, rangeText } from "../scene/number.ts";

export interface SpanChartSpec {
  readonly title: string;
  /** The range the answer can lie in. */
  readonly lower: number;
  readonly upper: number;
  /** Half-width of the error. */
  readonly error: number;
  readonly unit?: string;
  /** The range is one of dates, counted in these periods from 1970 on. */
  readonly calendar?: Calendar;
  /** What would be good enough: ticks on both sides. */
  readonly target?: number;
}

/** Error in context: how much of the possible range the error covers, as a small strip. Reads no data. */
export function spanChart(spec: SpanChartSpec, { width, height = 16 }: ChartSize): Chart {
  const x = linearScale({ domain: [spec.lower, spec.upper], range: [1, width - 1] });
  const middle = (spec.lower + spec.upper) / 2;
  const covered = Math.min(1, (2 * spec.error) / (spec.upper - spec.lower));
  const isUseless = !(covered < 1);
  const [from, to] = [x.map(middle - spec.error), x.map(middle + spec.error)];
  const y = height / 2;
  const upright = (at: number, color: InkName) => ruleMark([x.map(at), y - 7], [x.map(at), y + 7], color, 1.5);
  const nodes = [
    rectMark({ x0: 1, x1: width - 1, y0: y - 2, y1: y + 2 }, { fill: ink("track"), radius: 2 }),
    rectMark(
      { x0: from, x1: Math.max(to, from + 2), y0: y - 5, y1: y + 5 },
      { fill: ink(isUseless ? "danger" : "series1"), radius: 2 },
    ),
    upright(middle, "text"),
    ...(spec.target === undefined
      ? []
      : [-spec.target, spec.target].map((offset) => upright(middle + offset, "danger"))),
  ];
  const { calendar } = spec;
  const counted = calendar !== undefined ? `${periodUnit(calendar)}s` : areYears(spec.unit) ? "years" : spec.unit;
  const error = `± ${errorText(spec.error, counted)}`;
  const range = rangeText([spec.lower, spec.upper], { unit: spec.unit, calendar });
  const summary = isUseless
    ? `The error of ${error} covers the whole range of ${range}.`
    : `The error of ${error} covers ${formatNumber(covered * 100, 2)} % of the range of ${range}.`;
  const rows = Object.entries({ Lower: spec.lower, Upper: spec.upper, "Error ±": spec.error });
  const facts = table(["Quantity", "Value"], rows);
  return chart({ title: spec.title, summary }, { width, height, nodes }, facts);
}
