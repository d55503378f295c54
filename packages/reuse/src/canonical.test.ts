import { parsePeriod } from "@dosimeter/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boundPlan } from "../../query/src/bind/bound-plan.ts";
import { planOver } from "../../query/src/bind/window.ts";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import type { Key } from "../../query/src/declaration/key.ts";
import { checkPredicate, type Predicate } from "../../query/src/declaration/predicate.ts";
import type { StatisticRequest } from "../../query/src/statistics/request.ts";
import { type Append, canonicalOf } from "./canonical.ts";
import { diagramsOf } from "./diagram.ts";

const declaration = checkDeclaration({
  name: "people",
  source: { csv: "people.csv" },
  privacyUnit: "row",
  columns: {
    age: { type: "integer", lower: 0, upper: 10, required: true },
    height: { type: "integer", lower: 0, upper: 10 },
    pay: { type: "number", lower: 0, upper: 10, granularity: 0.5 },
    sex: { type: "category", categories: ["f", "m", "x"], required: true },
    ward: { type: "category", categories: ["n", "s"] },
    town: { type: "text" },
    member: { type: "boolean" },
  },
});

type Cell = Key | null;
type Row = Readonly<Record<string, Cell>>;

/** The language as its page says it: a comparison with a missing value is false. */
function holds(predicate: Predicate, row: Row): boolean {
  switch (predicate.op) {
    case "not":
      return !holds(predicate.of, row);
    case "and":
      return predicate.of.every((part) => holds(part, row));
    case "or":
      return predicate.of.some((part) => holds(part, row));
    default: {
      const value = row[predicate.column] ?? null;
      if (predicate.op === "isNull") return value === null;
      if (value === null) return false;
      if (predicate.op === "in") return predicate.values.includes(value);
      if (predicate.op === "between") return value >= predicate.lower && value <= predicate.upper;
      const other = predicate.value;
      switch (predicate.op) {
        case "=":
          return value === other;
        case "!=":
          return value !== other;
        case "<":
          return value < other;
        case "<=":
          return value <= other;
        case ">":
          return value > other;
        case ">=":
          return value >= other;
      }
    }
  }
}

/** Every value that tells thresholds on a grid of halves apart, between them too, and one that no one names. */
const domain: Readonly<Record<string, readonly Cell[]>> = {
  age: [-1, 0, 1, 2, 3, 4],
  height: [-1, 0, 1, 2, 3, 4, null],
  pay: [-1, 0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.25, 2.5, 2.75, 3, 4, null],
  sex: ["f", "m", "x"],
  ward: ["n", "s", "undeclared", null],
  town: ["a", "b", "elsewhere", null],
  member: [true, false, null],
};

/** All rows over the columns that the predicates name. */
function rowsOver(columns: readonly string[]): readonly Row[] {
  return columns.reduce<readonly Row[]>(
    (rows, column) => rows.flatMap((row) => (domain[column] ?? []).map((value) => ({ ...row, [column]: value }))),
    [{}],
  );
}

const columnsOf = (predicate: Predicate): readonly string[] =>
  "column" in predicate
    ? [predicate.column]
    : (Array.isArray(predicate.of) ? predicate.of : [predicate.of as Predicate]).flatMap(columnsOf);

const half = fc.constantFrom(0, 0.5, 1, 1.5, 2, 2.5, 3);
const atom: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    op: fc.constantFrom("=", "!=", "<", "<=", ">", ">=" as const),
    column: fc.constantFrom("age", "height", "pay"),
    value: half,
  }) as fc.Arbitrary<Predicate>,
  fc
    .tuple(fc.constantFrom("age", "height", "pay"), half, half)
    .map(([column, a, b]) => ({ op: "between", column, lower: Math.min(a, b), upper: Math.max(a, b) }) as const),
  fc.record({
    op: fc.constant("in" as const),
    column: fc.constant("sex"),
    values: fc.subarray(["f", "m", "x"], { minLength: 1 }),
  }),
  fc.record({
    op: fc.constant("in" as const),
    column: fc.constant("ward"),
    values: fc.subarray(["n", "s"], { minLength: 1 }),
  }),
  fc.record({
    op: fc.constantFrom("=", "!=" as const),
    column: fc.constant("town"),
    value: fc.constantFrom("a", "b"),
  }) as fc.Arbitrary<Predicate>,
  fc.record({
    op: fc.constantFrom("=", "!=" as const),
    column: fc.constant("member"),
    value: fc.boolean(),
  }) as fc.Arbitrary<Predicate>,
  fc.record({ op: fc.constant("isNull" as const), column: fc.constantFrom("height", "pay", "town", "member") }),
);
const predicate = fc.letrec<{ any: Predicate }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc.record({ op: fc.constant("not" as const), of: tie("any") }),
    fc.record({ op: fc.constantFrom("and", "or" as const), of: fc.array(tie("any"), { minLength: 1, maxLength: 3 }) }),
  ),
})).any;

