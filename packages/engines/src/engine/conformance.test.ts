import { Exact } from "@dosimeter/core";
import { seededRandom } from "@dosimeter/core/testing";
import { expect, test } from "vitest";
import { refusalText } from "../../../../test/refusal.kit.ts";
import { addNoise } from "../../../query/src/answer/add-noise.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Declaration } from "../../../query/src/declaration/declaration.ts";
import { leavesIn } from "../../../query/src/plan/task.kit.ts";
import { eventsOf } from "../../../query/src/quote/quote.ts";
import type { Plan, StatisticRequest } from "../../../query/src/statistics/request.ts";

const columns = {
  person: { type: "text" },
  region: { type: "category", categories: ["a", "b"] },
  age: { type: "integer", lower: 0, upper: 100 },
  pay: { type: "number", lower: 0, upper: 1e6, granularity: 1 },
  free: { type: "number" },
  note: { type: "text" },
} as const;
const perPerson = (contribution: object): Declaration =>
  checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: { column: "person" }, contribution, columns });
const twoRows = perPerson({ rows: 2 });
const perRow = checkDeclaration({ name: "t", source: { csv: "t.csv" }, privacyUnit: "row", columns });

const refused = (request: object, more: object = {}, declaration = twoRows): string =>
  refusalText(() => boundPlan({ statistics: [request as StatisticRequest], ...more }, declaration));

/** Refused when the plan is bounded: before a budget is touched or a byte is read. */
test.each([
  [6, "missing bounds", { statistic: "sum", column: "free", epsilon: 1 }, "lower is missing"],
  [
    6,
    "a bound that is no number",
    { statistic: "sum", column: "age", lower: Number.NaN, upper: 1, epsilon: 1 },
    "lower is",
  ],
  [6, "an infinite bound", { statistic: "sum", column: "pay", upper: Infinity, epsilon: 1 }, "upper is"],
  [7, "equal bounds", { statistic: "mean", column: "age", lower: 5, upper: 5, epsilon: 1 }, "must be <"],
  [7, "swapped bounds", { statistic: "mean", column: "age", lower: 9, upper: 5, epsilon: 1 }, "must be <"],
  [
    8,
    "bounds left to the data",
    { statistic: "median", column: "free", epsilon: 1 },
    "bounds are never read from the data",
  ],
  [9, "ε = 0", { statistic: "count", epsilon: 0 }, "at least"],
  [9, "a negative ε", { statistic: "count", epsilon: -1 }, ">= 0"],
  [9, "ε that is no number", { statistic: "count", epsilon: Number.NaN }, "finite"],
  [9, "ε too small to hold", { statistic: "count", epsilon: "1e-400" }, "at least"],
  [9, "ε too large to mean anything", { statistic: "count", epsilon: 1e308 }, "at most"],
  [
    10,
    "found keys without δ",
    { statistic: "count", groupBy: ["note"], keys: "select", epsilon: 1 },
    "delta is missing",
  ],
  [
    10,
    "found keys with δ = 0",
    { statistic: "count", groupBy: ["note"], keys: "select", epsilon: 1, delta: 0 },
    "delta is 0",
  ],
  [10, "δ = 1", { statistic: "count", groupBy: ["note"], keys: "select", epsilon: 1, delta: 1 }, "delta is 1"],
  [17, "a join", { statistic: "count", epsilon: 1, join: "other" }, "join is"],
  [19, "squares beyond 64 bits", { statistic: "variance", column: "pay", granularity: 1e-5, epsilon: 1 }, "coarser"],
  [19, "ticks beyond 2^53", { statistic: "sum", column: "pay", granularity: 1e-12, epsilon: 1 }, "2^53"],
  [9, "ε that is a word", { statistic: "count", epsilon: "Infinity" }, "epsilon is"],
  [19, "half steps of whole numbers", { statistic: "sum", column: "age", granularity: 0.5, epsilon: 1 }, "whole"],
  [19, "totals beyond 2^53", { statistic: "unitSum", column: "pay", unitUpper: 1e17, epsilon: 1 }, "unitUpper is"],
  [26, "a quantile below 0", { statistic: "quantiles", column: "age", quantiles: [-0.1], epsilon: 1 }, "from 0 to 1"],
  [
    26,
    "a quantile that is no number",
    { statistic: "quantiles", column: "age", quantiles: [Number.NaN], epsilon: 1 },
    "from 0 to 1",
  ],
  [26, "a quantile beyond 1", { statistic: "quantiles", column: "age", quantiles: [1.2], epsilon: 1 }, "from 0 to 1"],
  [35, "a division in a filter", { statistic: "count", where: "age / 0 > 1", epsilon: 1 }, "where is"],
  [36, "a function of the user's own", { statistic: "count", where: "f(age) > 1", epsilon: 1 }, "where is"],
  [37, "a pattern", { statistic: "count", where: "note like '%a%'", epsilon: 1 }, "where is"],
  [45, "a filter by who it is", { statistic: "count", where: "person = 'p1'", epsilon: 1 }, "names the privacy unit"],
  [46, "HAVING", { statistic: "count", having: "count > 3", epsilon: 1 }, "having is"],
  [46, "ORDER BY", { statistic: "count", orderBy: "count", epsilon: 1 }, "orderBy is"],
  [46, "LIMIT", { statistic: "count", limit: 3, epsilon: 1 }, "limit is"],
  [
    47,
    "distinct values without a bound on them",
    { statistic: "countDistinct", column: "note", epsilon: 1 },
    "statistic is",
  ],
  [
    47,
    "different values of a person without a limit",
    { statistic: "distinctValues", column: "note", valuesPerUnit: Infinity, epsilon: 1 },
    "valuesPerUnit is",
  ],
  [48, "an average of averages", { statistic: "mean", column: "mean(pay)", epsilon: 1 }, "must be one of"],
  [48, "a window", { statistic: "sum", column: "pay", over: "region", epsilon: 1 }, "over is"],
  [49, "a subquery as a column", { statistic: "count", groupBy: ["(select 1)"], epsilon: 1 }, "must be one of"],
  [50, "a seed in a row", { statistic: "count", epsilon: 1, seed: 1 }, "seed is"],
  [58, "no noise", { statistic: "count", noise: "none", epsilon: 1 }, "must be one of"],
  [58, "ε = ∞", { statistic: "count", epsilon: Infinity }, "finite"],
  [58, "ρ = ∞", { statistic: "count", rho: Infinity }, "finite"],
] as const)("case %d: %s is refused before any SQL", (_, __, request, words) => {
  expect(refused(request)).toContain(words);
});

