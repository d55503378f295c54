import fc from "fast-check";
import { expect, test } from "vitest";
import { entryOf, newChargeId, newId } from "./id.ts";

test("a charge's name says which entry it is, and no two are alike", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 45n - 1n }), (entry) => {
      expect(entryOf(newChargeId(entry))).toBe(entry);
      expect(newChargeId(entry)).not.toBe(newChargeId(entry));
    }),
  );
});

test("names of charges are in the order of their entries", () => {
  const names = [1n, 2n, 31n, 32n, 33n, 1024n, 10n ** 9n].map(newChargeId);
  expect(names.toSorted()).toEqual(names);
});

test.each([
  "",
  "x",
  newId("release"),
  "chg_",
  `${newChargeId(1n)}0`,
  newChargeId(1n).toUpperCase(),
  "chg_iiiiiiiiiiiiiiiiiiii",
])("%j is no charge's name", (name) => {
  expect(entryOf(name)).toBeNull();
});
