import { formatNumber, lineChart, type Point, roundTowards } from "@dosimeter/plot";
import { laplaceLoss, publishedModel } from "@dosimeter/risk";
import { type Figure, parts } from "./figure.ts";

const MAX = 2;
const LEVELS = parts(0, MAX, 20);
/** Lines end where the loss cannot go, without the step that a coarse line would slope. */
const FINE = parts(0, MAX, 200);

/** How often the loss of one answer passes a level, as published and in truth [M102]. */
export const risk: Figure = {
  controls: [
    { label: "Level ε", stops: LEVELS, start: 0.5 },
    { label: "ε₀ that is charged", stops: [0.25, 0.5, 1, 1.5, 2], start: 1 },
  ],
  draw([level = 0.5, epsilon0 = 1], size) {
    const model = publishedModel({ epsilon0, k: 1 });
    const published = (epsilon: number) => (epsilon >= epsilon0 ? 0 : model.risk(epsilon));
    const exact = (epsilon: number) => laplaceLoss({ epsilon0, epsilon }).tail;
    const along = (f: (epsilon: number) => number): readonly Point[] => FINE.map((at) => [at, 100 * f(at)]);
    const times = (share: number) => formatNumber(roundTowards(100 * share, "up", 3), 3);
    return lineChart(
      {
        title: "How often the loss passes a level",
        x: { label: "Level ε", domain: [0, MAX] },
        y: { label: "Of 100 answers, above the level", domain: [0, 100] },
        series: [
          { name: "true", points: along(exact) },
          { name: "as published", points: along(published) },
        ],
        references: [{ axis: "x", value: level, label: `level ${level}` }],
        summary: `One answer with Laplace noise is charged ε₀ = ${epsilon0}. Its loss passes ${level} in ${times(exact(level))} of 100 cases for the worst pair of tables; the published model says ${times(published(level))}.`,
      },
      size,
    );
  },
};