test("case 17, 49, 50: a plan names no table, no query and no seed", () => {
  const request = { statistic: "count", epsilon: 1 };
  expect(refused(request, { from: "a join b" })).toContain("from is");
  expect(refused(request, { sql: "select 1" })).toContain("sql is");
  expect(refused(request, { seed: 1 })).toContain("seed is");
  expect(refused(request, { debug: true })).toContain("debug is");
});

test("case 19: whole numbers whose bounds no double holds are refused when the table is declared", () => {
  const declare = (upper: number) =>
    checkDeclaration({
      name: "t",
      source: { csv: "t.csv" },
      privacyUnit: "row",
      columns: { n: { type: "integer", lower: 0, upper } },
    });
  expect(() => declare(2 ** 53)).toThrow("columns.n.upper");
  expect(declare(2 ** 53 - 1).columns.n?.upper).toBe(2 ** 53 - 1);
});

test.each([
  ["case 35: a division by zero", "age / 0"],
  ["case 35: a root", "sqrt(age)"],
  ["case 35: a text as a number", "note + 1"],
  ["case 36: a function of the user's own", "mine(age)"],
  ["case 37: a pattern", "note like 'a'"],
  ["case 45: the unit itself", "person = 'p1'"],
  ["case 48: a window", "sum(age)"],
])("%s in a derived column is refused before any SQL", (_, formula) => {
  expect(refused({ statistic: "count", where: "d is null", epsilon: 1 }, { let: { d: formula } })).toContain("let.d");
});

