import { present } from "@dosimeter/core/internal";
import fc from "fast-check";
import { checkDeclaration } from "../../query/src/declaration/check-declaration.ts";
import { formulaText } from "../../query/src/declaration/formula.ts";
import { treesOf } from "../../query/src/declaration/predicate.kit.ts";
import type { Predicate } from "../../query/src/declaration/predicate.ts";
import { withDerived } from "../../query/src/expression/derive.ts";
import { formula } from "../../query/src/expression/expression.kit.ts";
import type { Plan, StatisticRequest } from "../../query/src/statistics/request.ts";

export const declaration = checkDeclaration({
  name: "survey",
  source: { csv: "survey.csv" },
  privacyUnit: { column: "person" },
  contribution: { rows: 4, groups: 2 },
  size: { assumed: 10_000 },
  columns: {
    person: { type: "text" },
    age: { type: "integer", lower: 0, upper: 100, required: true },
    pay: { type: "number", lower: -5, upper: 50, granularity: 0.01 },
    code: { type: "category", categories: [1, 2, 3] },
    region: { type: "category", categories: ["a", "it's", "c d"] },
    note: { type: "text" },
    member: { type: "boolean" },
    order: { type: "boolean", required: true },
    seen: { type: "date", lower: "2024-01-01", upper: "2024-12-31" },
    moved: { type: "date", granularity: "year", lower: "2000", upper: "2024", required: true },
    came: { type: "timestamp", zone: "Europe/Berlin", lower: "2024-01-01", upper: "2024-12-31" },
    "Größe in cm": { type: "number", lower: 0, upper: 250 },
  },
});

const leaf: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    op: fc.constantFrom("=" as const, "!=" as const, "<" as const, "<=" as const, ">" as const, ">=" as const),
    column: fc.constantFrom("age", "pay", "Größe in cm"),
    value: fc.constantFrom(0, -3, 18, 2.5, 1e21, 1e-7),
  }),
  fc.record({ op: fc.constant("=" as const), column: fc.constantFrom("member", "order"), value: fc.boolean() }),
  fc.record({
    op: fc.constantFrom("=" as const, "!=" as const),
    column: fc.constant("note"),
    value: fc.constantFrom("", "it's", "'; DROP TABLE survey; --", '"', "a\nb", "/*", "é", "NULL"),
  }),
  fc.record({
    op: fc.constant("in" as const),
    column: fc.constant("region"),
    values: fc.uniqueArray(fc.constantFrom("a", "it's", "c d"), { minLength: 1 }),
  }),
  fc.record({
    op: fc.constant("between" as const),
    column: fc.constant("age"),
    lower: fc.constantFrom(-1, 0, 18),
    upper: fc.constantFrom(18, 99),
  }),
  fc.record({
    op: fc.constantFrom("=" as const, "<" as const, ">=" as const),
    column: fc.constantFrom("seen"),
    value: fc.constantFrom("2024-02-29", "2024-12-31"),
  }),
  fc.record({
    op: fc.constant("between" as const),
    column: fc.constant("moved"),
    lower: fc.constantFrom("2001", "2010"),
    upper: fc.constantFrom("2010", "2020"),
  }),
  fc.record({
    op: fc.constantFrom("=" as const, "<" as const, ">=" as const),
    column: fc.constant("came"),
    value: fc.constantFrom("2024-02-29 10:30", "2024-10-27T02:30:00+01:00", "2024-12-31"),
  }),
  fc.record({ op: fc.constant("isNull" as const), column: fc.constantFrom("pay", "note", "order") }),
);

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const price = fc.oneof(
  { weight: 3, arbitrary: fc.record({ epsilon: fc.constantFrom("0.1", 0.25, "1", "0.000000000001", "1e-3") }) },
  { weight: 1, arbitrary: fc.record({ rho: fc.constantFrom("0.01", 0.5) }) },
);

