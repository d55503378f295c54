import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (page: string) => readFileSync(join(import.meta.dirname, "..", page), "utf8");

test("every attack has a defence", () => {
  const page = read("docs/threat-model.md").split("### Attacks, one by one")[1] ?? "";
  const rows = page.split("\n").filter((line) => /^\| (?!attack \|)/.test(line));
  expect(rows.length).toBeGreaterThan(80);
  expect(rows.filter((row) => !/^\| \S.{8,} \| \S.{3,} \|$/.test(row))).toEqual([]);
});

test("the organisation states every invariant", () => {
  const invariants = new Set(
    [...read("docs/organisation.md").matchAll(/\bI(\d+)\b/g)].map(([, number]) => Number(number)),
  );
  expect([...invariants].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index + 1));
});
