import { errorText } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, chart } from "../chart.ts";
import { pointMark, rectMark } from "../frame/marks.ts";
import { linearScale } from "../frame/scale.ts";
import { ink } from "../scene/ink.ts";
import { coordinate as c, node } from "../scene/scene.ts";
import { table } from "../table.ts";

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
    node("line", { x1: c(x.map(0)), x2: c(x.map(0)), y1: 2, y2: height - 2, stroke: ink("text") }),
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
