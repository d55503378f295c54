import { epsilonAmount } from "@dosimeter/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { shareIn } from "../plan/use-planner.ts";
import { DELTA, EPSILON, isTyped, numberOf, plainOf, readTyped, SPENT_EPSILON, WHOLE } from "./number-text.ts";

test("an amount is sent as a decimal of its unit, rounded to the safe side and said so", () => {
  expect(readTyped("1e-5", DELTA)).toMatchObject({ plain: "0.00001", value: 1e-5, note: undefined });
  expect(readTyped("10^-5", DELTA)).toMatchObject({ plain: "0.00001", value: 1e-5 });
  expect(readTyped("1/3", EPSILON)).toMatchObject({
    plain: "0.333333333333",
    note: "Taken as 0.333333333333, rounded down.",
  });
  expect(readTyped("1/3", SPENT_EPSILON)).toMatchObject({ plain: "0.333333333334" });
  expect(plainOf("20,000", EPSILON)).toBe("20000");
});

test("what no unit can hold is refused, not taken for 0", () => {
  expect(readTyped("1e-30", DELTA).fault).toBe("This is “1e-30”, must be 0, or a number of at least 10⁻¹⁸.");
  expect(readTyped("1e-13", EPSILON).fault).toBe("This is “1e-13”, must be a number of at least 10⁻¹².");
  expect(plainOf("1e-13", SPENT_EPSILON)).toBe("0.000000000001");
});

test("a fault says what is there and what must be, and shows no more than a line of it", () => {
  expect(readTyped("1e9", EPSILON).fault).toBe("This is “1e9”, must be a number above 0 and at most 1,000,000.");
  expect(readTyped("-1", EPSILON).fault).toBe("This is “-1”, must be a number above 0 and at most 1,000,000.");
  expect(readTyped("", DELTA).fault).toBe("This is empty, must be a number of at least 0 and below 1.");
  expect(readTyped("1e9", WHOLE)).toMatchObject({ value: 1e9 });
  expect(readTyped("x".repeat(99), WHOLE).fault).toContain(`${"x".repeat(24)}…”`);
  expect(readTyped("0,5", EPSILON).fault).toContain("use a point, 0.5");
});

test("ledger and field agree: a decimal is sent as the same amount, whatever the way it is typed", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 18n }), (units) => {
      const text = `${units}e-12`;
      expect(epsilonAmount(plainOf(text, EPSILON), "up")).toBe(units);
      expect(readTyped(text, EPSILON)).toMatchObject({ note: undefined });
    }),
  );
});

const row = { epsilon: "0.2", rho: null };

test.each([
  ["0.1", "0.1"],
  ["20%", "0.1"],
  ["x2", "0.4"],
  ["× 1.5", "0.3"],
  ["/2", "0.1"],
  ["1/4", "0.25"],
  ["1e-3", "0.001"],
])("a share of %s is ε %s", (text, share) => {
  expect(shareIn(text, row, "0.5")).toMatchObject({ plain: share });
});

test.each(["0,1", "-1", "x", "x2%", "20%%", "2x", "", "x0,5"])(
  "a share of “%s” is refused with what it must be",
  (text) => {
    expect(shareIn(text, row, "0.5").fault).toMatch(/must be a number above 0/);
  },
);

test("all of a budget is all of it, to the last unit, and no more", () => {
  expect(shareIn("100%", row, "1.123456789012")).toMatchObject({ plain: "1.123456789012" });
  expect(shareIn("100 %", row, "0.000000000001")).toMatchObject({ plain: "0.000000000001" });
  expect(shareIn("50%", row, "1.123456789013")).toMatchObject({ plain: "0.561728394506" });
});

test("an empty text is no number, and not 0", () => {
  expect(numberOf("")).toBeNaN();
  expect(isTyped(" ", DELTA)).toBe(false);
});