const kinds: fc.Arbitrary<Partial<StatisticRequest>> = fc.oneof(
  ...(
    [
      { statistic: "count" },
      { statistic: "count", column: "pay" },
      { statistic: "distinctUnits" },
      { statistic: "sum", column: "pay" },
      { statistic: "sum", column: "age", lower: 18, upper: 65 },
      { statistic: "unitSum", column: "pay", unitLower: 0, unitUpper: 40 },
      { statistic: "mean", column: "pay", granularity: 0.5 },
      { statistic: "mean", column: "Größe in cm" },
      { statistic: "variance", column: "age" },
      { statistic: "standardDeviation", column: "age" },
      { statistic: "median", column: "age" },
      { statistic: "quantiles", column: "age", quantiles: [0.9] },
      { statistic: "quantiles", column: "age", quantiles: [0.5] },
      { statistic: "quantiles", column: "age" },
      { statistic: "quantiles", column: "pay", quantiles: [0.1, 0.5, 0.9] },
      { statistic: "quantileInterval", column: "age", quantiles: [0.75] },
      { statistic: "interquartileRange", column: "age" },
      { statistic: "histogram", column: "age", bins: 10 },
      { statistic: "histogram", column: "age", bins: [0, 18, 65, 100] },
      { statistic: "histogram", column: "region" },
      { statistic: "histogram", column: "seen", bins: "month" },
      { statistic: "histogram", column: "moved", bins: ["2000", "2010", "2024"] },
      { statistic: "histogram", column: "came", bins: "day" },
      { statistic: "maximum", column: "came", lower: "2024-05-01T00:00", upper: "2024-10-27T02:30:00+01:00" },
      { statistic: "median", column: "moved", lower: "2005", upper: "2015" },
      { statistic: "distinctValues", column: "note" },
      { statistic: "cdf", column: "age", bins: 16 },
      { statistic: "minimum", column: "age" },
      { statistic: "maximum", column: "pay" },
      { statistic: "bounds", column: "pay" },
      { statistic: "covariance", column: "age", with: "pay" },
      { statistic: "correlation", column: "age", with: ["pay"] },
      { statistic: "regression", column: "pay", with: ["age", "member"] },
      { statistic: "distinctValues", column: "note", valuesPerUnit: 2 },
      { statistic: "clippedValues", column: "pay" },
      { statistic: "cutUnits" },
    ] as const
  ).map((each) => fc.constant(each)),
);
const grouped = fc.constantFrom<Partial<StatisticRequest>>(
  {},
  {},
  { groupBy: ["region"] },
  { groupBy: ["order", "code"] },
);
const found = fc.constantFrom<readonly Partial<StatisticRequest>[]>(
  [{ statistic: "keyCounts", column: "note", delta: "1e-6", atLeast: 3, epsilon: 1 }],
  [{ statistic: "topValues", column: "region", k: 2, epsilon: "0.5" }],
  [
    {
      id: "first",
      statistic: "mean",
      column: "age",
      groupBy: ["note"],
      keys: "select",
      delta: 1e-7,
      keyShare: "1/3",
      epsilon: 1,
    },
    { statistic: "count", groupBy: ["note"], keysFrom: "first", epsilon: "0.2" },
  ],
);

/** A derived column that the declaration takes. */
const letOf = formula
  .map((made) => formulaText(made))
  .filter((text) => {
    try {
      return withDerived(declaration, { "d 1": text }) !== null;
    } catch {
      return false;
    }
  });

/** Plans over the declaration above, with rows of every statistic; some of them must be refused. */
export const plans: fc.Arbitrary<Plan> = fc
  .record(
    {
      rows: fc.array(
        fc.tuple(
          kinds,
          grouped,
          optional(treesOf(leaf)),
          price,
          optional(fc.constantFrom("n", "select", "a b", 'x"y')),
        ),
        { minLength: 1, maxLength: 5 },
      ),
      found,
      withFound: fc.boolean(),
      let: letOf,
      confidence: fc.constantFrom(0.9, 0.99),
      sample: fc.constantFrom({ rate: "0.1" }),
      adjacency: fc.constant("addRemove" as const),
    },
    { requiredKeys: ["rows", "found", "withFound"] },
  )
  .map(({ rows, found: others, withFound, let: text, ...settings }) => {
    const made = rows.map(([kind, groups, where, cost, id], index) => ({
      ...(id === undefined ? {} : { id: `${id}${index}` }),
      ...kind,
      ...groups,
      ...present({ where }),
      ...cost,
    }));
    const statistics = [...made, ...(withFound ? others : [])] as readonly StatisticRequest[];
    return { ...(text === undefined ? {} : { let: { "d 1": text } }), statistics, ...settings };
  });