const textOf = (where: Predicate): string => {
  const diagrams = diagramsOf(declaration);
  return diagrams.text(diagrams.of(checkPredicate(where, declaration)));
};

function equalOnAllRows(a: Predicate, b: Predicate): boolean {
  const columns = [...new Set([...columnsOf(a), ...columnsOf(b)])];
  return rowsOver(columns).every((row) => holds(a, row) === holds(b, row));
}

test("two predicates have one text exactly if they hold for the same rows", () => {
  fc.assert(
    fc.property(predicate, predicate, (a, b) => {
      fc.pre(new Set([...columnsOf(a), ...columnsOf(b)]).size <= 3);
      expect(textOf(a) === textOf(b)).toBe(equalOnAllRows(a, b));
    }),
    { numRuns: 400 },
  );
});

/** The rewrites that docs/reuse.md claims: what comes out must hold for the same rows and have the same text. */
const rewrites: readonly ((p: Predicate) => Predicate)[] = [
  (p) => ({ op: "not", of: { op: "not", of: p } }),
  (p) => ({ op: "and", of: [p, p] }),
  (p) => ({ op: "or", of: [p, { op: "and", of: [p, { op: "isNull", column: "town" }] }] }),
  (p) => (p.op === "and" || p.op === "or" ? { op: p.op, of: [...p.of].reverse() } : p),
  (p) =>
    p.op === "between"
      ? {
          op: "and",
          of: [
            { op: "<=", column: p.column, value: p.upper },
            { op: ">=", column: p.column, value: p.lower },
          ],
        }
      : p,
  (p) => (p.op === "in" ? { op: "or", of: p.values.map((value) => ({ op: "=", column: p.column, value })) } : p),
  (p) => (p.op === "and" ? { op: "not", of: { op: "or", of: p.of.map((of) => ({ op: "not", of })) } } : p),
];

test("every claimed rewrite keeps the text", () => {
  fc.assert(
    fc.property(predicate, fc.array(fc.nat(rewrites.length - 1), { minLength: 1, maxLength: 4 }), (p, chosen) => {
      const rewritten = chosen.reduce((q, index) => rewrites[index]?.(q) ?? q, p);
      expect(textOf(rewritten)).toBe(textOf(p));
    }),
    { numRuns: 300 },
  );
});

describe("filters that look equal", () => {
  const same = (a: Predicate, b: Predicate): boolean => textOf(a) === textOf(b);
  test("x > 5 is x ≥ 6 on whole numbers, not on reals", () => {
    expect(same({ op: ">", column: "age", value: 5 }, { op: ">=", column: "age", value: 6 })).toBe(true);
    expect(same({ op: ">", column: "pay", value: 5 }, { op: ">=", column: "pay", value: 6 })).toBe(false);
  });
  test("not (x ≤ 5) is x > 5 only where no value is missing", () => {
    const not = (column: string): Predicate => ({ op: "not", of: { op: "<=", column, value: 5 } });
    expect(same(not("age"), { op: ">", column: "age", value: 5 })).toBe(true);
    expect(same(not("height"), { op: ">", column: "height", value: 5 })).toBe(false);
  });
  test("all declared categories are every row only where one of them is required", () => {
    expect(textOf({ op: "in", column: "sex", values: ["f", "m", "x"] })).toBe("[1]");
    expect(textOf({ op: "in", column: "ward", values: ["n", "s"] })).not.toBe("[1]");
  });
  test("beyond 2^53 nothing is moved to the next whole number", () => {
    const big = 2 ** 53;
    expect(same({ op: ">", column: "age", value: big }, { op: ">=", column: "age", value: big + 2 })).toBe(false);
  });
});

const about = { dataset: "ds_1", version: 1, declaration };
const canonical = (request: StatisticRequest, where = about) => {
  const [statistic] = boundPlan({ statistics: [request] }, where.declaration).statistics;
  if (statistic === undefined) throw new Error("one statistic");
  return canonicalOf(statistic, where);
};

