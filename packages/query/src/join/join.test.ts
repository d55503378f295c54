import { describe, expect, test } from "vitest";
import { canonicalOf } from "../../../reuse/src/canonical.ts";
import { planTable, planWords } from "../answer/title.ts";
import { boundPlan } from "../bind/bound-plan.ts";
import { checkDeclaration } from "../declaration/check-declaration.ts";
import type { Declaration } from "../declaration/declaration.ts";
import type { Plan } from "../statistics/request.ts";
import { passesOf, withJoin } from "./join.ts";
import { takenWords } from "./taken.ts";

const unit = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
const adults = {
  ...{ name: "adults", source: { csv: "adults.csv" }, ...unit },
  columns: { person: { type: "text" }, age: { type: "integer", lower: 0, upper: 100, required: true } },
};
const visits = {
  ...{ name: "visits", source: { csv: "visits.csv" }, privacyUnit: { column: "who" }, contribution: { rows: 9 } },
  columns: {
    who: { type: "text" },
    year: { type: "integer", lower: 2000, upper: 2030 },
    cost: { type: "number", lower: 0, upper: 100, granularity: 0.5, unit: "€" },
    kind: { type: "category", categories: ["in", "out"], valueLabels: { in: "inpatient" } },
    ill: { type: "boolean", required: true },
    day: { type: "date", lower: "2000-01-01", upper: "2030-12-31" },
    free: { type: "integer" },
  },
};
const table = (mine: object = {}, theirs: object = {}, version = 3): Declaration => ({
  ...checkDeclaration({ ...adults, ...mine }),
  joinable: { d2: { version, declaration: checkDeclaration({ ...visits, ...theirs }) } },
});
const join = (columns: Record<string, unknown>, more: object = {}) => ({ dataset: "d2", columns, ...more });

/** Columns with the first or last value. */
const placed = (columns: number) =>
  Object.fromEntries(
    Array.from({ length: columns }, (_, index) => [
      `x${index}`,
      { take: index % 2 === 0 ? "first" : "last", column: "kind", by: "day" },
    ]),
  );

