import { expect, test } from "vitest";
import type { ReportedAnswer } from "./answer.ts";
import { mayBeNone, placesOf } from "./places.ts";

const answer: ReportedAnswer = {
  ...{ id: "a", statistic: "count", label: "count", column: null, groupBy: ["state"], cost: { epsilon: "1" } },
  ...{ confidence: 0.95, noise: { kind: "laplace" }, shows: { chart: "number", value: "rows" }, notes: [] },
  cells: [
    { group: { state: "CA" }, value: 420, interval: [390, 450] },
    { group: { state: "WY" }, value: 26, interval: [0, 56] },
    { group: { state: "AK" }, value: -4, interval: [-4, 26] },
  ],
};

test("a count among others that may be noise alone is faint, and says its number", () => {
  expect(placesOf(answer)?.values.map(({ key, text, isFaint }) => [key, text, isFaint])).toEqual([
    ["CA", "420", undefined],
    ["WY", "26", true],
    ["AK", "\u22124", true],
  ]);
  const mean = { ...answer, statistic: "mean", column: "age", shows: { chart: "number", value: "column" } } as const;
  expect(
    placesOf(mean)?.values.some(({ isFaint }) => isFaint),
    "a mean of 0 is a mean",
  ).toBe(false);
});

test("of k counts of nothing, one is drawn as a number with probability at most min(β², β/k) [M417]", () => {
  for (const epsilon of [0.05, 0.3, 1, 3, 8])
    for (const beta of [0.2, 0.05, 0.001])
      for (const k of [1, 8, 51, 500]) {
        const q = Math.exp(-epsilon);
        // P(|Z| > y) of discrete Laplace noise
        const tail = (y: number) => (2 * q ** (y + 1)) / (1 + q);
        let half = 0;
        while (tail(half) > beta) half++;
        const cells = Array.from({ length: k }, () => answer.cells[0]).flatMap((cell) => cell ?? []);
        const isMarked = (value: number) =>
          mayBeNone(
            { ...answer, confidence: 1 - beta, cells },
            { group: {}, value, interval: [Math.max(0, value - half), value + half] },
          );
        let least = 0;
        while (isMarked(least)) least++;
        expect(tail(least - 1), `${epsilon} ${beta} ${k}`).toBeLessThanOrEqual(
          Math.min(beta ** 2, beta / k) * (1 + 1e-9),
        );
      }
});
