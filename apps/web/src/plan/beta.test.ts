import { casesText } from "@dosimeter/core";
import { expect, test } from "vitest";
import { numberOf, SHARE } from "../parts/number-text.ts";
import { betaText, confidenceOf, shownBeta } from "./beta.ts";

test.each(["0.05", "0.07", "0.1", "0.001", "0.00001", "1e-9", "0.123456", "0.5", "2.5e-8"])(
  "β %s stays as typed",
  (text) => {
    expect(betaText(confidenceOf(text))).toBe(String(Number(text)));
  },
);

test("every confidence has a β that gives it back, and cases are never rounded up to all", () => {
  for (const confidence of [0.95, 0.9, 0.99, 0.57, 1 / 3, 0.999999999, 1 - 2 ** -40])
    expect(confidenceOf(betaText(confidence))).toBeCloseTo(confidence, 14);
  expect(casesText(confidenceOf("1e-9"))).toBe("in 99.9999999 of 100 cases");
  expect(casesText(0.57)).toBe("in 57 of 100 cases");
  expect(casesText(confidenceOf("1/3"))).toBe("in 66.6 of 100 cases");
  expect(casesText(1 - 0.05 / 7), "less often, never more").toBe("in 99.285 of 100 cases");
  expect([casesText(0), casesText(1)]).toEqual(["in 0 of 100 cases", "in 100 of 100 cases"]);
});

test("a field shows three digits of a β that no one typed, in a way that no one types", () => {
  const texts = ["1/3", "2/3", "1/70", "0.333", "0.05", "1e-9", "0.12345678"];
  expect(texts.map((text) => shownBeta(betaText(confidenceOf(text))))).toEqual([
    "0.333…",
    "0.666…",
    "0.0142…",
    "0.333",
    "0.05",
    "1e-9",
    "0.12345678",
  ]);
  expect(confidenceOf("0.333…")).toBeNaN();
});

test("percent signs are understood, and what is no fraction is refused", () => {
  expect(confidenceOf("5 %")).toBe(0.95);
  expect(confidenceOf("five")).toBeNaN();
  expect(["0", "1", "0.37", "5 %", "-0.1", "1.5", "", "5 percent"].map((text) => numberOf(text, SHARE))).toEqual([
    0,
    1,
    0.37,
    0.05,
    Number.NaN,
    Number.NaN,
    Number.NaN,
    Number.NaN,
  ]);
});
