import { expect, test } from "vitest";
import { readPointsCsv, readScoresCsv } from "./points-csv.ts";

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

test("scores are one column of numbers, or the one called score", () => {
  expect(readScoresCsv("0.1\n2e3\r\n-1\n", "x")).toEqual([0.1, 2000, -1]);
  expect(readScoresCsv("score\n1\n", "x")).toEqual([1]);
  expect(readScoresCsv("id,Score\na,1\nb,2\n", "x")).toEqual([1, 2]);
  expect(() => readScoresCsv("", "a.csv")).toThrow("a.csv");
  expect(() => readScoresCsv("score\n", "a.csv")).toThrow("one number a line");
  expect(() => readScoresCsv("1,2\n", "a.csv")).toThrow("one column of numbers");
  expect(() => readScoresCsv("id,value\na,1", "a.csv")).toThrow("heading score");
  expect(() => readScoresCsv("1\n\nx\n", "a.csv")).toThrow("a.csv, line 3");
});
