import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type ESTree, parseSync, Visitor } from "rolldown/utils";
import { expect, test } from "vitest";

/** A comment on the line above a function that is longer than it may be. */
const REASON = /^ *\/\/ long: \S/;

/** How many lines a function may have: a component also has those of what it draws. */
function maxLines(file: string, draws: boolean): number {
  if (file.startsWith("apps/web/") && draws) return 150;
  return file.startsWith("packages/server/src/release/") ? 40 : 80;
}

/** Functions above their length without a reason, and reasons above none. Every line counts, those of JSX and of templates too. */
function misjudged(file: string, text: string): readonly string[] {
  const lines = text.split("\n");
  const lineAt = (offset: number): number => text.slice(0, offset).split("\n").length;
  const drawn: number[] = [];
  const functions: { readonly start: number; readonly end: number }[] = [];
  const add = (node: ESTree.Function | ESTree.ArrowFunctionExpression): void => void functions.push(node);
  const draw = ({ start }: { readonly start: number }): void => void drawn.push(start);
  new Visitor({
    ...{ FunctionDeclaration: add, FunctionExpression: add, ArrowFunctionExpression: add },
    ...{ JSXElement: draw, JSXFragment: draw },
  }).visit(parseSync(file, text).program);
  const long = functions.flatMap(({ start, end }) => {
    const [from, to] = [lineAt(start), lineAt(end)];
    const draws = drawn.some((at) => start < at && at < end);
    return to - from + 1 > maxLines(file, draws) ? [{ from, lines: to - from + 1 }] : [];
  });
  const reasons = lines.flatMap((line, index) => (REASON.test(line) ? [index + 1] : []));
  return [
    ...long
      .filter(({ from }) => !reasons.includes(from - 1))
      .map(({ from, lines }) => `${file}:${from} has ${lines} lines`),
    ...reasons
      .filter((line) => !long.some(({ from }) => from === line + 1))
      .map((line) => `${file}:${line} gives a reason for nothing`),
  ];
}

const body = (lines: number, line: string): string => `${`${line}\n`.repeat(lines - 2)}}`;

test("lines of templates and of JSX count, a reason is asked for, and none may stay without need", () => {
  const long = `export function f() {\n${body(81, "`a`;")}`;
  expect(misjudged("packages/a/src/a.ts", long)).toEqual(["packages/a/src/a.ts:1 has 81 lines"]);
  expect(misjudged("packages/a/src/a.ts", `// long: so\n${long}`)).toEqual([]);
  expect(misjudged("packages/a/src/a.ts", `const f = () => {\n${body(80, "`a`;")}`)).toEqual([]);
  expect(misjudged("packages/server/src/release/a.ts", `const f = () => {\n${body(41, "a;")}`)).toHaveLength(1);
  expect(misjudged("apps/web/src/A.tsx", `function A() {\n${body(150, "<a/>;")}`)).toEqual([]);
  expect(misjudged("apps/web/src/A.tsx", `function A() {\n${body(151, "<a/>;")}`)).toHaveLength(1);
  expect(misjudged("apps/web/src/a.tsx", `function useA() {\n${body(81, "a;")}`)).toHaveLength(1);
  expect(misjudged("packages/a/src/a.ts", "// long: so\nconst f = () => 1;")).toHaveLength(1);
});

/** SQL is data: the statements of a migration are one function. */
const root = join(import.meta.dirname, "..");
const sources = globSync("{packages,apps}/*/src/**/*.{ts,tsx}", {
  cwd: root,
  exclude: ["**/stores/migrations/**"],
}).filter((file) => !/\.(test|kit|bench)\.tsx?$/.test(file));

test("no function has more than 80 lines, none of a step of a release more than 40, and no component more than 150", () => {
  expect(sources.length).toBeGreaterThan(1000);
  const long = sources.flatMap((file) => misjudged(file, readFileSync(join(root, file), "utf8")));
  expect(long).toEqual([]);
});
