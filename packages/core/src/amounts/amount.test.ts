import fc from "fast-check";
import { expect, test } from "vitest";
import { PrivacyError } from "../error.ts";
import {
  deltaAmount,
  deltaFromUnits,
  epsilonAmount,
  epsilonDecimal,
  epsilonFromUnits,
  epsilonNumber,
  formatDelta,
  formatEpsilon,
  mu2Amount,
} from "./amount.ts";
import { exactDouble } from "./double.ts";
import { compare, rational } from "./rational.ts";

test("0.1 + 0.2 spends exactly 0.3", () => {
  expect(epsilonAmount(0.1, "up") + epsilonAmount(0.2, "up")).toBe(epsilonAmount(0.3, "down"));
});

test("a number of units is written as what it counts, and an amount of another unit does not compile", () => {
  const [epsilon, mu2] = [epsilonAmount("0.25", "down"), mu2Amount("0.5", "down")];
  expect(formatEpsilon(2n * epsilon)).toBe("0.5");
  // @ts-expect-error: μ² is no ε.
  expect(formatEpsilon(mu2)).toBe("0.5");
  // @ts-expect-error: ε is no δ.
  expect(formatDelta(epsilon)).toBe("0.00000025");
});

test("a cap of 1 split in three and spent leaves exactly one unit", () => {
  const third = epsilonAmount("1/3", "down");
  expect(formatEpsilon(third)).toBe("0.333333333333");
  expect(epsilonAmount(1, "down") - 3n * third).toBe(1n);
});

test.each([
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -1,
  -1e-300,
  "-0.1",
  "",
  " 1",
  "1,5",
  "0x10",
  "1e99999",
  "1/0",
  "NaN",
])("%s is not an amount", (value) => {
  expect(() => epsilonAmount(value, "up")).toThrow(PrivacyError);
  expect(() => deltaAmount(value, "down")).toThrow(/delta is/);
});

test("a cost below one unit is one unit, a cap below one unit is nothing", () => {
  expect(epsilonAmount("1e-400", "up")).toBe(1n);
  expect(epsilonAmount("1e-400", "down")).toBe(0n);
  expect(epsilonAmount(1e-12, "up")).toBe(1n);
  expect(epsilonAmount(-0, "up")).toBe(0n);
  expect(epsilonAmount(800, "up")).toBe(800n * 10n ** 12n);
  expect(() => deltaAmount("1.0000000000000000001", "up")).toThrow("between 0 and 1");
});

const decimals = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.integer({ min: -30, max: 5 }))
  .map(([digits, exponent]) => `${digits}e${exponent}`);

test("costs never round below the value, caps never above, and the two differ by at most one unit", () => {
  fc.assert(
    fc.property(decimals, (text) => {
      const up = epsilonAmount(text, "up");
      const down = epsilonAmount(text, "down");
      const [digits = "0", exponent = "0"] = text.split("e");
      const exact = rational(BigInt(digits) * 10n ** 40n, 10n ** BigInt(40 - Number(exponent)));
      expect(compare(rational(up, 10n ** 12n), exact)).toBeGreaterThanOrEqual(0n);
      expect(compare(rational(down, 10n ** 12n), exact)).toBeLessThanOrEqual(0n);
      expect(up - down).toBeLessThanOrEqual(1n);
    }),
  );
});

test("the decimal text reads back to the same amount", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (units) => {
      expect(epsilonAmount(formatEpsilon(epsilonFromUnits(units)), "up")).toBe(units);
      expect(deltaAmount(formatDelta(deltaFromUnits(units)), "down")).toBe(units);
    }),
  );
  expect(formatEpsilon(0n)).toBe("0");
  expect(formatDelta(deltaAmount(1e-6, "up"))).toBe("0.000001");
});

test("the double of an amount lies on the side asked for", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 20n }), (units) => {
      const amount = epsilonFromUnits(units);
      const exact = rational(units, 10n ** 12n);
      expect(compare(exactDouble(epsilonNumber(amount, "up")), exact)).toBeGreaterThanOrEqual(0n);
      expect(compare(exactDouble(epsilonNumber(amount, "down")), exact)).toBeLessThanOrEqual(0n);
    }),
  );
});

test("stored units are non-negative integers", () => {
  expect(epsilonFromUnits("12")).toBe(12n);
  expect(() => epsilonFromUnits(-1n)).toThrow(PrivacyError);
  expect(() => epsilonFromUnits("1.5")).toThrow(PrivacyError);
});

test("a printed amount is the decimal itself, or next to it on the given side", () => {
  const amount = (units: bigint) => epsilonFromUnits(units);
  expect([epsilonDecimal(amount(300_000_000_000n), "up"), epsilonDecimal(amount(300_000_000_000n), "down")]).toEqual([
    0.3, 0.3,
  ]);
  const long = amount(123_456_789_012_345_678_901_234n);
  const [low, high] = [epsilonDecimal(long, "down"), epsilonDecimal(long, "up")];
  expect(low).toBeLessThan(high);
  expect(epsilonAmount(low, "down")).toBeLessThan(long);
  expect(epsilonAmount(high, "up")).toBeGreaterThan(long);
});
