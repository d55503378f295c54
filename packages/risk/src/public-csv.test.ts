import { expect, test } from "vitest";
import { readNumericColumns } from "./public-csv.ts";

test("named columns in their order, the first where none is named, under any separator", () => {
  expect(readNumericColumns('a,b,"c, d"\n1,2,3\n4,5,6\n', ["c, d", "a"])).toEqual([
    [3, 1],
    [6, 4],
  ]);
  expect(readNumericColumns("a;b\n1,5;x\n2,25;y\n", [])).toEqual([[1.5], [2.25]]);
  expect(readNumericColumns("2019\t2020\n1\t2\n", ["2020"])).toEqual([[2]]);
});

test.each([
  ["a,b\n1,2,3\n", [], "the number of cells in the table, line 2 is 3, must be 2, as in line 1"],
  ["a,b\n1\n", [], "the number of cells in the table, line 2 is 1, must be 2, as in line 1"],
  ["1,2\n3,4\n", [], 'the table is "without a heading"'],
  ["", [], 'the table is "empty"'],
  ["a,b\n1,\n", ["b"], 'the table, line 2, b is "a missing value", must be a number'],
  ["a\nInfinity\n", [], "the table, line 2 is Infinity, must be a finite number"],
  ["a,b,A\n1,2,3\n", ["A"], 'the heading of the table is "a"'],
  ["a\n1\n", ["c"], 'column is "c", must be one of a'],
])("the table %j is refused", (text, columns, message) => {
  expect(() => readNumericColumns(text, columns)).toThrow(message);
});
