import fc from "fast-check";
import { expect, test } from "vitest";
import { emptyDraft } from "./draft.ts";
import { editPlan } from "./edit.ts";
import { peopleWith } from "./planner.kit.ts";
import { largestPopulation } from "./sample.ts";

const declaration = peopleWith({ age: { type: "integer", lower: 0, upper: 100 } }, { public: 1000 });

test("the largest population is taken, and one more is refused with both numbers", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.integer({ min: 4, max: 12 }), (thousandths, digits) => {
      const draft = emptyDraft((thousandths / 1000).toFixed(3), `1e-${digits}`);
      const most = largestPopulation(draft, 1000);
      if (most <= 1001) return;
      const withPopulation = (population: number) => () =>
        editPlan(draft, { kind: "sample", sample: { size: 1000, population } }, declaration);
      expect(withPopulation(most)().sample?.population).toBe(most);
      expect(withPopulation(most + 1)).toThrow(`must be at most ${most}: the functioning `);
    }),
  );
});

test("a functioning epsilon that is too large is said", () => {
  const draft = emptyDraft("1", "1e-9");
  expect(() => editPlan(draft, { kind: "sample", sample: { size: 1000, population: 2_200_000 } }, declaration)).toThrow(
    /must be at most 11107: the functioning epsilon would be 8.24, and the most is 3/,
  );
});
