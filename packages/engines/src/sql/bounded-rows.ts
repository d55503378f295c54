import {
  type Dialect,
  type Fragment,
  integer,
  ORDER_BITS,
  type Order,
  type OrderField,
  withOrder,
} from "@dosimeter/query/dialect";
import { axesOf, type BoundedStatistic, binsOf, gridOf } from "@dosimeter/query/plan";
import { definitionOf } from "@dosimeter/query/statistics";
import { sql } from "kysely";
import { clampedTotal, firstGroups, GROUP, valueKind } from "./bounded-units.ts";
import { boundedKeyRows } from "./key-rows.ts";
import type { UnitKind } from "./sql.ts";
import { packedOf, taskSqlOf } from "./task-sql.ts";

/** The forms of the bounds in SQL. All keep the same rows. */
export type BoundingForm = "packed" | "heavy" | "windows";

const bitsFor = (values: bigint): number => (values <= 1n ? 0 : (values - 1n).toString(2).length);
const MIN_ORDER_BITS = 24;
/** A payload without bins or ticks may be any stored whole number, and so takes all 64 bits. */
const MAX_UNBOUNDED = 2n ** 64n - 1n;
/**
 * Up to this C, `min(packed, C)` is faster and its states stay small: 0.9 s against 2.2 s for C = 2, and 0.6 against 0.9 for C = 8,
 * for a million rows of 100,000 units. Above it few units exceed C, and only those are ranked: 0.1 s against 0.4 for C = 16.
 */
const MAX_PACKED = 8;

/**
 * The rows that the contribution bounds keep, as (g, v). Which rows of a unit are kept depends on that unit's own rows and
 * the salt only, and equal rows are interchangeable: so one unit changes no other unit's rows [M80]. Every SQL form
 * keeps the same rows; the choice of the form depends on declared bounds only, never on counts.
 */
export function boundedRows(
  dialect: Dialect,
  statistic: BoundedStatistic,
  rows: Fragment,
  unit: UnitKind,
  salt: string,
  form?: BoundingForm,
): Fragment {
  const { task, contribution } = statistic;
  const { bound } = contribution;
  const countsUnits = countsUnitsOf(statistic);
  const ordered =
    (kind: OrderField["kind"]): Order =>
    (from, name, fields) =>
      withOrder(dialect, from, [{ name: "u", kind }, ...fields], salt, name);
  const isRow = unit === "row";
  const order = ordered(isRow ? "small" : unit);
  if (statistic.keys !== undefined)
    return boundedKeyRows(dialect, contribution, statistic.keys, rows, {
      order,
      payload: statistic.column === null ? null : payloadKind(statistic),
      countsUnits,
      values: "perUnit" in task ? task.perUnit : null,
      total: "unitTicks" in task ? (value) => clampedTotal(task, value) : null,
    });
  const bounded = taskSqlOf(task).bounded?.(task, rows, { dialect, contribution, isRow, order });
  if (bounded !== undefined) return bounded;
  if (isRow) return rows;
  if (countsUnits) return boundedUnits(dialect, statistic, rows, order);
  if (form === undefined && boundsFor(statistic, unit) === "counted") return countedUnits(rows, bound.rows);
  if (bound.groups !== null || bound.rowsPerGroup !== null || form === "windows")
    return rankedRows(dialect, statistic, rows, order);
  if (bound.rows === null) return rows;
  const most = dialect.leastOf === null ? 1 : MAX_PACKED;
  const packs = packing(statistic).orderBits >= MIN_ORDER_BITS && bound.rows <= most;
  return (form ?? (packs ? "packed" : "heavy")) === "packed"
    ? packedRows(dialect, statistic, rows, order, bound.rows)
    : heavyRows(dialect, statistic, rows, order, bound.rows);
}

const countsUnitsOf = (statistic: BoundedStatistic): boolean =>
  definitionOf(statistic).aggregates(statistic.task).includes("units");

/** How a statistic is bounded: `counted` rows say only how many of a unit's rows are kept, where those are alike. */
export function boundsFor(statistic: BoundedStatistic, unit: UnitKind): "counted" | "kept" {
  const { task, keys, groups, contribution } = statistic;
  const { bound } = contribution;
  const isOne = task.kind === "counts" && task.bins.length === 0 && groups.length === 1 && keys === undefined;
  const areAlike = isOne && !countsUnitsOf(statistic);
  const isByRows = unit !== "row" && bound.rows !== null && bound.groups === null && bound.rowsPerGroup === null;
  return areAlike && isByRows ? "counted" : "kept";
}

