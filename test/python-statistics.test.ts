import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pythonModule, pythonStatistics } from "./python-statistics.kit.ts";

test("the Python client has a function for each statistic, as the registry makes it (UPDATE_DOCS=1 writes it)", () => {
  if (import.meta.env.UPDATE_DOCS) writeFileSync(pythonStatistics, pythonModule());
  expect(readFileSync(pythonStatistics, "utf8")).toBe(pythonModule());
  expect(pythonModule()).not.toContain("undefined");
});
