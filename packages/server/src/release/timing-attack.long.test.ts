import { expect, onTestFinished, test } from "vitest";
import { buildFixture, openTestInstance } from "../instance.kit.ts";
import { attack, told } from "./timing-attack.kit.ts";

/** Of two samples of 12 from one distribution: farther from one half in less than one case in 10⁴, fifteen pairs of six conditions. */
const FARTHEST = 0.46;

test("[M362] how long a release took does not tell how many rows match, alone or next to a neighbour that eats a core", async () => {
  for (const load of [0, 1]) {
    const instance = await openTestInstance();
    onTestFinished(instance.close);
    const conditions = await attack(await buildFixture(instance), { rows: 20_000, runs: 12, load });
    for (const [index, { times }] of conditions.entries())
      for (const other of conditions.slice(index + 1))
        expect(Math.abs(told(times, other.times).auc - 0.5)).toBeLessThan(FARTHEST);
  }
}, 120_000);

test("the statistic of the attack sees what there is to see", () => {
  const some = Array.from({ length: 100 }, (_, at) => 100 + (at % 10));
  expect(told(some, some)).toMatchObject({ auc: 0.5, within: expect.closeTo(0.08, 2) });
  expect(
    told(
      some,
      some.map((each) => each + 25),
    ).auc,
  ).toBe(1);
});
