import { expect, test } from "vitest";
import { completions } from "./prompt.ts";

const datasets = [
  { name: "adults", columns: ["age", "income"] },
  { name: "visits 2024", columns: ["amount"] },
];

test.each([
  ["SELECT COUNT(*) FROM ", ["adults", '"visits 2024"'], ""],
  ["SELECT COUNT(*) FROM ad", ["adults"], "ad"],
  ["\\d ad", ["adults"], "ad"],
  ["\\b", ["\\budget"], "\\b"],
  ["SELECT AVG(inc", ["income"], "inc"],
  ["SELECT COUNT(*) FROM adults WHERE am", [], "am"],
  ["sel", ["SELECT"], "sel"],
])("%s", (line, found, word) => {
  expect(completions(line, datasets)).toEqual([found, word]);
});
