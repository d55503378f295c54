import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const packages = join(root, "packages");
const chapters = readdirSync(packages, { recursive: true, encoding: "utf8" }).filter((file) =>
  /^[^/]+\/src\/(.+\/)?claims\.md$/.test(file),
);
const pages = chapters.map((file) => readFileSync(join(packages, file), "utf8"));
const texts = pages.flatMap((page) => page.split(/^## (?=M\d)/m).slice(1));
const claims = new Map(texts.map((text) => [/^M\d+/.exec(text)?.[0] ?? "", text] as const));

const sources = ["packages", "apps", "docs"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(ts|tsx|md)$/.test(file) && !/(^|\/)(node_modules|dist|dist-types)\//.test(file))
    .map((file) => join(folder, file)),
);

test("every claim has a number of its own", () => {
  const numbers = texts.map((text) => /^M\d+/.exec(text)?.[0]);
  expect(numbers.length).toBeGreaterThan(20);
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

test("the list of chapters names every chapter", () => {
  const list = readFileSync(join(root, "docs/math.md"), "utf8");
  const named = [...list.matchAll(/\(\.\.\/packages\/(.+claims\.md)\)/g)].map(([, file]) => file);
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
  const lines = text.trim().split("\n");
  expect(lines.length).toBeLessThanOrEqual(12);
  expect(lines.filter((line) => line.length > 140)).toEqual([]);
});

test.each([...claims])("%s names code and tests that exist", (_, text) => {
  const files = [...text.matchAll(/`((?:packages|apps|test|docs|bench|scripts)\/[^`\s]+)`/g)].map(
    ([, file = ""]) => file,
  );
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(text).toMatch(/\*\*Code\.?\*\*/);
  expect(text).toMatch(/\*\*Tests?\.?\*\*/);
});