const countedUnits = (rows: Fragment, most: number | null): Fragment =>
  sql`SELECT CAST(0 AS BIGINT) AS g, least(count(*), ${integer(most ?? 0)}) AS w FROM (${rows}) AS p GROUP BY u`;

/** The groups of each unit, or the first of them. */
function boundedUnits(
  dialect: Dialect,
  { groups, contribution }: BoundedStatistic,
  rows: Fragment,
  order: Order,
): Fragment {
  const most = contribution.bound.groups;
  const pairs = dialect.pairsOf(rows, groups.length) ?? sql`SELECT DISTINCT u, g FROM (${rows}) AS p`;
  if (most === null || most >= groups.length) return pairs;
  if (dialect.leastOf === null || most > MAX_PACKED) return firstGroups(pairs, most, order);
  const places = bitsFor(BigInt(groups.length));
  const packed = dialect.bits.or(sql`(${dialect.bits.left(sql`o`, places)})`, sql`g`);
  const least = dialect.leastOf(sql`SELECT u, ${packed} AS p FROM (${order(pairs, "o", [GROUP])}) AS d`, most);
  return sql`SELECT ${dialect.bits.and(sql`e`, integer(2n ** BigInt(places) - 1n))} AS g FROM (${least}) AS k`;
}

/** How order, payload and group share 63 bits; the order keeps at least 24 or nothing is packed. */
function packing(statistic: BoundedStatistic): { orderBits: number; valueBits: number; groupBits: number } {
  const groupBits = bitsFor(BigInt(statistic.groups.length));
  const values = payloadValues(statistic);
  const valueBits = bitsFor(values);
  return { orderBits: Math.min(ORDER_BITS, 63 - groupBits - valueBits), valueBits, groupBits };
}

/** How many different payloads rows may have. */
function payloadValues({ task, column }: BoundedStatistic): bigint {
  const packed = packedOf(task);
  if (packed !== null) return packed.payloads;
  const axes = axesOf({ task });
  if (axes.length > 0) return axes.reduce((product, { steps }) => product * (steps + 1n), 1n);
  const bins = binsOf({ task }).length;
  if (bins > 0) return BigInt(bins);
  return (gridOf({ task })?.steps ?? (column === null ? 0n : MAX_UNBOUNDED)) + 1n;
}

const payloadField = (statistic: BoundedStatistic): Fragment => (statistic.column === null ? sql`` : sql`, v`);

/** Rows with `h`, the order in which a unit's rows are kept; ties go by v, then by g. */
function withRowOrder(dialect: Dialect, statistic: BoundedStatistic, rows: Fragment, order: Order): Fragment {
  const { groupBits, valueBits } = packing(statistic);
  if (statistic.column === null) return order(rows, "h", [GROUP]);
  if (groupBits + valueBits <= 32)
    return order(rows, "h", [
      { ...GROUP, value: sql`(${dialect.bits.or(shiftedPayload(dialect, statistic), sql`g`)})` },
    ]);
  return order(rows, "h", [GROUP, { name: "v", kind: payloadKind(statistic) }]);
}

const shiftedPayload = ({ bits }: Dialect, statistic: BoundedStatistic): Fragment =>
  sql`(${bits.left(sql`v`, packing(statistic).groupBits)})`;

const payloadKind = (statistic: BoundedStatistic): OrderField["kind"] =>
  statistic.task.kind === "values"
    ? valueKind(statistic.task)
    : packing(statistic).valueBits <= 32
      ? "small"
      : "integer";

/** The bits of h that every form uses: as many as the packed form has room for. */
function rowOrder({ bits }: Dialect, statistic: BoundedStatistic): Fragment {
  const { orderBits } = packing(statistic);
  return orderBits < MIN_ORDER_BITS || orderBits === ORDER_BITS
    ? sql`h`
    : sql`(${bits.right(sql`h`, ORDER_BITS - orderBits)})`;
}

