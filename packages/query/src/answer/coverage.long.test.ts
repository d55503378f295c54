import { expect, test } from "vitest";
import { mostMisses } from "../statistics/choice/ranks.kit.ts";
import { statisticNames } from "../statistics/index.ts";
import { asks, type Keys, type Tally, tallies, ways } from "./coverage.kit.ts";

/** Few, some and many people: noise hides the first, and is nothing beside the last. */
const SIZES = [50, 1_000, 100_000];

/** The chance that one comparison fails where all that is stated holds; there are fewer than 20,000, so 10⁻⁶ for the suite. The seed is fixed. */
const ALARM = 5e-11;

const cases = statisticNames.flatMap((name) =>
  (["declared", "found"] as const satisfies readonly Keys[]).flatMap((keys) =>
    asks[name][keys] === null ? [] : ways.map((way) => ({ name, keys, way })),
  ),
);

const made = new Set<string>();
let comparisons = 0;

test.each(cases)("$name, $keys, $way: what is stated holds as often as it says", ({ name, keys, way }) => {
  const together = new Map<string, Tally>();
  const compare = (where: string, { cell, shown, missed }: Tally): void => {
    comparisons += 1;
    expect(missed, `${cell} of ${where}, shown ${shown} times`).toBeLessThanOrEqual(mostMisses(shown, 0.05, ALARM));
  };
  for (const size of SIZES)
    for (const tally of tallies(name, keys, way, size) ?? []) {
      compare(`${size} people`, tally);
      const { shown = 0, missed = 0 } = together.get(tally.cell) ?? {};
      together.set(tally.cell, { ...tally, shown: shown + tally.shown, missed: missed + tally.missed });
    }
  for (const tally of together.values()) compare("all sizes", tally);
  if (together.size > 0) made.add(`${name} ${keys} ${way}`);
});

test("every way that there is was drawn", () => {
  expect([...made]).toEqual([]);
  expect(comparisons).toBeLessThan(1e-6 / ALARM);
});
