import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { actions } from "./action-text.ts";

test("the audit page has words for every action that ledger and server write", () => {
  const packages = join(import.meta.dirname, "../../../../packages");
  const written = globSync("{ledger,server}/src/**/*.ts", { cwd: packages })
    .filter((file) => !/\.(test|kit)\.ts$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(packages, file), "utf8").matchAll(/(?:action: |const \w*ASK\w* = )"(\w+\.\w+)"/g),
    ])
    .map(([, action = ""]) => action);
  expect(written.length).toBeGreaterThan(60);
  expect([...new Set(written)].filter((action) => !actions.includes(action))).toEqual([]);
});
