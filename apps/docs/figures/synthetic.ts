import { laplaceAccuracy } from "@dosimeter/core";
import { formatNumber, lineChart, type Point } from "@dosimeter/plot";
import { EPSILONS, type Figure, whole } from "./figure.ts";

const MAX = 30;
/** The fixed parts of a price that go to the counts of columns and of pairs [M200]. */
const [COLUMNS_PART, PAIRS_PART] = [0.2, 0.7];

const columnError = (columns: number, epsilon: number): number =>
  laplaceAccuracy(columns / (COLUMNS_PART * epsilon), 0.05);
const pairError = (columns: number, epsilon: number): number =>
  laplaceAccuracy((columns - 1) / (PAIRS_PART * epsilon), 0.05);

/** What each count that a synthetic table keeps is off by, against the number of columns that share its price. */
export const synthetic: Figure = {
  controls: [
    { label: "Columns of the table", stops: whole(2, MAX), start: 9 },
    { label: "ε of the table", stops: EPSILONS.filter((epsilon) => epsilon >= 0.1), start: 1 },
  ],
  draw([columns = 9, epsilon = 1], size) {
    const along = (f: (columns: number, epsilon: number) => number): readonly Point[] =>
      whole(2, MAX).map((count) => [count, f(count, epsilon)]);
    return lineChart(
      {
        title: "The more a table keeps, the less exactly",
        x: { label: "Columns of the table", domain: [2, MAX] },
        y: { label: "Within ± … people, in 95 of 100 cases", includeZero: true },
        series: [
          { name: "people with one value of a column", points: along(columnError) },
          { name: "people with one pair of values", points: along(pairError) },
        ],
        references: [{ axis: "x", value: columns, label: `${columns}` }],
        summary: `A table of ${columns} columns for ε = ${epsilon} measures each number of people with one value within ± ${formatNumber(columnError(columns, epsilon), 6)}, and with a pair of values within ± ${formatNumber(pairError(columns, epsilon), 6)}, in 95 of 100 cases.`,
      },
      size,
    );
  },
};
