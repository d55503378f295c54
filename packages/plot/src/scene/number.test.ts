import { expect, test } from "vitest";
import { linearScale, logScale, transformedScale } from "../frame/scale.ts";
import { formatDecimal, formatNumber } from "./number.ts";
import { fitText, textWidth } from "./text.ts";

test.each([
  [0, "0"],
  [-0, "0"],
  [1234.5, "1235"],
  [12_345.6, "12,346"],
  [-0.5, "−0.5"],
  [1e-6, "10⁻⁶"],
  [2.5e-7, "2.5×10⁻⁷"],
  [1e15, "10¹⁵"],
  [Number.NaN, "not a number"],
  [Number.NEGATIVE_INFINITY, "−∞"],
])("formatNumber(%d) is %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

test("an amount is written digit by digit", () => {
  expect(formatDecimal("12345678901234567890.000000000001")).toBe("12,345,678,901,234,567,890.000000000001");
  expect(formatDecimal("0.30000000000000004")).toBe("0.30000000000000004");
});

test("ticks lie in the domain and say what they are", () => {
  const linear = linearScale({ domain: [0, 1], range: [0, 100] });
  expect(linear.ticks(5).map((tick) => tick.label)).toEqual(["0", "0.2", "0.4", "0.6", "0.8", "1"]);
  const log = logScale({ domain: [0.01, 100], range: [0, 100] });
  expect(log.ticks(9).map((tick) => tick.label)).toEqual(["0.01", "0.1", "1", "10", "100"]);
  expect(log.map(0)).toBe(0);
  expect(log.invert(50)).toBeCloseTo(1, 12);
});

test("a transformed axis goes there and back", () => {
  const logit = (p: number) => Math.log(p / (1 - p));
  const scale = transformedScale({
    kind: "logit",
    domain: [0.001, 0.999],
    range: [0, 300],
    transform: logit,
    inverse: (t) => 1 / (1 + Math.exp(-t)),
    values: [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999],
  });
  expect(scale.map(0.5)).toBeCloseTo(150, 9);
  expect(scale.invert(scale.map(0.2))).toBeCloseTo(0.2, 12);
  expect(scale.map(0)).toBe(0);
  expect(scale.ticks(7)).toHaveLength(7);
});

test("text that does not fit is cut and says so", () => {
  expect(fitText("education", 12, 500)).toBe("education");
  const cut = fitText("a very long name indeed", 12, 60);
  expect(cut.endsWith("…")).toBe(true);
  expect(textWidth(cut, 12)).toBeLessThanOrEqual(60);
});
