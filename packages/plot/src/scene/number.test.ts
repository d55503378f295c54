import { roundTowards } from "@dosimeter/core/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { linearScale, logScale, transformedScale } from "../frame/scale.ts";
import { budgetTexts, formatAmount, formatDecimal, formatNumber, intervalText, rangeText } from "./number.ts";
import { fitText, textWidth } from "./text.ts";

test.each([
  [0, "0"],
  [-0, "0"],
  [1234.5, "1,235"],
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

test("an amount has three digits: what is paid is never shown as less, what is left never as more", () => {
  const shown: Readonly<Record<string, readonly [up: string, down: string]>> = {
    "0": ["0", "0"],
    "0.5": ["0.5", "0.5"],
    "1.191": ["1.2", "1.19"],
    "0.123456789": ["0.124", "0.123"],
    "0.999000000001": ["1", "0.999"],
    "12345.6": ["12,400", "12,300"],
    "20000": ["20,000", "20,000"],
    "0.000001": ["10⁻⁶", "10⁻⁶"],
    "0.000000000123456789": ["1.24×10⁻¹⁰", "1.23×10⁻¹⁰"],
    "0.00009999": ["0.0001", "9.99×10⁻⁵"],
    "0.001": ["0.001", "0.001"],
    "5": ["5", "5"],
  };
  for (const [exact, [up, down]] of Object.entries(shown))
    expect([exact, formatAmount(exact, "up"), formatAmount(exact, "down")]).toEqual([exact, up, down]);
});

test("shown amounts enclose the exact one, within one unit of the third digit", () => {
  const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  const read = (text: string): number =>
    Number(
      text
        .replaceAll(",", "")
        .replace(/^10⁻/, "1×10⁻")
        .replace(/×10⁻(.+)$/, (_, raised: string) => `e-${[...raised].map((c) => superscripts.indexOf(c)).join("")}`),
    );
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (units) => {
      const padded = String(units).padStart(13, "0");
      const exact = `${padded.slice(0, -12)}.${padded.slice(-12)}`;
      const [up, down, value] = [read(formatAmount(exact, "up")), read(formatAmount(exact, "down")), Number(exact)];
      expect(down).toBeLessThanOrEqual(value);
      expect(up).toBeGreaterThanOrEqual(value);
      expect(up - down).toBeLessThanOrEqual(value / 99);
    }),
  );
});

test("spent, promised and free add up to the total in the digits that are shown, each on its safe side", () => {
  const decimal = (units: bigint): string => {
    const padded = String(units).padStart(13, "0");
    return `${padded.slice(0, -12)}.${padded.slice(-12)}`.replace(/\.?0+$/, "");
  };
  const read = (text: string): bigint => {
    const [whole = "", part = ""] = text.replaceAll(",", "").split(".");
    return BigInt(whole + part.padEnd(12, "0"));
  };
  const most = fc.bigInt({ min: 1n, max: 10n ** 16n });
  fc.assert(
    fc.property(
      most,
      fc.array(fc.bigInt({ min: 0n, max: 10n ** 6n }), { maxLength: 5 }),
      fc.boolean(),
      (all, parts, isAll) => {
        const weight = parts.reduce((sum, part) => sum + part, isAll ? 0n : 10n ** 5n);
        const taken = parts.map((part) => (weight === 0n ? 0n : (all * part) / weight));
        const total = isAll ? taken.reduce((sum, each) => sum + each, 0n) : all;
        const texts = budgetTexts(decimal(total), taken.map(decimal));
        if (texts === null) throw new Error("nothing more was taken than there is");
        const shown = texts.taken.map(read);
        expect(shown.reduce((sum, each) => sum + each, read(texts.free))).toBe(read(texts.total));
        expect(read(texts.total)).toBeLessThanOrEqual(total);
        expect(read(texts.free)).toBeLessThanOrEqual(total - taken.reduce((sum, each) => sum + each, 0n));
        expect(shown.every((each, place) => each >= (taken[place] ?? 0n))).toBe(true);
      },
    ),
  );
  expect(budgetTexts("5", ["1.58", "3.42"])).toEqual({ total: "5", taken: ["1.58", "3.42"], free: "0" });
  expect(budgetTexts("5", ["1.2341", "1.0004"])).toEqual({ total: "5", taken: ["1.24", "1.01"], free: "2.75" });
  // Two roundings would be more than there is.
  expect(budgetTexts("5", ["1.2341", "3.7659"])).toEqual({ total: "5", taken: ["1.2341", "3.7659"], free: "0" });
  expect(budgetTexts("5", ["0.01234"])).toEqual({ total: "5", taken: ["0.0124"], free: "4.9876" });
  expect(budgetTexts("1", ["0.6", "0.5"])).toBeNull();
});

test("an interval reads outwards and little wider than it is, also where it is narrow; a declared range reads exactly", () => {
  const ends = (text: string) => text.replaceAll(",", "").replaceAll("\u2212", "-").split(" to ").map(Number);
  const thousandths = (min: number) => fc.integer({ min, max: 1e12 }).map((count) => count / 1000);
  fc.assert(
    fc.property(thousandths(-1e12), thousandths(1), (from, width) => {
      const [low = 0, high = 0] = ends(intervalText([from, from + width], {}));
      expect(low).toBeLessThanOrEqual(from);
      expect(high).toBeGreaterThanOrEqual(from + width);
      expect(high - low).toBeLessThanOrEqual(1.25 * width);
    }),
  );
  const huge = fc.double({ min: 1e15, max: 1e21, noNaN: true });
  const plain = (text: string) =>
    text.replaceAll(
      /×10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g,
      (_, raised: string) => `e${[...raised].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).join("")}`,
    );
  fc.assert(
    fc.property(huge, huge, (a, b) => {
      const [from, to] = a < b ? [a, b] : [b, a];
      const [low = 0, high = 0] = ends(
        plain(intervalText([from, to], {})).replaceAll(
          /(^| )10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)/g,
          (_, space: string, raised: string) => `${space}1e${[...raised].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)).join("")}`,
        ),
      );
      expect(low).toBeLessThanOrEqual(from);
      expect(high).toBeGreaterThanOrEqual(to);
    }),
  );
  expect(intervalText([1.0006e15, 9e15], {})).toBe("10¹⁵ to 9×10¹⁵");
  expect(intervalText([80.20431, 82.38411], { unit: "years" })).toBe("80.2 to 82.39 years");
  expect(intervalText([1234.5612, 1234.5798], { unit: "$" })).toBe("$1,234.561 to $1,234.58");
  expect(rangeText([0, 123_456.789], { unit: "kg" })).toBe("0 to 123,456.789 kg");
});

test("the end of an interval is never moved inwards, and by less than one step of what is shown", () => {
  const values = fc.oneof(fc.double({ min: -1e9, max: 1e9, noNaN: true }), fc.double({ min: -1, max: 1, noNaN: true }));
  fc.assert(
    fc.property(values, (value) => {
      const [down, up] = [roundTowards(value, "down"), roundTowards(value, "up")];
      expect(down).toBeLessThanOrEqual(value);
      expect(up).toBeGreaterThanOrEqual(value);
      expect(up - down).toBeLessThanOrEqual(Math.max(1, Math.abs(value)) * 2e-3);
      expect(formatNumber(roundTowards(up, "up"))).toBe(formatNumber(up));
    }),
  );
  expect([formatNumber(roundTowards(44.4344, "up")), formatNumber(roundTowards(44.1109, "down"))]).toEqual([
    "44.44",
    "44.11",
  ]);
});
