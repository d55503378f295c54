import { formatNumber, oddsGrid, roundTowards } from "@dosimeter/plot";
import { EPSILONS, type Figure } from "./figure.ts";

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
