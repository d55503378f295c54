import { formatNumber, lineChart, type Point } from "@dosimeter/plot";
import { decimal, type Figure, whole } from "./figure.ts";

const LIFETIME = 5;
const MAX = 20;

/** What colleagues learn who put their answers together: a quota does not bound it, the lifetime does [M10]. */
export const quota: Figure = {
  controls: [
    { label: "Colleagues who put their answers together", stops: whole(1, MAX), start: 3 },
    { label: "Quota of each", stops: [0.25, 0.5, 1, 2], start: 1 },
  ],
  draw([people = 3, each = 1], size) {
    const learned = (count: number) => Math.min(decimal(count * each), LIFETIME);
    const along = (f: (count: number) => number): readonly Point[] => whole(1, MAX).map((count) => [count, f(count)]);
    const who = people === 1 ? "One person" : `${people} colleagues`;
    const stopped = learned(people) === LIFETIME ? " There the ledger stops them all, whatever their quotas say." : "";
    return lineChart(
      {
        title: "Quotas add up, the lifetime holds",
        x: { label: "Colleagues who put their answers together", domain: [1, MAX] },
        y: { label: "What they learn, ε at most", domain: [0, LIFETIME + 0.5] },
        series: [
          { name: "together", points: along(learned) },
          { name: "one quota", points: along(() => each) },
        ],
        references: [{ axis: "y", value: LIFETIME, label: `lifetime ε = ${LIFETIME}` }],
        markers: [{ x: people, y: learned(people), label: `ε ${learned(people)}` }],
        summary: `${who} with a quota of ${formatNumber(each)} each can learn ε = ${formatNumber(learned(people))} ${people === 1 ? "alone" : "together"}.${stopped}`,
      },
      size,
    );
  },
};
