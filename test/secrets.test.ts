import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = new URL("..", import.meta.url).pathname;

const sources = ["packages", "apps"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\/src\/.*\.tsx?$/.test(file) && !/(^|\/)(node_modules|dist)\//.test(file))
    .filter((file) => !/\.(test|kit|bench)\.tsx?$/.test(file))
    .map((file) => join(folder, file)),
);

/** Which sources match, other than those that are allowed to. */
const others = (pattern: RegExp, allowed: readonly string[]): string[] =>
  sources.filter((file) => pattern.test(readFileSync(join(root, file), "utf8")) && !allowed.includes(file));

test("only the step that adds noise reveals an exact value, and the self-audit of invented rows", () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(
    others(/from "@dosimeter\/core\/exact"/, [
      "packages/query/src/answer/draw.ts",
      // The self-audit looks at invented rows only.
      "packages/query/src/audit/fuzz.ts",
      "packages/query/src/audit/replay.ts",
    ]),
  ).toEqual([]);
  const inside = others(/from "[./\w]*\/exact\.ts"/, ["packages/core/src/index.ts"]);
  expect(inside.filter((file) => file.startsWith("packages/core/"))).toEqual([]);
});

test("only the server's adapter makes a SecureRandom, from the platform's generator", () => {
  const adapter = "packages/server/src/measuring/random.ts";
  const core = ["packages/core/src/index.ts", "packages/core/src/noise/random.ts"];
  expect(others(/\bsecureRandom\(|\bsecureRandom\b.*from/, [adapter, ...core])).toEqual([]);
  expect(readFileSync(join(root, adapter), "utf8")).toMatch(/randomFillSync|getRandomValues/);
});

test("no production code draws from a seeded generator for noise", () => {
  expect(
    others(/from "@dosimeter\/core\/testing"|from "\.\/seeded-random\.ts"/, [
      "packages/server/src/release/self-audit.ts",
    ]),
  ).toEqual([]);
});
