import { formatNumber, lineChart, oddsGrid, type Point, roundTowards } from "@dosimeter/plot";
import { laplaceLoss, publishedModel } from "@dosimeter/risk";
import { epsdelta } from "@dosimeter/tradeoff";
import { EPSILONS, type Figure, parts } from "./figure.ts";

/** The page enlarges it: nothing in it is text. */
const GRID_WIDTH = 288;

/** How often a guess about one person is right, at most [M79]. */
export const bet: Figure = {
  controls: [{ label: "Lifetime ε", stops: EPSILONS, start: 1 }],
  draw([epsilon = 1], size) {
    const times = roundTowards(100 / (1 + Math.exp(-epsilon)), "up", 3);
    const title = "A bet on whether you are in the table";
    const grid = oddsGrid({ title, times, event: "such a bet is won" }, { width: Math.min(size.width, GRID_WIDTH) });
    const summary = `At ε = ${epsilon} such a bet is won in at most ${formatNumber(times, 3)} of 100 cases. A coin wins 50.`;
    return { ...grid, summary, scene: { ...grid.scene, summary } };
  },
};

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
