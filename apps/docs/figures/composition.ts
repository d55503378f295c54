import { totalLoss } from "@dosimeter/core/accounting";
import { formatNumber, lineChart, type Point, roundTowards } from "@dosimeter/plot";
import { decimal, type Figure, whole } from "./figure.ts";

const MAX = 365;
const COUNTS = whole(1, MAX);
const DRAWN = [1, ...whole(1, 73).map((fifth) => 5 * fifth)];
const DELTA = 1e-6;

const tight = (count: number, epsilon: number): number =>
  totalLoss([{ kind: "repeated", count, event: { kind: "pure", epsilon } }], { delta: DELTA }, "optimal").epsilon;

/** What many answers cost together: added up, and at best [M30, M47]. */
export const composition: Figure = {
  controls: [
    { label: "Answers", stops: COUNTS, start: 100 },
    { label: "ε of each answer", stops: [0.01, 0.02, 0.05, 0.1, 0.2, 0.5], start: 0.1 },
  ],
  draw([count = 100, epsilon = 0.1], size) {
    const along = (f: (count: number) => number): readonly Point[] => DRAWN.map((at) => [at, f(at)]);
    const [added, best] = [decimal(count * epsilon), tight(count, epsilon)];
    const up = (value: number) => formatNumber(roundTowards(value, "up", 3), 3);
    return lineChart(
      {
        title: "Many answers, one total",
        x: { label: "Answers", domain: [0, MAX] },
        y: { label: "Total ε", includeZero: true },
        series: [
          { name: "added up", points: along((at) => decimal(at * epsilon)) },
          { name: "optimal, δ = 10⁻⁶", points: along((at) => tight(at, epsilon)) },
        ],
        references: [{ axis: "x", value: count, label: `${count}` }],
        summary: `${count} answers of ε = ${epsilon} add up to ε = ${formatNumber(added, 6)}. Counted as sharply as can be, they are ε = ${up(best)} with δ = 10⁻⁶.`,
      },
      size,
    );
  },
};
