import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as core from "@dosimeter/core";
import * as risk from "@dosimeter/risk";
import { expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;
const read = (folder: string, pattern: RegExp): readonly (readonly [string, string])[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => pattern.test(file) && !/(^|\/)(node_modules|dist|dist-types|golden)\//.test(file))
    .map((file) => [join(folder, file), readFileSync(join(root, folder, file), "utf8")] as const);

test("the root of core does not re-export privacy at risk", () => {
  const values: ReadonlySet<unknown> = new Set(Object.values(core));
  expect(Object.entries(risk).filter(([, value]) => typeof value === "function" && values.has(value))).toEqual([]);
});

test("nothing that admits, plans or releases reads it", () => {
  const files = [
    ...read("packages/ledger/src", /\.ts$/),
    ...["query", "engines", "planner", "reuse", "sql-text"].flatMap((name) => read(`packages/${name}/src`, /\.ts$/)),
    ...read("packages/server/src", /\.ts$/),
    ...read("packages/core/src", /^[^/]+\.ts$/),
  ];
  expect(files.length).toBeGreaterThan(50);
  expect(
    files.filter(([, text]) => /from "(@dosimeter\/(core|plot)\/risk|\.\/risk\/)/.test(text)).map(([file]) => file),
  ).toEqual([]);
});

/** Wordings that would sell a reading as a guarantee. */
const FORBIDDEN = [
  /stronger guarantee/i,
  /(ε|epsilon)-DP with probability/i,
  /without (any )?loss of utility/i,
  /composes to (ε|epsilon)/i,
];

test("no page, docstring or text promises what privacy at risk cannot keep", () => {
  const texts = [...read("packages", /\.tsx?$/), ...read("apps", /\.(tsx?|html)$/), ...read("docs", /\.md$/)];
  for (const wording of FORBIDDEN) {
    expect(texts.filter(([, text]) => wording.test(text)).map(([file]) => `${file}: ${wording}`)).toEqual([]);
  }
});
