import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const CASES = 58;

/** Numbers that follow the word "case" in the name of a test: `case 4, 5: …`, and the rows of `test.each` in conformance tests. */
function named(kind = /\.(test|kit)\.ts$/): ReadonlySet<number> {
  const files = ["packages", "test"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    )
    .filter((file) => /\/src\//.test(file) && kind.test(file) && !/(^|\/)(node_modules|dist)\//.test(file));
  const numbers = new Set<number>();
  for (const file of files) {
    const text = readFileSync(join(root, file), "utf8");
    for (const [, list = ""] of text.matchAll(/test\(\s*["`]cases? (\d+(?:, \d+)*):/g))
      for (const number of list.split(", ")) numbers.add(Number(number));
    if (file.endsWith("conformance.test.ts"))
      for (const [, number] of text.matchAll(/^ {2}\[\s*(\d+),\s+"/gm)) numbers.add(Number(number));
  }
  return numbers;
}

test("each of the 58 conformance cases of the engine is the name of a test", () => {
  const found = named();
  expect(Array.from({ length: CASES }, (_, index) => index + 1).filter((number) => !found.has(number))).toEqual([]);
});

/** What depends on the SQL of a database: a test of the kit that every engine runs. */
const OF_ENGINES = [1, 2, 3, 4, 5, 11, 12, 13, 14, 15, 18, 20, 21, 22, 23, 24, 25, 28, 30, 31, 33, 34, 40, 56];

test("each case about stored values and SQL is a test of every engine", () => {
  const found = named(/\.kit\.ts$/);
  expect(OF_ENGINES.filter((number) => !found.has(number))).toEqual([]);
});