describe("columns of another table of the same people [M195]", () => {
  test("have the type, bounds and words of what is taken", () => {
    const { columns } = withJoin(
      table(),
      join({
        kind: "kind",
        visits: { take: "count", where: "year = 2024", upper: 20 },
        paid: { take: "sum", column: "cost", lower: 0, upper: 500 },
        first: { take: "min", column: "day" },
        ill: { take: "any", where: "ill = true" },
        latest: { take: "last", column: "ill", by: "day" },
      }),
    );
    expect(columns.kind).toMatchObject({ type: "category", categories: ["in", "out"], joined: "visits" });
    expect(columns.visits).toMatchObject({ type: "integer", lower: 0, upper: 20 });
    expect(columns.paid).toMatchObject({ type: "number", lower: 0, upper: 500, granularity: 0.5, unit: "€" });
    expect(columns.first).toMatchObject({ type: "date", calendar: "day" });
    expect([columns.ill, columns.latest].map((column) => column?.type)).toEqual(["boolean", "boolean"]);
    // A row may have no partner; its own columns stay as they are declared [M330].
    expect(Object.entries(columns).flatMap(([name, { required }]) => (required === true ? [name] : []))).toEqual([
      "age",
    ]);
    const words = planWords(
      { statistics: [{ statistic: "count", groupBy: ["kind"] }] },
      planTable({ join: join({ kind: "kind" }) }, table()),
    );
    expect(words.columns.kind?.valueLabels).toEqual({ in: "inpatient" });
  });

  test.each([
    [{ columns: { x: { take: "sum", column: "cost" } } }, "join.columns.x.lower"],
    [{ columns: { x: { take: "sum", column: "cost", lower: 0, upper: 0.3 } } }, "a multiple of the step"],
    [{ columns: { x: { take: "sum", column: "free", lower: 0, upper: 5 } } }, "declared bounds"],
    [{ columns: { x: { take: "sum", column: "day", lower: 0, upper: 5 } } }, "a column of numbers; it is date"],
    [{ columns: { x: { take: "min", column: "kind" } } }, "a column of numbers or dates; it is category"],
    [{ columns: { x: { take: "first", column: "kind" } } }, "UNKNOWN_COLUMN"],
    [{ columns: { x: { take: "first", column: "kind", by: "ill" } } }, "to tell which row is first"],
    [{ columns: { x: { take: "any" } } }, "which rows count"],
    [{ columns: { x: { take: "median", column: "cost" } } }, "one of one, count, sum, min, max, first, last, any"],
    [{ columns: { x: { take: "count", column: "cost" } } }, "join.columns.x.column"],
    [{ columns: { x: "who" } }, "names the privacy unit"],
    [{ columns: { x: { take: "count", where: "who = 'p1'" } } }, "names the privacy unit"],
    [{ columns: { AGE: "year" } }, "a name that no other column has"],
    [{ columns: {} }, "1 to 100 columns"],
    [{ columns: placed(9) }, "join.columns is 9, must be at most 8 columns that take the first or last value"],
    [{ columns: { x: "year" }, on: "age" }, "tables are joined by who is protected and by nothing else"],
    [{ columns: { x: "year" }, version: 2 }, "join.version is 2, must be 3"],
    [{ columns: { x: "year" }, dataset: "d9" }, "another dataset about the same people"],
    [{ columns: { x: "year" }, keep: 1 }, "join.keep"],
  ])("%j is refused with the reason", (given, words) => {
    const tried = () => withJoin(table(), { dataset: "d2", ...given });
    expect(() => tried()).toThrow(words.startsWith("UNKNOWN") ? expect.objectContaining({ code: words }) : words);
  });

  test.each<[string, object, object, string]>([
    ["rows without people", { privacyUnit: "row", contribution: undefined }, {}, "names no person to join by"],
    ["other rows without people", {}, { privacyUnit: "row", contribution: undefined }, "this one protects rows"],
    [
      "people named by other types",
      {},
      { columns: { ...visits.columns, who: { type: "integer" } } },
      "is declared like person here (text); it is integer",
    ],
    ["other neighbours", {}, { adjacency: "replace" }, "addRemove"],
    [
      "tables that no one statement reads",
      {},
      { source: { postgres: { connection: "c", table: "t" } } },
      "files join files",
    ],
    [
      "tables of two connections",
      { source: { postgres: { connection: "a", table: "t" } } },
      { source: { postgres: { connection: "b", table: "t" } } },
      "those of their own connection",
    ],
  ])("%s are not joined", (_, mine, theirs, words) => {
    expect(() => withJoin(table(mine, theirs), join({ x: "year" }))).toThrow(words);
  });

  test("a public number of rows and samples of fixed size do not survive; a sample by chance does", () => {
    const fixed = table({ adjacency: "replace", size: { public: 100 } }, { adjacency: "replace" });
    expect(withJoin(fixed, join({ x: "year" })).size).toEqual({ assumed: 100 });
    const sum = { statistic: "sum", column: "x", lower: 2000, upper: 2030, epsilon: 1 } as const;
    const plan = (sample: object) => ({ join: join({ x: "year" }), sample, statistics: [sum] }) as unknown as Plan;
    expect(() => boundPlan(plan({ size: 10 }), fixed)).toThrow("sample.size");
    expect(boundPlan(plan({ rate: 0.5 }), table()).statistics[0]?.sampling?.kind).toBe("poisson");
  });
});

