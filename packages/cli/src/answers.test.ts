import type { Release } from "@dosimeter/client";
import { expect, test } from "vitest";
import { answersAsCsv } from "./answers.ts";

test("no cell of the CSV is run as a formula, and numbers stay numbers", () => {
  const cell = (key: string, value: number) => ({
    group: { "=key": key },
    value,
    interval: [-1.5, value],
    noisy: ["1"],
  });
  const keys = ["=1+1", "+1", "@sum", "-1+cmd|' /C calc'!A0", "-north", "-3", 'plain, "quoted"'];
  const answer = {
    id: "s1",
    statistic: "count",
    column: null,
    groupBy: ["=key"],
    confidence: 0.95,
    cells: keys.map((key) => cell(key, -1)),
  };
  const lines = answersAsCsv({ answers: [answer] } as unknown as Release)
    .trimEnd()
    .split("\n");
  expect(lines[0]).toBe("id,statistic,column,'=key,bin,value,lower,upper,confidence");
  expect(lines.slice(1).map((line) => line.slice("s1,count,,".length))).toEqual(
    ["'=1+1", "'+1", "'@sum", "'-1+cmd|' /C calc'!A0", "'-north", "-3", '"plain, ""quoted"""'].map(
      (key) => `${key},,-1,-1.5,-1,0.95`,
    ),
  );
});
