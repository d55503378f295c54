import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { refusalText } from "../../../../test/refusal.kit.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import { binsOf } from "../plan/task.ts";
import { quotePlan } from "../quote/quote.ts";
import { statisticNames } from "../statistics/registry.ts";
import type { Plan, StatisticRequest } from "../statistics/request.ts";
import { boundPlan, boundSteps } from "./bound-plan.ts";

const columns = {
  person: { type: "text" },
  age: { type: "integer", lower: 0, upper: 100 },
  income: { type: "number", lower: -1000, upper: 5000, granularity: 10, required: true },
  score: { type: "number" },
  region: { type: "category", categories: ["north", "south", "east"] },
  married: { type: "boolean" },
  zip: { type: "integer" },
};
const rowUnit = { name: "t", source: { csv: "t.csv" }, privacyUnit: "row", columns };
const perPerson = (contribution: object, adjacency = "addRemove") =>
  checkDeclaration({ ...rowUnit, privacyUnit: { column: "person" }, contribution, adjacency });
const perRow = (more: object = {}) => checkDeclaration({ ...rowUnit, ...more });

const refusal = (plan: unknown, declaration = perPerson({ rows: 3 })): string =>
  refusalText(() => boundPlan(plan as Plan, declaration));
const one = (request: object) => ({ statistics: [request] });

