import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { chapters, readClaims, root } from "../scripts/claims.ts";

const claimed = readClaims();
const claims = new Map(claimed.map(({ number, text }) => [number, text] as const));

const sources = ["packages", "apps", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|tsx|md)$/.test(file) && !/(^|\/)(node_modules|dist|dist-types)\//.test(file))
    .map((file) => join(folder, file)),
);

test("every claim has a number of its own", () => {
  const numbers = claimed.map(({ number }) => number);
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

test("the list of chapters names every chapter", () => {
  const list = readFileSync(join(root, "docs/math.md"), "utf8");
  const named = [...list.matchAll(/\(\.\.\/(packages\/.+claims\.md)\)/g)].map(([, file]) => file);
  expect(named.toSorted()).toEqual(chapters.toSorted());
});

test("every claim that is cited exists", () => {
  const missing = sources.flatMap((file) =>
    // In a document every such number is a claim: the book makes it a link.
    [...readFileSync(join(root, file), "utf8").matchAll(file.endsWith(".md") ? /\bM\d+\b/g : /(?<=\[)M\d+(?=\])/g)]
      .filter(([claim]) => !claims.has(claim))
      .map(([claim]) => `${file} cites ${claim}`),
  );
  expect(missing).toEqual([]);
});

test.each([...claims])("%s has at most 12 lines of at most 140 columns", (_, text) => {
  const lines = text.split("\n");
  expect(lines.length).toBeLessThanOrEqual(11); // below its title
  expect(lines.filter((line) => line.length > 140)).toEqual([]);
});

/** Claims that no source file cites, each with its reason; the list may only get shorter. */
const uncited = new Map([["M24", "rules that the product does not have: they are code of tests"]]);

test.each(claimed)("$number names code and tests that exist, and code cites it", ({ number, code, tests, citedBy }) => {
  expect(code.length).toBeGreaterThan(0);
  expect(tests.length).toBeGreaterThan(0);
  expect([...code, ...tests].filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(citedBy.length > 0).toBe(!uncited.has(number));
});