test("case 27: quantiles come sorted and once each, and never cross", () => {
  const plan: Plan = {
    statistics: [{ statistic: "quantiles", column: "age", quantiles: [0.9, 0.1, 0.9, 0.5], epsilon: 1 }],
  };
  const bounded = boundPlan(plan, perRow);
  const leaves = leavesIn(bounded.statistics[0]);
  for (let seed = 0; seed < 30; seed++) {
    const counts = Array.from({ length: leaves }, (_, leaf) => BigInt((leaf * seed) % 3));
    const [answer] = addNoise(bounded, new Exact([counts]), seededRandom(seed));
    expect(answer?.cells.map(({ bin }) => bin?.label)).toEqual(["10%", "50%", "90%"]);
    const values = answer?.cells.map(({ value }) => value) ?? [];
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  }
});

test("case 28: the variance of nothing, of one row and of a constant lies in what is possible", () => {
  const bounded = boundPlan(
    {
      statistics: [
        { statistic: "variance", column: "age", epsilon: 1 },
        { statistic: "standardDeviation", column: "age", epsilon: 1 },
      ],
    },
    perRow,
  );
  const square = 100n * 100n;
  for (let seed = 0; seed < 40; seed++)
    for (const vector of [
      [0n, 0n, 0n],
      [0n, 0n, square],
      [0n, 0n, 500n * square],
    ])
      for (const answer of addNoise(bounded, new Exact([vector, vector]), seededRandom(seed))) {
        const most = answer.statistic === "variance" ? 2500 : 50;
        expect(answer.cells[0]?.value).toBeGreaterThanOrEqual(0);
        expect(answer.cells[0]?.value).toBeLessThanOrEqual(most);
      }
});

test("case 51: a count may come out negative; its interval knows that counts are not, and holds it all the same", () => {
  const bounded = boundPlan({ statistics: [{ statistic: "count", epsilon: "0.1" }] }, perRow);
  const cells = Array.from(
    { length: 60 },
    (_, seed) => addNoise(bounded, new Exact([[0n]]), seededRandom(seed))[0]?.cells[0],
  );
  expect(Math.min(...cells.map((cell) => cell?.value ?? 0))).toBeLessThan(0);
  for (const cell of cells) {
    expect(cell?.interval[0]).toBeGreaterThanOrEqual(Math.min(0, cell?.value ?? 0));
    expect(cell?.interval[0]).toBeLessThanOrEqual(cell?.value ?? 0);
    expect(cell?.interval[1]).toBeGreaterThanOrEqual(0);
    expect(String(cell?.value)).toBe(cell?.noisy[0]);
  }
});

test("case 52: a thousand tiny prices add up exactly", () => {
  const statistics = Array.from({ length: 1000 }, () => ({ statistic: "count", epsilon: "0.000000000001" }) as const);
  const scales = eventsOf(boundPlan({ statistics }, perRow)).map((event) =>
    event.kind === "discreteLaplace" ? event.scale : "",
  );
  expect(new Set(scales)).toEqual(new Set(["1000000000000"]));
});

test("case 53: the noise grows with how many rows a person may have", () => {
  const scaleOf = (rows: number): string => {
    const [statistic] = boundPlan({ statistics: [{ statistic: "count", epsilon: 1 }] }, perPerson({ rows })).statistics;
    return statistic?.noise.kind === "laplace" ? String(statistic.noise.scale.numerator) : "";
  };
  expect([1, 2, 7].map(scaleOf)).toEqual(["1", "2", "7"]);
});

test("case 57: integers of any size are texts in JSON", () => {
  const wide = checkDeclaration({
    name: "t",
    source: { csv: "t.csv" },
    privacyUnit: "row",
    columns: { age: { type: "integer", lower: 0, upper: Number.MAX_SAFE_INTEGER } },
  });
  const bounded = boundPlan({ statistics: [{ statistic: "sum", column: "age", epsilon: 1_000_000 }] }, wide);
  const exact = 3000n * BigInt(Number.MAX_SAFE_INTEGER);
  const [answer] = JSON.parse(JSON.stringify(addNoise(bounded, new Exact([[exact]]), seededRandom(1))));
  const off = BigInt(answer.cells[0].noisy[0]) - exact;
  expect(typeof answer.cells[0].noisy[0]).toBe("string");
  expect(off < 10n ** 12n && off > -(10n ** 12n)).toBe(true);
});