test.each<[unknown, string]>([
  [{ statistics: [] }, "EMPTY_PLAN a plan has no statistics"],
  [{}, "EMPTY_PLAN a plan has no statistics"],
  [null, "INVALID_PARAMETER plan is null, must be an object"],
  [
    { statistics: [{ statistic: "count", epsilon: 1 }], confidence: 1 },
    "INVALID_PARAMETER confidence is 1, must be between 0 and 1, both excluded",
  ],
  // 1 − 1e-17 is 1: such a plan was charged and could never be answered
  [
    { statistics: [{ statistic: "count", epsilon: 1 }], confidence: 1e-17 },
    "INVALID_PARAMETER confidence is 1e-17, must be between 1e-12 and 1 - 1e-12",
  ],
  [
    one({ statistic: "count", noise: "none", rho: 1 }),
    'INVALID_PARAMETER statistics[0].noise is "none", must be one of laplace, gaussian, auto',
  ],
  [
    { statistics: [{ statistic: "count", epsilon: 1 }], adjacency: "replace" },
    'ADJACENCY_MISMATCH adjacency is "replace", must be addRemove',
  ],
  [
    one({ statistic: "mode", epsilon: 1 }),
    `INVALID_PARAMETER statistics[0].statistic is "mode", must be one of ${statisticNames.join(", ")} (did you mean median?)`,
  ],
  [
    one({ statistic: "sum", column: "age", unitUpper: 5, epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].unitUpper is 5, must be absent: only a sum by person has it",
  ],
  [
    one({ statistic: "unitSum", column: "age", unitLower: 0, unitUpper: 2.5, epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].unitUpper is 2.5, must be a multiple of the step (1)",
  ],
  [
    one({ statistic: "unitSum", column: "age", unitLower: 300, unitUpper: 300, epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].unitUpper is 300, must be > unitLower",
  ],
  [
    one({ statistic: "variance", column: "income", granularity: 1e-6, epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].granularity is 0.000001, must be coarser: a variance takes at most 3000000000 steps between the bounds",
  ],
  [
    one({ statistic: "mean", column: "height", epsilon: 1 }),
    'UNKNOWN_COLUMN statistics[0].column is "height", must be one of person, age, income, score, region, married, zip',
  ],
  [
    one({ statistic: "mean", column: "__proto__", epsilon: 1 }),
    'UNKNOWN_COLUMN statistics[0].column is "__proto__", must be one of person, age, income, score, region, married, zip',
  ],
  [
    one({ statistic: "mean", epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].column is missing, must be the name of a column",
  ],
  [
    one({ statistic: "mean", column: "person", epsilon: 1 }),
    'UNSUPPORTED_QUERY statistics[0].column is "person", must be another column: this one names the privacy unit',
  ],
  [
    one({ statistic: "mean", column: "region", epsilon: 1 }),
    'UNSUPPORTED_QUERY statistics[0].column is "region", must be an integer, number or date column; it is category',
  ],
  [
    one({ statistic: "sum", column: "score", epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].lower is missing, must be given, or declared for the column: bounds are never read from the data",
  ],
  [
    one({ statistic: "sum", column: "score", epsilon: 1, lower: 5, upper: 5 }),
    "INVALID_PARAMETER statistics[0].lower is 5, must be < statistics[0].upper (5)",
  ],
  [
    one({ statistic: "sum", column: "score", epsilon: 1, lower: 5, upper: Number.NaN }),
    "INVALID_PARAMETER statistics[0].upper is NaN, must be a finite number within ±1e300",
  ],
  [
    one({ statistic: "sum", column: "score", epsilon: 1, lower: 0, upper: 1e300, granularity: 1 }),
    "INVALID_PARAMETER statistics[0].upper is 1e+300, must be at most 2^53 steps from 0: choose a coarser granularity or narrower bounds",
  ],
  [
    one({ statistic: "sum", column: "income", epsilon: 1, granularity: 7 }),
    "INVALID_PARAMETER statistics[0].granularity is 7, must be a step that divides both bounds (-1000 and 5000)",
  ],
  [
    one({ statistic: "distinctUnits", column: "age", epsilon: 1 }),
    'INVALID_PARAMETER statistics[0].column is "age", must be absent: a number of people reads no column',
  ],
  [
    one({ statistic: "count", column: "height", epsilon: 1 }),
    'UNKNOWN_COLUMN statistics[0].column is "height", must be one of person, age, income, score, region, married, zip',
  ],
  [
    one({ statistic: "count", column: "age", lower: 18, upper: 60, epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].lower is 18, must be absent: a count takes every value of the column",
  ],
  [
    one({ statistic: "count", bins: 4, epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].bins is 4, must be absent from a count",
  ],
  [one({ statistic: "count" }), "INVALID_PARAMETER statistics[0].epsilon is missing, must be a decimal > 0"],
  [
    one({ statistic: "count", epsilon: 0 }),
    "INVALID_PARAMETER statistics[0].epsilon is 0, must be at least 0.000000000001",
  ],
  [one({ statistic: "count", epsilon: -1 }), "INVALID_PARAMETER statistics[0].epsilon is -1, must be >= 0"],
  [
    one({ statistic: "count", epsilon: "1e-400" }),
    'INVALID_PARAMETER statistics[0].epsilon is "1e-400", must be at least 0.000000000001',
  ],
  [
    one({ statistic: "count", epsilon: 1e308 }),
    "INVALID_PARAMETER statistics[0].epsilon is 1e+308, must be at most 1000000",
  ],
  [
    one({ statistic: "count", epsilon: "lots" }),
    'INVALID_PARAMETER statistics[0].epsilon is "lots", must be a finite number',
  ],
  [
    one({ statistic: "count", epsilon: Number.NaN }),
    "INVALID_PARAMETER statistics[0].epsilon is NaN, must be a finite number",
  ],
  [
    one({ statistic: "count", noise: "gaussian", epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].epsilon is 1, must be absent: Gaussian noise is paid in rho (mu^2 = 2 rho)",
  ],
  [
    one({ statistic: "count", epsilon: 1, rho: 1 }),
    "INVALID_PARAMETER statistics[0].rho is 1, must be absent: Laplace noise is paid in epsilon",
  ],
  [
    one({ statistic: "count", epsilon: 1, seed: 7 }),
    "INVALID_PARAMETER statistics[0].seed is 7, must be absent; known are id, statistic, column, with, valuesPerUnit, lower, upper, granularity, unitLower, unitUpper, bins, quantiles, groupBy, keys, keysFrom, keyShare, delta, atLeast, k, where, weights, impossible, tables, numbers, noise, epsilon, rho",
  ],
  [
    one({ statistic: "histogram", column: "score", epsilon: 1 }),
    "INVALID_PARAMETER statistics[0].lower is missing, must be given, or declared for the column, or bins as a list of edges",
  ],
  [
    one({ statistic: "histogram", column: "age", epsilon: 1, bins: 0 }),
    "INVALID_PARAMETER statistics[0].bins is 0, must be a whole number from 1 to 10000, or a list of edges",
  ],
  [
    one({ statistic: "histogram", column: "age", epsilon: 1, bins: 500 }),
    "INVALID_PARAMETER statistics[0].bins is 500, must be at most 101: the column has no more values",
  ],
  [
    one({ statistic: "histogram", column: "age", epsilon: 1, bins: [0, 10, 10, 20] }),
    "INVALID_PARAMETER statistics[0].bins[2] is 10, must be > the edge before it (10)",
  ],
  [
    one({ statistic: "histogram", column: "age", epsilon: 1, bins: [0] }),
    "INVALID_PARAMETER statistics[0].bins is 1, must be 2 to 10001 edges",
  ],
  [
    one({ statistic: "histogram", column: "region", epsilon: 1, bins: 2 }),
    "INVALID_PARAMETER statistics[0].bins is 2, must be absent: the bins are the declared values of a category column",
  ],
  [
    one({ statistic: "count", epsilon: 1, groupBy: ["score"] }),
    'UNSUPPORTED_QUERY statistics[0].groupBy[0] is "number", must be a boolean, category, integer or date column: its groups must be declared, never read from the data',
  ],
  [
    one({ statistic: "count", epsilon: 1, groupBy: ["zip"] }),
    "INVALID_PARAMETER statistics[0].groupBy[0] is missing, must be a column with declared bounds",
  ],
  [
    one({ statistic: "count", epsilon: 1, groupBy: ["age", "age"] }),
    'INVALID_PARAMETER statistics[0].groupBy[1] is "age", must be named once',
  ],
  [
    one({ statistic: "count", epsilon: 1, groupBy: ["person"] }),
    'UNSUPPORTED_QUERY statistics[0].groupBy[0] is "person", must be another column: this one names the privacy unit',
  ],
  [
    one({ statistic: "count", epsilon: 1, where: "person = 'x'" }),
    'UNSUPPORTED_QUERY statistics[0].where.column is "person", must be another column: this one names the privacy unit',
  ],
  [
    {
      statistics: [
        { id: "a", statistic: "count", epsilon: 1 },
        { id: "a", statistic: "count", epsilon: 1 },
      ],
    },
    'INVALID_PARAMETER statistics[1].id is "a", must be different from the ids before it',
  ],
])("refused: %j", (plan, message) => {
  expect(refusal(plan)).toBe(message);
});

const sensitivity = (request: Partial<StatisticRequest>, declaration: ReturnType<typeof perRow>) => {
  const plan = { statistics: [{ epsilon: 1, ...request } as StatisticRequest] };
  const { l1, l2Squared, linf } = boundPlan(plan, declaration).statistics[0]?.sensitivity ?? {
    l1: 0n,
    l2Squared: 0n,
    linf: 0n,
  };
  return [Number(l1), Number(l2Squared), Number(linf)];
};
const sum = { statistic: "sum", column: "income" } as const;
const bySex = { groupBy: ["region"] };

test.each([
  ["count, unit row", { statistic: "count" } as const, perRow(), [1, 1, 1]],
  ["count, C = 3", { statistic: "count" } as const, perPerson({ rows: 3 }), [3, 9, 3]],
  ["count by group, C = 3", { statistic: "count", ...bySex } as const, perPerson({ rows: 3 }), [3, 9, 3]],
  [
    "count by group, L0 = 2, L∞ = 3",
    { statistic: "count", ...bySex } as const,
    perPerson({ groups: 2, rowsPerGroup: 3 }),
    [6, 18, 3],
  ],
  [
    "count by group, C = 5, L∞ = 3",
    { statistic: "count", ...bySex } as const,
    perPerson({ rows: 5, rowsPerGroup: 3 }),
    [5, 13, 3],
  ],
  [
    "count, L0 = 2, L∞ = 3: one group",
    { statistic: "count" } as const,
    perPerson({ groups: 2, rowsPerGroup: 3 }),
    [3, 9, 3],
  ],
  [
    "units by group, L0 = 2",
    { statistic: "distinctUnits", ...bySex } as const,
    perPerson({ groups: 2, rowsPerGroup: 9 }),
    [2, 2, 1],
  ],
  ["units", { statistic: "distinctUnits" } as const, perPerson({ rows: 7 }), [1, 1, 1]],
  ["sum in ticks of 10", sum, perRow(), [500, 250_000, 500]],
  [
    "mean pair, 600 ticks refined twice",
    { statistic: "mean", column: "income" } as const,
    perPerson({ rows: 3 }),
    [3600, 3600 ** 2, 3600],
  ],
  ["histogram", { statistic: "histogram", column: "region" } as const, perPerson({ rows: 2 }), [2, 4, 2]],
  ["replace: count", { statistic: "count" } as const, perPerson({ rows: 3 }, "replace"), [3, 9, 3]],
  ["replace: count by group", { statistic: "count", ...bySex } as const, perPerson({ rows: 3 }, "replace"), [6, 18, 3]],
  ["replace: sum, K(max(U, 0) − min(L, 0))", sum, perPerson({ rows: 3 }, "replace"), [1800, 1800 ** 2, 1800]],
  [
    "replace: sum by group, 2K max(|L|, |U|)",
    { ...sum, ...bySex },
    perPerson({ rows: 3 }, "replace"),
    [3000, 4 * 1500 ** 2, 1800],
  ],
  [
    "replace: mean pair",
    { statistic: "mean", column: "income" } as const,
    perRow({ adjacency: "replace" }),
    [2400, 2 * 1200 ** 2, 1200],
  ],
  [
    "replace, n public: mean, R",
    { statistic: "mean", column: "income" } as const,
    perRow({ adjacency: "replace", size: { public: 50 } }),
    [1200, 1200 ** 2, 1200],
  ],
  ["replace, n public: sum, U − L", sum, perRow({ adjacency: "replace", size: { public: 50 } }), [600, 360_000, 600]],
  [
    "replace, n public, filtered: no gain",
    { ...sum, where: "age > 3" },
    perRow({ adjacency: "replace", size: { public: 50 } }),
    [600, 360_000, 600],
  ],
  [
    "replace, n public, column may be missing",
    { statistic: "mean", column: "age" } as const,
    perRow({ adjacency: "replace", size: { public: 50 } }),
    [2200, 2 * 1100 ** 2, 1100],
  ],
])("sensitivity [M81]: %s", (_, request, declaration, expected) => {
  expect(sensitivity(request, declaration)).toEqual(expected);
});

const events = (request: Partial<StatisticRequest>, declaration = perRow()) =>
  boundPlan({ statistics: [{ statistic: "count", ...request } as StatisticRequest] }, declaration).statistics[0]
    ?.events;

test("an event names the sampler that ran; a vector is pure epsilon [M83]", () => {
  expect(events({ epsilon: 0.3 })).toEqual([{ kind: "discreteLaplace", scale: "10/3", sensitivity: 1 }]);
  expect(events({ epsilon: 0.1 + 0.2 })).toEqual(events({ epsilon: "0.3" }));
  expect(events({ epsilon: 0.3, groupBy: ["region"] })).toEqual([{ kind: "pure", epsilon: "0.3" }]);
  expect(events({ statistic: "mean", column: "age", epsilon: "0.25" })).toEqual([{ kind: "pure", epsilon: "0.25" }]);
  expect(events({ statistic: "mean", column: "age", rho: 0.5 })).toEqual([{ kind: "gaussian", noiseMultiplier: "1" }]);
});

test("sigma is never below the multiplier times the sensitivity", () => {
  const statistic = boundPlan(
    { statistics: [{ statistic: "count", groupBy: ["region"], rho: "0.1" }] },
    perPerson({ groups: 2, rowsPerGroup: 1 }),
  ).statistics[0];
  const noise = statistic?.noise;
  if (noise?.kind !== "gaussian" || statistic === undefined) throw new Error("Gaussian");
  // σ²·2ρ ≥ Δ2² as integers: ρ = 1/10.
  const { numerator, denominator } = noise.sigma;
  expect(numerator * numerator * 2n >= statistic.sensitivity.l2Squared * denominator * denominator * 10n).toBe(true);
  expect(Number(numerator) / Number(denominator)).toBeCloseTo(Math.sqrt(2 / 0.2), 8);
});

test("quotes say what they assume and never promise less than the error", () => {
  const plan = boundPlan(
    {
      statistics: [
        { statistic: "mean", column: "age", epsilon: 0.2, groupBy: ["married"] },
        { statistic: "count", epsilon: 1 },
        { statistic: "mean", column: "age", epsilon: 0.001 },
      ],
    },
    perRow(),
  );
  expect(quotePlan(plan, { people: 1000 }).map(({ sentence }) => sentence)).toEqual([
    "If there are about 500 people in the group, each of the 2 answers will be within ± 3 in 95 of 100 cases.",
    "The answer will be within ± 3 in 95 of 100 cases.",
    "If there are about 1,000 people, the answer will be within ± 100 in 95 of 100 cases. At this price it says nothing, measured by a twentieth of the declared range. Useful from ε = 0.06.",
  ]);
  expect(quotePlan(plan)[0]?.accuracy).toEqual({
    halfWidth: null,
    confidence: 0.95,
    assumes: "it depends on how many people there are",
    groupSize: null,
    bias: null,
    scale: { useless: 5, by: "a twentieth of the declared range" },
    useless: false,
    lost: 0,
    remedy: null,
    bestBounds: null,
  });
});

test("a plan of many rows is refused by its cells in all, before it is expanded", () => {
  const wide = { big: { type: "integer", lower: 0, upper: 9999 }, small: { type: "integer", lower: 0, upper: 9 } };
  const declaration = perRow({ columns: wide });
  const rows = (count: number, more: object = {}) => ({
    statistics: Array.from({ length: count }, () => ({
      statistic: "count",
      groupBy: ["big", "small"],
      epsilon: 1,
      ...more,
    })),
  });
  expect(boundPlan(rows(2) as Plan, declaration).statistics).toHaveLength(2);
  expect(refusal(rows(1000), declaration)).toBe(
    "INVALID_PARAMETER statistics is 300000, must be at most 200000 cells in all, or 500000 of tables",
  );
  expect(refusal(rows(6, { statistic: "mean", column: "big" }), declaration)).toContain("is 400000");
});

test("the last edge of whole numbers twice is a bin of its own", () => {
  const plan = { statistics: [{ statistic: "histogram", column: "age", epsilon: 1, bins: [0, 10, 10] }] } as const;
  const [statistic] = boundPlan(plan, perRow({ columns })).statistics;
  expect(statistic === undefined ? [] : binsOf(statistic)).toEqual([
    { label: "0–9", lower: 0, upper: 9 },
    { label: "10", lower: 10, upper: 10 },
  ]);
});

test("the plan of the documentation is bounded as it stands", () => {
  const page = readFileSync(new URL("../../../../docs/statistics.md", import.meta.url), "utf8");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const documented = {
    sex: { type: "category", categories: [0, 1] },
    visits: { type: "integer", lower: 0, upper: 20 },
  };
  const plan = boundPlan(JSON.parse(example), perRow({ columns: { ...columns, ...documented } }));
  expect(plan.statistics.map(({ id }) => id)).toEqual(["people", "s2", "s3", "s4"]);
});

test("a plan can be bound in steps, one for each statistic, so that other work gets its turn", () => {
  const plan: Plan = { statistics: Array.from({ length: 40 }, () => ({ statistic: "count", epsilon: "0.1" })) };
  const steps = boundSteps(plan, perRow());
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) {
      expect(step.value).toEqual(boundPlan(plan, perRow()));
      break;
    }
    pauses += 1;
  }
  expect(pauses).toBe(40);
});
