import { type Chart, type ChartSize, chart, table } from "../../chart.ts";
import { rectMark, ruleMark } from "../../frame/marks.ts";
import { logScale } from "../../frame/scale.ts";
import { ink } from "../../scene/ink.ts";
import { formatNumber } from "../../scene/number.ts";
import { coordinate as c, node, type SceneNode } from "../../scene/scene.ts";
import { fitText } from "../../scene/text.ts";

/** A range after one answer; `least` above `most` is a conflict and is drawn as one. */
export interface RangeStep {
  readonly label: string;
  readonly least: number;
  readonly most: number;
}

const ROW = 40;
const TOP = 8;
const FOOT = 34;

/** Ranges of ε one below the other on one logarithmic axis: how each answer moved the range before it. */
export function rangeChart(
  spec: { readonly title: string; readonly steps: readonly RangeStep[] },
  { width, heading }: ChartSize,
): Chart {
  const [low, high] = reach(spec.steps);
  const x = logScale({ domain: [low, high], range: [18, width - 18] });
  const bottom = TOP + spec.steps.length * ROW;
  const grid = x
    .ticks(Math.max(2, Math.floor(width / 90)))
    .flatMap(({ value, label }): SceneNode[] => [
      ruleMark([x.map(value), TOP], [x.map(value), bottom], "grid"),
      node(
        "text",
        { x: c(x.map(value)), y: bottom + 16, "text-anchor": "middle", "font-size": 12, fill: ink("muted") },
        [label],
      ),
    ]);
  const rows = spec.steps.flatMap((step, i): SceneNode[] => {
    const y = TOP + i * ROW;
    const isConflict = step.least > step.most;
    const [from, to] = isConflict ? [step.most, step.least] : [step.least, step.most];
    const isLast = i === spec.steps.length - 1;
    const words = `${step.label}: ${rangeWords(step)}`;
    return [
      node("text", { x: 8, y: y + 13, "font-size": 12.5, fill: ink("text"), "font-weight": isLast ? 600 : undefined }, [
        fitText(words, 12.5, width - 16),
      ]),
      rectMark(
        { x0: x.map(from), x1: Math.max(x.map(to), x.map(from) + 3), y0: y + 19, y1: y + 31 },
        { fill: ink(isConflict ? "danger" : isLast ? "series1" : "allocated"), radius: 3 },
      ),
    ];
  });
  const nodes = [
    ...grid,
    ...rows,
    node("text", { x: c(width / 2), y: bottom + 31, "text-anchor": "middle", "font-size": 12, fill: ink("muted") }, [
      "ε",
    ]),
  ];
  const last = spec.steps.at(-1);
  const summary =
    last === undefined ? "No answers yet." : `${spec.steps.length} steps; at the end ${rangeWords(last)}.`;
  return chart(
    { title: spec.title, summary },
    { width, height: bottom + FOOT, nodes },
    table(
      ["After", "ε from", "ε to"],
      spec.steps.map((step) => [step.label, step.least, step.most]),
    ),
    { heading },
  );
}

const rangeWords = ({ least, most }: RangeStep): string =>
  least > most
    ? `conflict, needs ${formatNumber(least, 3)} and allows ${formatNumber(most, 3)}`
    : `ε from ${formatNumber(least, 3)} to ${formatNumber(most, 3)}`;

function reach(steps: readonly RangeStep[]): readonly [number, number] {
  const ends = steps.flatMap(({ least, most }) => [least, most]).filter((end) => end > 0 && Number.isFinite(end));
  const [low, high] = [Math.min(0.1, ...ends), Math.max(10, ...ends)];
  return [10 ** Math.floor(Math.log10(low)), 10 ** Math.ceil(Math.log10(high))];
}