describe("the question that a statistic over joined columns asks [M141, M195]", () => {
  const about = (version = 3) => ({ dataset: "d1", version: 1, declaration: table({}, {}, version) });
  const keyOf = (plan: object, version = 3): string => {
    const { statistics } = boundPlan(plan as Plan, about(version).declaration);
    const [statistic] = statistics;
    if (statistic === undefined) throw new Error("a statistic");
    return canonicalOf(statistic, about(version)).key;
  };
  const counted = { take: "count", where: "year = 2024", upper: 20 };
  const mean = (column: string) => [{ statistic: "mean", column, epsilon: 1 }];

  test("holds both versions and only the columns that are read, however the plan writes them", () => {
    const key = keyOf({ join: join({ n: counted }), statistics: mean("n") });
    expect(key).toMatch(/"join":"[0-9a-f]{64}"/);
    const unread = { n: { ...counted, where: { op: "=", column: "year", value: 2024 }, lower: 0 }, kind: "kind" };
    expect(keyOf({ join: join(unread, { on: "person", version: 3 }), statistics: mean("n") })).toBe(key);
    expect(keyOf({ join: join({ n: counted }), statistics: mean("n") }, 4)).not.toBe(key);
    const otherwise = { ...counted, where: "year = 2023" };
    expect(keyOf({ join: join({ n: otherwise }), statistics: mean("n") })).not.toBe(key);
    expect(keyOf({ join: join({ n: counted }), let: { m: "n * 2" }, statistics: mean("m") })).toContain('"join":"');
  });

  test("a join of more than 20,000 characters is refused, also where only its filters as JSON are longer", () => {
    const columns = (count: number, where: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, { ...counted, where }]));
    const joined = (count: number, where: string) => withJoin(table(), join(columns(count, where))).joined?.columns;
    const filter = Array.from({ length: 50 }, (_, index) => `free = ${index} and year < 2024`).join(" or ");
    const tooLong = /^join is .* at most 20000 characters/;
    expect(() => joined(1, `year = 2024${" ".repeat(20_000)}`)).toThrow(tooLong);
    expect(() => joined(10, filter)).toThrow(tooLong);
    expect(Object.keys(joined(2, filter) ?? {})).toEqual(["n0", "n1"]);
  });

  test("is the one without the join where it reads the first table alone", () => {
    const plain = keyOf({ statistics: mean("age") });
    expect(keyOf({ join: join({ n: counted }), statistics: mean("age") })).toBe(plain);
    expect(plain).not.toContain("join");
  });

  test("holds every column of the one row, as they are chosen together", () => {
    const alone = keyOf({
      join: join({ kind: "kind" }),
      statistics: [{ statistic: "count", groupBy: ["kind"], epsilon: 1 }],
    });
    const both = keyOf({
      join: join({ kind: "kind", c: "cost" }),
      statistics: [{ statistic: "count", groupBy: ["kind"], epsilon: 1 }],
    });
    expect(both).not.toBe(alone);
  });
});

test.each([0.1, 0.01, 0.5, 10, 1e-6])("a sum has the granularity of its column: %d", (granularity) => {
  const cost = { type: "number", lower: 0, upper: 100, granularity };
  const { columns } = withJoin(
    table({}, { columns: { ...visits.columns, cost } }),
    join({ paid: { take: "sum", column: "cost", lower: 0, upper: 500 } }),
  );
  expect(columns.paid?.granularity).toBe(granularity);
});

test.each([
  [100, 0.0001],
  [0.3, 1e-6],
  [1e9, 1000],
])("a sum of a column without one, up to %d, has the step that is measured: %d", (upper, granularity) => {
  const cost = { type: "number", lower: 0, upper };
  const declaration = table({}, { columns: { ...visits.columns, cost } });
  const asked = join({ paid: { take: "sum", column: "cost", lower: 0, upper: upper * 2 } });
  expect(withJoin(declaration, asked).columns.paid?.granularity).toBe(granularity);
  const statistics = [{ statistic: "sum", column: "paid", epsilon: 1 }];
  expect(boundPlan({ join: asked, statistics } as unknown as Plan, declaration).statistics).toHaveLength(1);
});

test("how often a join goes through the rows", () => {
  const passes = (columns: Record<string, unknown>): number => {
    const { joined } = withJoin(table(), join(columns));
    return joined === undefined ? 0 : passesOf(joined);
  };
  const count = { take: "count" };
  expect(passes({ a: count, b: { ...count, where: "ill = true" }, c: { take: "max", column: "day" } })).toBe(1);
  expect(passes(placed(8))).toBe(16);
  expect(passes({ a: "kind" })).toBe(2);
  expect(passes({ a: "kind", b: "year", c: "cost", d: "day", e: count })).toBe(4);
});

test("words of what is taken", () => {
  expect(
    takenWords({ take: "sum", column: "cost", lower: 0, upper: 5, where: { op: "=", column: "year", value: 2024 } }),
  ).toBe("sum of cost where year = 2024");
});
