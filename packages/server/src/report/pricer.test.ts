import { deltaAmount, epsilonAmount, freeQuota, openTerms, priceEvents, quotaCaps } from "@dosimeter/core";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { openPricer } from "./pricer.ts";

const pricer = openPricer();
afterAll(() => pricer.close());

test("what is free is the same to a unit wherever it is found, from short and from long histories", async () => {
  const terms = openTerms({ epsilon: 5, delta: 1e-6, rule: "tight" });
  const quota = { epsilon: epsilonAmount(2, "down"), delta: deltaAmount(4e-7, "down") };
  const { mu2 } = quotaCaps(terms, quota);
  const state = { epsilon: null, delta: deltaAmount(0, "up"), mu2 };
  const priced = fc
    .record({ kind: fc.constant("pure" as const), epsilon: fc.integer({ min: 1, max: 999 }) })
    .map(({ kind, epsilon }) => priceEvents([{ kind, epsilon: `${epsilon}e-6` }], "addRemove").mu2 ?? []);
  const histories = fc
    .tuple(fc.array(priced, { minLength: 1, maxLength: 5 }), fc.array(fc.nat(), { minLength: 495, maxLength: 505 }))
    .map(([kinds, order]) => order.map((i) => kinds[i % kinds.length] ?? []));
  await fc.assert(
    fc.asyncProperty(histories, fc.constantFrom("share" as const, "cap" as const), async (history, kind) => {
      const use = [terms, "tight", { quota, kind, state, history, children: [] }] as const;
      expect(await pricer.freeQuota(...use)).toEqual(freeQuota(...use));
    }),
    { numRuns: 6 },
  );
});
