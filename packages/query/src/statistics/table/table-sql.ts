import { sql } from "kysely";
import { type Dialect, type Fragment, integer } from "../../dialect/dialect.ts";
import type { Bounds, OrderField } from "../../dialect/order.ts";
import { gridOf, type TableColumn } from "../../plan/task.ts";
import { histogramsOf, type MeasuredTable, placeIn } from "./histograms.ts";
import { orderWords } from "./table-task.ts";

const cellName = (at: number): Fragment => sql.id(`c${at}`);

/** The cell of each column, its last one where the value misses; where it cannot miss, a row without it is left out. */
export function tableFields(
  { columns }: Pick<MeasuredTable, "columns">,
  value: (name: string) => Fragment,
  placeOf: (column: TableColumn, x: Fragment) => Fragment,
): { readonly raw: readonly Fragment[]; readonly fields: readonly Fragment[]; readonly kept: readonly Fragment[] } {
  const read = columns.flatMap((column, at) => (column.isLevel === true ? [] : [[column, at] as const]));
  return {
    raw: read.map(([{ name }, at]) => sql`${value(name)} AS ${sql.id(`x${at}`)}`),
    fields: read.map(([column, at]) => {
      const place = placeOf(column, sql.id(`x${at}`));
      return column.hasMissing
        ? sql`coalesce(${place}, ${integer(column.bins.length)}) AS ${cellName(at)}`
        : sql`${place} AS ${cellName(at)}`;
    }),
    kept: read.flatMap(([{ hasMissing }, at]) => (hasMissing ? [] : [sql`${cellName(at)} IS NOT NULL`])),
  };
}

/** The rows of each unit that count: the first ones in a keyed order of all their cells [M80]. */
export function boundedTableRows(
  task: MeasuredTable,
  rows: Fragment,
  { dialect, contribution, isRow, order }: Bounds,
): Fragment {
  if (isRow) return rows;
  const { columns } = task;
  const added = gridOf({ task }) === undefined ? [] : [{ name: "v", kind: "integer" as const }];
  const fields = orderWords(columns).map((parts, at): OrderField & { readonly value: Fragment } => ({
    name: `w${at}`,
    kind: "integer",
    value: sql`(${dialect.bits.or(...parts.map(({ at: column, left }) => sql`(${dialect.bits.left(cellName(column), left)})`))})`,
  }));
  const packed = sql`SELECT *, ${sql.join(fields.map(({ name, value }) => sql`${value} AS ${sql.id(name)}`))} FROM (${rows}) AS p`;
  const ordering = [...fields.map(({ name, kind }) => ({ name, kind })), ...added];
  const ordered = order(packed, "h", ordering);
  const by = sql.join([sql`h`, ...ordering.map(({ name }) => sql.id(name))]);
  const kept = sql.join([
    ...columns.flatMap(({ isLevel }, at) => (isLevel === true ? [] : [cellName(at)])),
    ...added.map(({ name }) => sql.id(name)),
  ]);
  return sql`SELECT ${kept} FROM (SELECT *, row_number() OVER (PARTITION BY u ORDER BY ${by}) AS n FROM (${ordered}) AS f) AS k WHERE n <= ${integer(contribution.rows)}`;
}

/** One result row for each cell of each histogram that has rows: its place in the vector, and their number or the sum of their ticks from 0. */
export function tableCells(dialect: Dialect, task: MeasuredTable, bounded: Fragment): Fragment {
  const { first } = gridOf({ task }) ?? {};
  const sum = first === undefined ? sql`count(*)` : dialect.sum(sql`v + ${integer(first)}`);
  const counted = histogramsOf(task).map((histogram) => {
    const place = placeIn<Fragment>(histogram, task.columns, {
      at: cellName,
      next: (before, cells, value) => sql`(${before}) * ${integer(cells)} + ${value}`,
    });
    return sql`SELECT ${integer(histogram.from)} + ${dialect.index(place, task.cells)} AS c, ${sum} FROM q GROUP BY 1`;
  });
  return sql`WITH q AS${dialect.computedOnce ?? sql``} (SELECT * FROM ${bounded} AS z) ${sql.join(counted, sql` UNION ALL `)}`;
}
