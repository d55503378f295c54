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
    label: "count",
    column: null,
    cost: { epsilon: "0.1" },
    groupBy: ["=key"],
    confidence: 0.95,
    cells: keys.map((key) => cell(key, -1)),
  };
  const lines = answersAsCsv({ answers: [answer], words: {} } as unknown as Release)
    .trimEnd()
    .split("\r\n");
  expect(lines[0]).toBe("id,statistic,label,column,'=key,bin,value,lower,upper,confidence,epsilon,rho");
  expect(lines.slice(1).map((line) => line.slice("s1,count,count,,".length))).toEqual(
    ["'=1+1", "'+1", "'@sum", "'-1+cmd|' /C calc'!A0", "'-north", "-3", '"plain, ""quoted"""'].map(
      (key) => `${key},,-1,-1.5,-1,0.95,0.1,`,
    ),
  );
});
