import { formatNumber, lineChart, type Point } from "@dosimeter/plot";
import { decimal, type Figure, whole } from "./figure.ts";

const MONTHS = 36;
const EACH = 0.1;

/** A report every month: its cost to one budget of all months, and to the month that it reads most often [M161]. */
export const blocks: Figure = {
  controls: [
    { label: "Months since the start", stops: whole(1, MONTHS), start: 24 },
    { label: "Months that each report reads", stops: [1, 3, 6, 12], start: 3 },
  ],
  draw([month = 24, window = 3], size) {
    const all = (at: number) => decimal(at * EACH);
    const most = (at: number) => decimal(Math.min(at, window) * EACH);
    const along = (f: (month: number) => number): readonly Point[] => whole(1, MONTHS).map((at) => [at, f(at)]);
    const read = window === 1 ? "the latest month" : `the latest ${window} months`;
    return lineChart(
      {
        title: "One budget for all months, or one for each",
        x: { label: "Months since the start", domain: [1, MONTHS] },
        y: { label: "ε spent", includeZero: true },
        series: [
          { name: "one budget for all", points: along(all) },
          { name: "the month that is read most", points: along(most) },
        ],
        references: [{ axis: "x", value: month, label: `month ${month}` }],
        summary: `A report of ε = ${EACH} each month about ${read} has spent ε = ${formatNumber(all(month))} of one budget after ${month} months. With a budget for each month no month has spent more than ε = ${formatNumber(most(month))}.`,
      },
      size,
    );
  },
};
