import { laplaceAccuracy } from "@dosimeter/core";
import { laplacePmf } from "@dosimeter/core/internal";
import { formatNumber, lineChart, type Point, roundTowards } from "@dosimeter/plot";
import { EPSILONS, type Figure, parts, whole } from "./figure.ts";

const WITHOUT = 100;
const ANSWERS = whole(WITHOUT - 20, WITHOUT + 21);

/** One released count, in the world where one person is in the table and in the one where they are not. */
export const answer: Figure = {
  controls: [
    { label: "The answer that is released", stops: ANSWERS, start: 104 },
    { label: "ε of the answer", stops: [0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 1.5, 2], start: 0.3 },
  ],
  draw([said = 104, epsilon = 0.3], size) {
    const chance = (truth: number) => (value: number) => 100 * laplacePmf(1 / epsilon, value - truth);
    const [isIn, isOut] = [chance(WITHOUT + 1), chance(WITHOUT)];
    const [often, rarely] = [isIn(said), isOut(said)];
    const factor = Math.max(often / rarely, rarely / often);
    const [one, other] = often > rarely ? ["in", "not in"] : ["not in", "in"];
    return lineChart(
      {
        title: "One answer, two worlds",
        x: { label: "Answer: a count with noise", domain: [ANSWERS[0] ?? 0, ANSWERS.at(-1) ?? 1] },
        y: { label: "Comes out in … of 100 cases", includeZero: true },
        series: [
          { name: "you are in: 101 people", points: ANSWERS.map((value) => [value, isIn(value)]) },
          { name: "you are not: 100 people", points: ANSWERS.map((value) => [value, isOut(value)]) },
        ],
        references: [{ axis: "x", value: said, label: `answer ${said}` }],
        summary: `An answer of ${said} speaks for “${one}”: it comes out ${formatNumber(factor, 3)} times as often as if you were ${other}. At ε = ${epsilon} no answer can do better than ${formatNumber(roundTowards(Math.exp(epsilon), "up", 3), 3)} times.`,
      },
      size,
    );
  },
};

const FAILURE = 0.05;
const LEVELS = [...parts(0.01, 0.1, 200), ...parts(0.11, 0.5, 100), ...parts(0.55, 3, 20)];
const errorAt = (epsilon: number): number => laplaceAccuracy(1 / epsilon, FAILURE);

/** The error of a count against its price [M7]. */
export const noise: Figure = {
  controls: [
    { label: "ε of the count", stops: LEVELS, start: 0.1 },
    { label: "People who are counted", stops: [50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000], start: 1000 },
  ],
  draw([epsilon = 0.1, people = 1000], size) {
    const error = errorAt(epsilon);
    const share = formatNumber(roundTowards((100 * error) / people, "up", 2), 2);
    return lineChart(
      {
        title: "The error of a count, against its ε",
        x: { label: "ε of the count", scale: "log", domain: [0.01, 3] },
        y: { label: "Within ± … people, in 95 of 100 cases", scale: "log", domain: [1, 400] },
        series: [{ name: "count", points: LEVELS.map((level) => [level, errorAt(level)]) }],
        markers: [{ x: epsilon, y: error, label: `± ${error}` }],
        summary: `At ε = ${epsilon} a count is within ± ${error} in 95 of 100 cases: ${share} % of ${formatNumber(people, 6)} people.`,
      },
      size,
    );
  },
};

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
