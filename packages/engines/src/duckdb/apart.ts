import { type Column, codeFrom, isScaled } from "@dosimeter/query/declaration";
import { type Fragment, integer } from "@dosimeter/query/dialect";
import type { StoredValue } from "@dosimeter/query/plan";
import { sql } from "kysely";

/** A column of numbers or dates: its value, how it is written, and whether that is within the bounds. */
export interface Measure {
  readonly value: Fragment;
  readonly written: Fragment;
  readonly isInside: Fragment;
}

/** A point before three digits. Fractions look otherwise: with zeros at the end every number has a point, without them few have three digits. */
const POINT = sql.lit("[-+]?[1-9][0-9]{0,2}\\.[0-9]{3}");

/** Fields for each of these columns, of its least and of its largest value within the bounds: `apartIn` reads them. */
export function endsSql(columns: readonly Measure[], from: Fragment): Fragment {
  const names = (letter: string): readonly Fragment[] => columns.map((_, at) => sql.id(`${letter}${at}`));
  const [v, w, least, most] = ["v", "w", "l", "m"].map(names) as [Fragment[], Fragment[], Fragment[], Fragment[]];
  const cells = columns.flatMap(({ value, written, isInside }, at) => [
    sql`CASE WHEN ${isInside} THEN ${value} END AS ${v[at]}`,
    sql`${written} AS ${w[at]}`,
  ]);
  const ends = columns.flatMap((_, at) => [sql`min(${v[at]}) AS ${least[at]}`, sql`max(${v[at]}) AS ${most[at]}`]);
  const fields = columns.flatMap((_, at) => [
    sql`count(${v[at]})`,
    sql`approx_count_distinct(${v[at]})`,
    ...[least[at], most[at]].flatMap((end) => [
      sql`any_value(${end})`,
      sql`any_value(${w[at]}) FILTER (WHERE ${v[at]} = ${end})`,
      sql`count(*) FILTER (WHERE ${v[at]} = ${end})`,
    ]),
    sql`min(${v[at]}) FILTER (WHERE ${v[at]} > ${least[at]})`,
    sql`max(${v[at]}) FILTER (WHERE ${v[at]} < ${most[at]})`,
    sql`bool_and(regexp_full_match(${w[at]}, ${POINT}) OR ${w[at]} NOT LIKE '%.%') FILTER (WHERE ${v[at]} IS NOT NULL)
      AND bool_or(${w[at]} LIKE '%.__0') AND bool_or(${w[at]} NOT LIKE '%.%')`,
  ]);
  return sql`WITH cells AS (SELECT ${sql.join(cells)} FROM ${from}), ends AS (SELECT ${sql.join(ends)} FROM cells)
    SELECT ${sql.join(fields)} FROM cells, ends`;
}

export const FIELDS = 11;
/** What stands for missing values in code lists: 9, 99, 998, 88, -1, -99. */
const CODE = /^(?:-?9+[78]?|-?8+|-[1-7])(?:\.0+)?$/;
/** Rows that hold it at least, as a number and as a share of the values. */
const ROWS = 3;
const SHARE = 0.002;
/** Farther from the next value than this part of the range of all others, and than this many times the usual distance. */
const FAR = 0.5;
const STEPS = 3;
/** A code in more than this many times the rows of an average value. */
const TIMES = 3;

/** The ends that many rows hold and that lie far from all other values, or look like a code; of the fields of a column. */
export function apartIn(fields: readonly unknown[]): readonly StoredValue[] {
  const [values = 0, different = 0] = fields.slice(0, 2).map(Number);
  const [least, leastText, leastRows, most, mostText, mostRows, afterLeast, beforeMost] = fields.slice(2);
  if (least === null || most === null || afterLeast === null) return [];
  const ends = [
    {
      value: String(leastText),
      rows: Number(leastRows),
      gap: Number(afterLeast) - Number(least),
      rest: Number(most) - Number(afterLeast),
    },
    {
      value: String(mostText),
      rows: Number(mostRows),
      gap: Number(most) - Number(beforeMost),
      rest: Number(beforeMost) - Number(least),
    },
  ];
  const isFar = (gap: number, rest: number): boolean => gap >= FAR * rest && gap * (different - 2) > STEPS * rest;
  const isFrequent = (rows: number): boolean => rows * different > TIMES * values;
  return ends
    .filter(({ rows, rest }) => rest > 0 && rows >= Math.max(ROWS, SHARE * values))
    .filter(({ value, rows, gap, rest }) => isFar(gap, rest) || (CODE.test(value) && isFrequent(rows)))
    .map(({ value, rows }) => ({ value, rows }));
}

/** The least and the largest value within the bounds; null where there is none. */
export const endsIn = ([, , least, , , most]: readonly unknown[]): readonly [unknown, unknown] | null =>
  least === null || most === null ? null : [least, most];

/** All points stand before three digits, and some numbers have none: they mark thousands. */
export const marksThousands = (fields: readonly unknown[]): boolean => fields[FIELDS - 1] === true;

/** Within the bounds, and finite. */
export function insideSql(column: Column, value: Fragment): Fragment {
  const { type, lower, upper } = column;
  const isReal = type === "number" && !isScaled(column);
  const bound = (of: number): Fragment =>
    isReal ? sql`CAST(${sql.lit(String(of))} AS DOUBLE)` : integer(codeFrom(of, column));
  const parts = [
    ...(isReal ? [sql`isfinite(${value})`] : [sql`${value} IS NOT NULL`]),
    ...(lower === undefined ? [] : [sql`${value} >= ${bound(lower)}`]),
    ...(upper === undefined ? [] : [sql`${value} <= ${bound(upper)}`]),
  ];
  return sql`(${sql.join(parts, sql` AND `)})`;
}
