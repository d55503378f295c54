import { expect, test } from "vitest";
import { choiceOf, meantBy } from "./near.ts";

const said = { mean: ["average", "avg"], quantiles: ["percentile"] };
const names = ["count", "mean", "median", "quantiles", "minimum"];

test.each([
  ["average", "mean"],
  ["Averge", "mean"],
  ["MEDAIN", "median"],
  ["percentiles", "quantiles"],
  ["min", "minimum"],
  ["men", "mean"],
  ["histogram", null],
  ["xy", null],
  ["", null],
  [7, null],
  ["m".repeat(101), null],
])("%j was meant to be %j", (got, meant) => {
  expect(meantBy(got, names, said)).toBe(meant);
});

test("a long list is not compared letter by letter without end, and is shown in part", () => {
  const columns = Array.from({ length: 100_000 }, (_, at) => `column of a wide table ${at}`);
  const began = process.cpuUsage().user;
  const want = choiceOf("column of a wide tabel 77", columns);
  expect(want).toMatch(/^one of column of a wide table 0, .* \(did you mean column of a wide table 77\?\)$/);
  expect(want.length).toBeLessThan(2000);
  expect(process.cpuUsage().user - began).toBeLessThan(5_000_000);
});
