import { errorText } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, chart, table } from "../chart.ts";
import { pointMark, rectMark, ruleMark, whiskerMark } from "../frame/marks.ts";
import { bandScale, linearScale } from "../frame/scale.ts";
import { ink } from "../scene/ink.ts";
import { formatNumber } from "../scene/number.ts";
import type { SceneNode } from "../scene/scene.ts";
import type { BarValue } from "./bar-chart.ts";

export interface BarStripSpec {
  readonly title: string;
  /** In the order in which they stand; null where there is no answer. */
  readonly bars: readonly { readonly name: string; readonly value: BarValue | null }[];
}

/** Bars with whiskers and nothing else: a chart so small that its shape is what it says. */
export function barStrip({ title, bars }: BarStripSpec, { width, height = 56 }: ChartSize): Chart {
  const known = bars.flatMap(({ value }) => (value === null ? [] : [value]));
  const ends = known.flatMap(({ value, low = value, high = value }) => [value, low, high]).filter(Number.isFinite);
  const [least, most] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const y = linearScale({ domain: [least, most > least ? most : least + 1], range: [height - 2, 2] });
  const slots = bandScale(bars.length, [1, width - 1], 0.2);
  const marks = bars.flatMap(({ name, value }, index): readonly SceneNode[] => {
    if (value === null) return [];
    const x0 = slots.start(index);
    const box = { x0, x1: x0 + Math.max(1, slots.bandwidth), y0: y.map(0), y1: y.map(value.value) };
    const { low, high } = value;
    return [
      rectMark(box, { fill: ink("series1"), hint: `${name}: ${formatNumber(value.value)}` }),
      ...(low === undefined || high === undefined || slots.bandwidth < 4
        ? []
        : [
            whiskerMark(
              { at: (box.x0 + box.x1) / 2, from: y.map(low), to: y.map(high), isVertical: true, cap: 4 },
              { ink: "text", width: 1 },
            ),
          ]),
    ];
  });
  const zero = y.map(0);
  const line = ruleMark([1, zero], [width - 1, zero], "axis");
  const shown = bars
    .slice(0, 4)
    .map(({ name, value }) => `${name} ${value === null ? "–" : formatNumber(value.value)}`);
  const more = bars.length > shown.length ? `, and ${bars.length - shown.length} more` : "";
  return chart(
    { title, summary: `${shown.join(", ")}${more}.` },
    { width, height, nodes: [...marks, line] },
    table(
      ["Name", "Value", "Low", "High"],
      bars.map(({ name, value }) => [name, value?.value ?? null, value?.low ?? null, value?.high ?? null]),
    ),
  );
}

export interface DrawsStripSpec {
  readonly title: string;
  /** Offsets from the truth, one line each. */
  readonly draws: readonly number[];
  readonly error: number;
}

const LINE = 20;

/** Several hypothetical answers below each other: what animation shows in time, for those who want it to stand still. */
export function drawsStrip(spec: DrawsStripSpec, { width }: ChartSize): Chart {
  const reach = Math.max(spec.error, ...spec.draws.map(Math.abs), Number.MIN_VALUE) * 1.08;
  const x = linearScale({ domain: [-reach, reach], range: [12, width - 12] });
  const height = spec.draws.length * LINE + 8;
  const nodes = [
    rectMark({ x0: x.map(-spec.error), x1: x.map(spec.error), y0: 2, y1: height - 2 }, { fill: ink("track") }),
    ruleMark([x.map(0), 2], [x.map(0), height - 2], "text"),
    ...spec.draws.map((draw, index) =>
      pointMark("diamond", { cx: x.map(draw), cy: 4 + (index + 0.5) * LINE }, "series1", 9),
    ),
  ];
  const within = spec.draws.filter((draw) => Math.abs(draw) <= spec.error).length;
  const summary = `${within} of ${spec.draws.length} hypothetical answers are within ± ${errorText(spec.error)}.`;
  const facts = table(
    ["Draw", "Off by"],
    spec.draws.map((draw, index) => [index + 1, draw]),
  );
  return chart({ title: spec.title, summary }, { width, height, nodes }, facts);
}
