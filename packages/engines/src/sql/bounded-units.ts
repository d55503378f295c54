import { type Bounds, type Fragment, integer, type Order, type OrderField } from "@dosimeter/query/dialect";
import type { CutsTask, TotalsTask, ValuesTask } from "@dosimeter/query/plan";
import { sql } from "kysely";

export const GROUP = { name: "g", kind: "small" } as const;

/** One row for each unit: whether it has more rows than count [M125]. */
export const cutUnits = ({ mostRows }: CutsTask, rows: Fragment): Fragment =>
  sql`SELECT CAST(0 AS BIGINT) AS g, CAST(CASE WHEN count(*) > ${integer(mostRows)} THEN 1 ELSE 0 END AS BIGINT) AS v FROM (${rows}) AS p GROUP BY u`;

/** Different values are counted as stored, not as declared: only a whole 64-bit field holds any of them. */
export const valueKind = ({ isText }: ValuesTask): OrderField["kind"] => (isText ? "text" : "integer");

/** The first pairs of group and value of each unit in the keyed order [M125]. */
export function unitValues(task: ValuesTask, rows: Fragment, { isRow, order }: Bounds): Fragment {
  if (isRow) return rows;
  const pairs = sql`SELECT DISTINCT u, g, v FROM (${rows}) AS p`;
  const ordered = order(pairs, "o", [GROUP, { name: "v", kind: valueKind(task) }]);
  const rank = sql`row_number() OVER (PARTITION BY u ORDER BY o, g, v)`;
  return sql`SELECT g, v FROM (SELECT g, v, ${rank} AS n FROM (${ordered}) AS d) AS k WHERE n <= ${integer(task.perUnit)}`;
}

export function clampedTotal({ unitTicks, ticks }: TotalsTask, total: (value: Fragment) => Fragment): Fragment {
  const { least, largest } = unitTicks;
  const value = total(sql`v + ${integer(ticks.first)}`);
  return sql`CAST(least(greatest(${value}, ${integer(least)}), ${integer(largest)}) AS BIGINT)`;
}

/** One row for each unit and group: its total, clamped. Which groups of a unit are kept is as for units [M82, M95]. */
export function unitTotals(
  task: TotalsTask,
  rows: Fragment,
  { dialect, contribution, isRow, order }: Bounds,
): Fragment {
  if (isRow) return sql`SELECT g, ${clampedTotal(task, (value) => value)} AS v FROM (${rows}) AS p`;
  const total = clampedTotal(task, dialect.sum);
  const totals = sql`SELECT u, g, ${total} AS v FROM (${rows}) AS p GROUP BY u, g`;
  return sql`SELECT g, v FROM (${firstGroups(totals, contribution.bound.groups, order)}) AS t`;
}

/** Keeps the unit's first groups, of rows with one row for each unit and group. */
export function firstGroups(pairs: Fragment, most: number | null, order: Order): Fragment {
  if (most === null) return pairs;
  const rank = sql`row_number() OVER (PARTITION BY u ORDER BY o, g)`;
  return sql`SELECT * FROM (SELECT *, ${rank} AS n FROM (${order(pairs, "o", [GROUP])}) AS d) AS k WHERE n <= ${integer(most)}`;
}
