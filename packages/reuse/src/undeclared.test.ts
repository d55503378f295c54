import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { canonicalOf } from "./canonical.ts";
import { diagramsOf } from "./diagram.ts";
import { poolOf } from "./earlier.ts";
import { waysTo } from "./offer.ts";
import { about, bounded, declaration, measured, peopleOf, released } from "./reuse.kit.ts";
import { undeclaredRows } from "./undeclared.ts";

/** The table says nothing of other values of sex. */
const open = checkDeclaration({
  ...declaration,
  columns: { ...declaration.columns, sex: { type: "category", categories: ["f", "m"] } },
});
const people = peopleOf(500);
/** Rows whose sex is no category are in the totals alone. */
const OTHERS = 137n;

function notes(requests: readonly StatisticRequest[], seed: number, within = open, confidence = 0.95) {
  const random = seededRandom(seed);
  const pools = requests.map((request, at) => {
    const exact = measured(bounded(request, within), people);
    const isTotal = request.groupBy === undefined && request.statistic === "count";
    const all = isTotal ? exact.map((rows) => rows + OTHERS) : exact;
    return poolOf(released(request, all, random, { release: `rel_${at}`, within }));
  });
  return undeclaredRows(pools, diagramsOf(within), confidence);
}

const bySex = { statistic: "count", groupBy: ["sex"], epsilon: 0.5 } as const;

test("a released count tells how many rows are in no group, as often as it says [M384]", () => {
  let hits = 0;
  const draws = 400;
  for (let seed = 0; seed < draws; seed++) {
    const [none, said] = notes([{ statistic: "count", epsilon: 0.5 }, bySex], seed, open, 0.8);
    expect(none).toBeNull();
    const [, from, to] =
      /By the count next to it, (\d+) to (\d+) rows are in none of its groups/.exec(said ?? "") ?? [];
    if (Number(from) <= OTHERS && OTHERS <= Number(to)) hits += 1;
  }
  // Fewer in one of 10⁴ runs.
  expect(hits).toBeGreaterThan(draws * 0.8 - 4 * Math.sqrt(draws * 0.8 * 0.2));
});

test("the count of the values of the column tells of those that are no category; a histogram has bins", () => {
  expect(notes([{ statistic: "count", column: "sex", epsilon: 2 }, bySex], 1)[1]).toMatch(/count of sex next to it/);
  const bins = { statistic: "histogram", column: "sex", epsilon: 2 } as const;
  expect(notes([{ statistic: "count", epsilon: 2 }, bins], 1)[1]).toMatch(/none of its bins/);
});

test("nothing is said of other rows, of a column that is required, or where rows of a person are left out", () => {
  const count = { statistic: "count", epsilon: 2 } as const;
  expect(notes([{ ...count, where: "age > 50" }, bySex], 1)).toEqual([null, null]);
  expect(notes([count, bySex], 1, declaration)).toEqual([null, null]);
  const units = checkDeclaration({
    ...open,
    privacyUnit: { column: "who" },
    contribution: { rows: 1 },
    columns: { ...open.columns, who: { type: "text" } },
  });
  expect(notes([count, bySex], 1, units)).toEqual([null, null]);
});

test("an answer says which columns let rows be in no group or bin", () => {
  const undeclared = (request: StatisticRequest, within = open) => bounded(request, within).undeclared;
  expect(undeclared(bySex)).toEqual(["sex"]);
  expect(undeclared({ statistic: "count", groupBy: ["sex", "member"], epsilon: 1 })).toEqual(["sex"]);
  expect(undeclared({ statistic: "histogram", column: "sex", epsilon: 1 })).toEqual(["sex"]);
  expect(undeclared(bySex, declaration)).toBeUndefined();
  expect(undeclared({ statistic: "count", column: "sex", epsilon: 1 })).toBeUndefined();
  const { sex, ...others } = open.columns;
  const texts = checkDeclaration({
    ...open,
    columns: { ...others, sex: { ...sex, type: "text", categories: undefined } },
  });
  const found = { statistic: "count", groupBy: ["sex"], keys: "select", delta: "1e-6", epsilon: 1 } as never;
  expect(undeclared(found, texts)).toBeUndefined();
});

test("an answer that is derived names what the owner states of the rows and which groups they are in", () => {
  const exact = checkDeclaration({ ...declaration, adjacency: "replace", size: { public: people.length } });
  const within = diagramsOf(exact);
  const request = { statistic: "mean", column: "pay", epsilon: 1 } as const;
  const source = released(request, measured(bounded(request, exact), people), seededRandom(1), { within: exact });
  const sum = bounded({ statistic: "sum", column: "pay", epsilon: 1 }, exact);
  const key = canonicalOf(sum, { ...about, declaration: exact }).key;
  const ways = waysTo({ statistic: sum, key, confidence: 0.95, rows: null }, [source], within);
  const derived = ways.find(({ kind }) => kind === "derived");
  expect(derived?.notes).toEqual(expect.arrayContaining([expect.stringMatching(/^It rests on what the owner states/)]));
});
