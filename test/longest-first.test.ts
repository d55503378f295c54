import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { longest } from "./longest-first.ts";

test("every file that is to begin first exists", () => {
  const cwd = join(import.meta.dirname, "..");
  const names = new Set(
    globSync(["packages/*/src/**/*.test.ts", "test/*.test.ts"], { cwd }).map((file) => basename(file)),
  );
  expect(longest.filter((name) => !names.has(name))).toEqual([]);
});
