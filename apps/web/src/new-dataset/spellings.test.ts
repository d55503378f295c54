import { expect, test } from "vitest";
import type { ColumnDraft } from "./draft.ts";
import { spellingsOf } from "./spellings.ts";

test.each<readonly [ColumnDraft["type"], readonly string[], readonly string[]]>([
  ["number", ["1,5", "2"], ["1.234,5", "1 234,5"]],
  ["number", ["1.234,5"], ["1.234,5"]],
  ["number", ["1,234"], ["1.234,5", "1,234.5"]],
  ["number", ["1,234.5", "7"], ["1,234.5"]],
  ["decimal", ["1 234,5"], ["1 234,5"]],
  ["integer", ["12'345"], ["1'234.5"]],
  ["number", ["12,5 %"], ["1234,5 %"]],
  ["number", ["12,5", "lots"], []],
  ["date", ["15.3.2024"], ["D.M.YYYY"]],
  ["date", ["15/3/2024", "1/2/2024"], ["D/M/YYYY"]],
  ["date", ["3/15/2024"], ["M/D/YYYY"]],
  ["date", ["1/2/2024"], ["D/M/YYYY", "M/D/YYYY"]],
  ["date", ["15 March 2024"], ["D MMM YYYY"]],
  ["date", ["1974Q1"], ["YYYYQ"]],
  ["boolean", ["Oui", "non"], ["oui/non"]],
  ["text", ["1,5"], []],
  ["number", [], []],
])("a column of %s with %j may be written as %j", (type, values, patterns) => {
  expect(spellingsOf(values, type).map(({ pattern }) => pattern)).toEqual(patterns);
});
