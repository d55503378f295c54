import { laplaceAccuracy } from "@dosimeter/core";
import { formatNumber, lineChart, roundTowards } from "@dosimeter/plot";
import { type Figure, parts } from "./figure.ts";

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
