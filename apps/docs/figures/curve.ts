import { formatNumber, lineChart, roundTowards } from "@dosimeter/plot";
import { epsdelta } from "@dosimeter/tradeoff";
import { EPSILONS, type Figure, parts } from "./figure.ts";

const ALPHAS = parts(0, 1, 100);

/** False alarms against misses of an attacker who tests whether one person is in the table [M61]. */
export const curve: Figure = {
  controls: [
    { label: "False alarms, of 100", stops: ALPHAS.map((alpha) => Math.round(100 * alpha)), start: 5 },
    { label: "ε", stops: EPSILONS, start: 1 },
  ],
  draw([alarms = 5, epsilon = 1], size) {
    const { beta } = epsdelta(epsilon, 0);
    const misses = 100 * beta(alarms / 100);
    return lineChart(
      {
        title: "False alarms against misses",
        x: { label: "False alarms: of 100 who are not in, accused", domain: [0, 100] },
        y: { label: "Misses: of 100 who are in, not found", domain: [0, 100] },
        series: [
          { name: `ε = ${epsilon}`, points: ALPHAS.map((alpha) => [100 * alpha, 100 * beta(alpha)]) },
          { name: "a guess without answers", points: ALPHAS.map((alpha) => [100 * alpha, 100 - 100 * alpha]) },
        ],
        markers: [{ x: alarms, y: misses, label: `${formatNumber(misses, 3)}` }],
        summary: `Who accuses at most ${alarms} of 100 people who are not in misses at least ${formatNumber(roundTowards(misses, "down", 3), 3)} of 100 who are, at ε = ${epsilon}.`,
      },
      size,
    );
  },
};