/** All three bounds by window functions: rows of a group, groups of a unit, rows of a unit. */
function rankedRows(dialect: Dialect, statistic: BoundedStatistic, rows: Fragment, order: Order): Fragment {
  const { bound } = statistic.contribution;
  const payload = payloadField(statistic);
  const first = rowOrder(dialect, statistic);
  const rank = (from: Fragment, place: Fragment, most: number): Fragment =>
    sql`SELECT u, g${payload}, h FROM (SELECT *, ${place} AS n FROM (${from}) AS f) AS k WHERE n <= ${integer(most)}`;
  let kept = withRowOrder(dialect, statistic, rows, order);
  if (bound.rowsPerGroup !== null)
    kept = rank(kept, sql`row_number() OVER (PARTITION BY u, g ORDER BY ${first}${payload})`, bound.rowsPerGroup);
  if (bound.groups !== null)
    kept = rank(order(kept, "o", [GROUP]), sql`dense_rank() OVER (PARTITION BY u ORDER BY o, g)`, bound.groups);
  if (bound.rows !== null)
    kept = rank(kept, sql`row_number() OVER (PARTITION BY u ORDER BY ${first}${payload}, g)`, bound.rows);
  return sql`SELECT g${payload} FROM (${kept}) AS b`;
}

/** Keeps units within the bound as they are and ranks only the others. Spills to disk when memory is short. */
function heavyRows(
  dialect: Dialect,
  statistic: BoundedStatistic,
  rows: Fragment,
  order: Order,
  most: number,
): Fragment {
  const payload = payloadField(statistic);
  const [s, heavy] = [sql`s`, sql`heavy`];
  const beyond = sql`SELECT u FROM s GROUP BY u HAVING count(*) > ${integer(most)}`;
  const light = sql`SELECT g${payload} FROM ${dialect.withUnitsNotIn(s, heavy)}`;
  const ordered = withRowOrder(dialect, statistic, sql`SELECT * FROM ${dialect.withUnitsIn(s, heavy)}`, order);
  const place = (by: Fragment): Fragment => sql`row_number() OVER (PARTITION BY u ORDER BY ${by}) AS n`;
  const packs = packing(statistic).orderBits >= MIN_ORDER_BITS;
  const ranked = packs
    ? sql`SELECT p AS e, ${place(sql`p`)} FROM (${packed(dialect, statistic, ordered)}) AS f`
    : sql`SELECT g${payload}, ${place(sql`${rowOrder(dialect, statistic)}${payload}, g`)} FROM (${ordered}) AS f`;
  const fields = packs ? unpacked(dialect, statistic) : sql`g${payload}`;
  return sql`WITH s AS${dialect.inlined} (${rows}), heavy AS (${beyond}) ${light} UNION ALL SELECT ${fields} FROM (${ranked}) AS k WHERE n <= ${integer(most)}`;
}

/** Rows (u, p) of rows with their order: order, payload and group in one BIGINT, narrow and of the same order. */
function packed(dialect: Dialect, statistic: BoundedStatistic, ordered: Fragment): Fragment {
  const { groupBits, valueBits } = packing(statistic);
  const parts = [sql`(${dialect.bits.left(rowOrder(dialect, statistic), groupBits + valueBits)})`];
  if (statistic.column !== null) parts.push(shiftedPayload(dialect, statistic));
  parts.push(sql`g`);
  return sql`SELECT u, ${dialect.bits.or(...parts)} AS p FROM (${ordered}) AS s`;
}

/** Group and payload out of e, one packed row. */
function unpacked({ bits }: Dialect, statistic: BoundedStatistic): Fragment {
  const { groupBits, valueBits } = packing(statistic);
  const mask = (width: number): Fragment => integer(2n ** BigInt(width) - 1n);
  const fields = [sql`${bits.and(sql`e`, mask(groupBits))} AS g`];
  if (statistic.column !== null)
    fields.push(sql`${bits.and(sql`(${bits.right(sql`e`, groupBits)})`, mask(valueBits))} AS v`);
  return sql.join(fields);
}

/** The C least packed rows of each unit; duplicates are kept as duplicates. */
function packedRows(
  dialect: Dialect,
  statistic: BoundedStatistic,
  rows: Fragment,
  order: Order,
  most: number,
): Fragment {
  if (most > 1 && dialect.leastOf === null) throw new RangeError(`${dialect.name} cannot pack several rows`);
  const all = packed(dialect, statistic, withRowOrder(dialect, statistic, rows, order));
  const least = most === 1 ? sql`SELECT min(p) AS e FROM (${all}) AS q GROUP BY u` : dialect.leastOf?.(all, most);
  return sql`SELECT ${unpacked(dialect, statistic)} FROM (${least}) AS k`;
}
