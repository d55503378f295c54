import fc from "fast-check";
import { expect, test } from "vitest";
import { choiceOf, distance, meantBy } from "./near.ts";

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

test("a distance is that of the whole table, up to the most that is asked", () => {
  const whole = (a: string, b: string): number => {
    const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
    const rows: number[][] = [];
    for (let i = 0; i <= a.length; i++)
      for (let j = 0; j <= b.length; j++) {
        const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)];
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(at(i - 2, j - 2) + 1);
        rows[i] = [...(rows[i] ?? []), i + j === 0 ? 0 : Math.min(...ways)];
      }
    return at(a.length, b.length);
  };
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 9 });
  fc.assert(
    fc.property(text, text, fc.nat(4), (a, b, most) => {
      expect(distance(a, b, most)).toBe(Math.min(whole(a, b), most + 1));
    }),
  );
});

test("names that begin alike are compared near the places that may match alone", () => {
  const alike = Array.from({ length: 5000 }, (_, at) => `${"a".repeat(92)}zzzz${String(at).padStart(4, "0")}`);
  const began = process.cpuUsage().user;
  expect(meantBy(`${"a".repeat(99)}b`, alike)).toBeNull();
  expect(process.cpuUsage().user - began).toBeLessThan(2_000_000);
});
