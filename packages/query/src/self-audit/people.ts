import type { Random } from "@dosimeter/core";
import type { StatisticRequest } from "../plan.ts";

/** A row of the tables that an audit makes up: nobody is in them. */
export interface MadeUpRow {
  readonly person: string | null;
  readonly region: string | null;
  readonly age: number | null;
  readonly pay: number | null;
  readonly member: boolean | null;
}

export const madeUpColumns = {
  person: { type: "text" },
  region: { type: "category", categories: ["a", "b", "c", "d"] },
  age: { type: "integer", lower: 0, upper: 10 },
  pay: { type: "number", lower: -4, upper: 6, granularity: 0.5 },
  member: { type: "boolean" },
} as const;

const pick = <T>(random: Random, values: readonly T[]): T => values[random.uint32() % values.length] as T;

/** Ages and pays within, at and far outside their bounds; now and then a value or a unit is missing. */
function madeUpRow(random: Random, person: string | null): MadeUpRow {
  return {
    person,
    region: pick(random, ["a", "b", "c", "d", "zz", null]),
    age: pick(random, [-3, 0, 1, 4, 5, 9, 10, 14, null]),
    pay: pick(random, [-9, -4, -0.25, 0, 0.25, 1.1, 5.9, 6, 1e300, -1e300, null]),
    member: pick(random, [true, false, null]),
  };
}

export const people = ["p1", "p2", "p3", "p4"] as const;

/** Up to 24 rows of four people and nobody; `odd` has up to nine of its own, often all alike and extreme. */
export function madeUpRows(random: Random): readonly MadeUpRow[] {
  const crowd = Array.from({ length: random.uint32() % 25 }, () => madeUpRow(random, pick(random, [...people, null])));
  return [...crowd, ...rowsOfOne(random, "odd")];
}

export function rowsOfOne(random: Random, person: string): readonly MadeUpRow[] {
  const count = 1 + (random.uint32() % 9);
  if (random.uint32() % 2 === 0) return Array.from({ length: count }, () => madeUpRow(random, person));
  const region = pick(random, ["a", "b", "everywhere"]);
  const far = pick(random, [99, -99]);
  return Array.from({ length: count }, (_, index) => ({
    person,
    region: region === "everywhere" ? (madeUpColumns.region.categories[index % 4] ?? "a") : region,
    age: far,
    pay: far,
    member: true,
  }));
}

export const contributions = [
  { rows: 1 },
  { rows: 4 },
  { groups: 1, rowsPerGroup: 3 },
  { groups: 2, rowsPerGroup: 1 },
  { rows: 5, groups: 2 },
  { rows: 6, rowsPerGroup: 2 },
  { rows: 4, groups: 3, rowsPerGroup: 2 },
] as const;

/** What is asked of every table. */
export function questions(groupBy: readonly string[], where?: string): readonly StatisticRequest[] {
  const more = { epsilon: 1, ...(groupBy.length === 0 ? {} : { groupBy }), ...(where === undefined ? {} : { where }) };
  return [
    { statistic: "count", ...more },
    { statistic: "distinctUnits", ...more },
    { statistic: "sum", column: "pay", ...more },
    { statistic: "sum", column: "age", ...more },
    { statistic: "unitSum", column: "pay", ...more },
    { statistic: "mean", column: "pay", ...more },
    { statistic: "variance", column: "pay", ...more },
    { statistic: "standardDeviation", column: "age", ...more },
    { statistic: "median", column: "age", ...more },
    { statistic: "quantiles", column: "age", quantiles: [0.25, 0.75], ...more },
    { statistic: "histogram", column: "pay", bins: [-4, 0, 1.5, 6], ...more },
    { statistic: "histogram", column: "region", ...more },
  ];
}