describe("the name of a statistic", () => {
  const sum: StatisticRequest = { statistic: "sum", column: "pay", epsilon: 1, where: "age > 5" };
  test("price, noise, id and spelling are no part of it", () => {
    const other: StatisticRequest = {
      id: "z",
      statistic: "sum",
      column: "pay",
      rho: 3,
      lower: 0,
      where: "not (6 > 7 or 1 = 2)",
    };
    const { id: _, ...rest } = { ...other, where: "age >= 6 and age > 5 or age >= 6" };
    expect(canonical({ ...rest, id: "z" }).key).toBe(canonical(sum).key);
  });
  test("rows, bounds, step, column, groups, unit, dataset and version are", () => {
    const keys = [
      sum,
      { ...sum, where: "age > 4" },
      { ...sum, upper: 9 },
      { ...sum, granularity: 0.25 },
      { ...sum, column: "age" },
      { ...sum, statistic: "mean" as const },
      { ...sum, groupBy: ["sex"] },
      { ...sum, groupBy: ["member"] },
      { ...sum, statistic: "quantiles" as const, quantiles: [0.5] },
      { ...sum, statistic: "quantiles" as const, quantiles: [0.25] },
      { ...sum, statistic: "histogram" as const, bins: 2 },
      { ...sum, statistic: "histogram" as const, bins: 3 },
    ].map((request) => canonical(request).key);
    keys.push(
      canonical(sum, { ...about, version: 2 }).key,
      canonical(sum, { ...about, dataset: "ds_2" }).key,
      canonical(sum, { ...about, declaration: { ...declaration, adjacency: "replace" } }).key,
    );
    expect(new Set(keys).size).toBe(keys.length);
  });
  test("the order of grouping columns is not, where every row is kept", () => {
    const by = (groupBy: readonly string[]) => canonical({ statistic: "count", epsilon: 1, groupBy }).key;
    expect(by(["sex", "member"])).toBe(by(["member", "sex"]));
  });
  test("a sum is about the rows that have a value", () => {
    const counted = canonical({ statistic: "count", epsilon: 1, where: "not (pay is null)" });
    expect(canonical({ statistic: "sum", column: "pay", epsilon: 1 }).scope).toBe(counted.scope);
    expect(canonical({ statistic: "count", epsilon: 1 }).scope).not.toBe(counted.scope);
  });
  test("a predicate with too many cases is named as it is written", () => {
    const parts = Array.from(
      { length: 14 },
      (_, i) => `(age = ${i} and height = ${i} and pay = ${i} or age = ${i + 20} and pay = ${-i})`,
    );
    expect(canonical({ ...sum, where: parts.join(" or ") }).key.length).toBeGreaterThan(0);
  });
});

test("a formula or a column that reads the dates is about its own version where the calendar's end moved, other questions are not [M167]", () => {
  const visits = checkDeclaration({
    name: "visits",
    source: { csv: "visits.csv" },
    privacyUnit: { column: "person" },
    contribution: { rows: 3 },
    blocks: { column: "seen", every: "month", zone: "UTC" },
    columns: {
      person: { type: "text" },
      seen: { type: "date", lower: "2024-01-01", upper: "2024-04-30" },
      sex: { type: "category", categories: ["f", "m"] },
    },
  });
  const key = (request: object, appends: readonly Append[], version = 2) => {
    const plan = {
      let: { m: "cut(seen, 'month')" },
      window: { from: "2024-01", to: "2024-03" },
      statistics: [request],
    };
    const [statistic] = boundPlan(planOver(plan as never, visits, Date.UTC(2025) / 1000), visits).statistics;
    if (statistic === undefined) throw new Error("no statistic");
    return canonicalOf(statistic, { dataset: "dat_1", version, declaration: visits, appends } as never).key;
  };
  const april = Number(parsePeriod("2024-04", "month"));
  const longer = [{ version: 2, block: april, isLonger: true }];
  for (const [request, isOwn] of [
    [{ statistic: "count", groupBy: ["sex"], epsilon: 1 }, false],
    [{ statistic: "count", groupBy: ["m"], epsilon: 1 }, true],
    [{ statistic: "count", where: "seen < '2024-02-01'", epsilon: 1 }, true],
  ] as const) {
    expect(key(request, longer) === key(request, []), JSON.stringify(request)).toBe(isOwn);
    expect(key(request, [{ ...longer[0]!, isLonger: false }])).not.toBe(key(request, []));
    // A version that only closed blocks is about what the one before is about.
    const closing = [{ version: 2, block: null, isLonger: false }];
    expect(key(request, closing)).toBe(key(request, [], 1));
    expect(key(request, closing)).not.toBe(key(request, []));
  }
});
