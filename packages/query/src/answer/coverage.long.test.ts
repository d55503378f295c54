import { expect, test } from "vitest";
import { mostMisses } from "../statistics/choice/ranks.kit.ts";
import { statisticNames } from "../statistics/registry.ts";
import { cases, type Keys, type Tally, tallies, ways } from "./coverage.kit.ts";

/** Few, some and many people: noise hides the first, and is nothing next to the last. */
const SIZES = [50, 1_000, 100_000];

/**
 * The chance that one comparison fails where what is stated holds. There are fewer than 20,000 comparisons, so one run in a million fails
 * by chance; the seed is fixed.
 */
const ALARM = 5e-11;
let comparisons = 0;

function compare(where: string, { cell, shown, missed }: Tally, times = 1): void {
  comparisons += times;
  expect(missed, `${cell} of ${where}, shown ${shown} times`).toBeLessThanOrEqual(mostMisses(shown, 0.05, ALARM));
}

const asked = statisticNames.flatMap((name) =>
  (["declared", "found"] as const satisfies readonly Keys[]).flatMap((keys) => {
    const one = cases[name][keys];
    return one === null ? [] : ways.map((way) => ({ name, keys, way, exists: one.ways.includes(way) }));
  }),
);

test.each(asked)("$name, $keys, $way: what is stated holds as often as it says", ({ name, keys, way, exists }) => {
  const together = new Map<string, Tally>();
  let isShown = false;
  for (const size of SIZES)
    for (const tally of tallies(name, keys, way, size) ?? []) {
      compare(`${size} people`, tally);
      isShown = true;
      // Drawn to the end: one of four sums of sizes, so one comparison here counts as four.
      if (!tally.isWhole) continue;
      const { shown = 0, missed = 0 } = together.get(tally.cell) ?? {};
      together.set(tally.cell, { ...tally, shown: shown + tally.shown, missed: missed + tally.missed });
    }
  for (const tally of together.values()) compare("all sizes", tally, 4);
  expect(isShown).toBe(exists);
  expect(comparisons).toBeLessThan(1e-6 / ALARM);
});
