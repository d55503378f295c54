import { laplacePmf } from "@dosimeter/core/internal";
import { formatNumber, lineChart, roundTowards } from "@dosimeter/plot";
import { type Figure, whole } from "./figure.ts";

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
