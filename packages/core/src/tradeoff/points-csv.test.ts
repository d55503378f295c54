import { expect, test } from "vitest";
import { readPointsCsv } from "./points-csv.ts";

test.each([
  ["", "empty file"],
  ["alpha,gamma\n0,1", "a heading with alpha and beta"],
  ["alpha,beta\n0,one", "line 2"],
  ["0\t1\n0.5", "line 2"],
] as const)("the CSV %j is refused", (csv, message) => {
  expect(() => readPointsCsv(csv, "points.csv")).toThrow(message);
});
test("CSV without a heading is pairs, or 101 numbers", () => {
  expect(readPointsCsv("\uFEFF0,1\r\n0.5;0.2\n\n", "x")).toEqual({ alpha: [0, 0.5], beta: [1, 0.2] });
  expect(readPointsCsv("1\n0.5\n0", "x")).toEqual([1, 0.5, 0]);
});
