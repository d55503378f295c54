import { type Key, MAX_KEY_LENGTH } from "@dosimeter/query/declaration";
import { type Dialect, type Fragment, integer, type Order, type OrderField } from "@dosimeter/query/dialect";
import type { BoundedStatistic, KeySelection, MeasuredVector } from "@dosimeter/query/plan";
import { sql } from "kysely";

export interface KeyRows {
  readonly order: Order;
  /** The kind of field that orders the payload; null when there is no payload. */
  readonly payload: OrderField["kind"] | null;
  /** Whether each unit counts once in a group. */
  readonly countsUnits: boolean;
  /** The number of different values of a unit that count, over all groups; null when values are not counted. */
  readonly values: number | null;
  /** A unit's total in one group, clamped; null where rows count one by one. */
  readonly total: ((value: (total: Fragment) => Fragment) => Fragment) | null;
}

/**
 * Rows (u, k, v) within the bounds, where k is an undeclared key. As for declared groups, the choice of a unit's rows
 * depends on its own rows and the salt alone [M80]; u stays, since units are counted for each key. Without a unit
 * column: (k, v).
 */
export function boundedKeyRows(
  dialect: Dialect,
  { bound }: BoundedStatistic["contribution"],
  { among, unit }: KeySelection,
  rows: Fragment,
  { order, payload, total, countsUnits, values }: KeyRows,
): Fragment {
  const v = payload === null ? sql`` : sql`, v`;
  if (unit === "row") return total === null ? rows : sql`SELECT k, ${total((value) => value)} AS v FROM (${rows}) AS p`;
  const key: OrderField = { name: "k", kind: among === "text" ? "text" : "integer" };
  const rank = (from: Fragment, place: Fragment, most: number, fields: Fragment): Fragment =>
    sql`SELECT ${fields} FROM (SELECT *, ${place} AS n FROM (${from}) AS f) AS w WHERE n <= ${integer(most)}`;
  if (values !== null) {
    const ordered = order(sql`SELECT DISTINCT u, k, v FROM (${rows}) AS p`, "o", [
      key,
      { name: "v", kind: payload ?? "integer" },
    ]);
    return rank(ordered, sql`row_number() OVER (PARTITION BY u ORDER BY o, k, v)`, values, sql`u, k, v`);
  }
  if (countsUnits || total !== null) {
    const pairs = countsUnits
      ? sql`SELECT DISTINCT u, k FROM (${rows}) AS p`
      : sql`SELECT u, k, ${total?.(dialect.sum) ?? sql`0`} AS v FROM (${rows}) AS p GROUP BY u, k`;
    if (bound.groups === null) return pairs;
    const place = sql`row_number() OVER (PARTITION BY u ORDER BY o, k)`;
    return rank(order(pairs, "o", [key]), place, bound.groups, countsUnits ? sql`u, k` : sql`u, k, v`);
  }
  const kept = sql`u, k${v}, h`;
  let left = order(rows, "h", payload === null ? [key] : [key, { name: "v", kind: payload }]);
  if (bound.rowsPerGroup !== null)
    left = rank(left, sql`row_number() OVER (PARTITION BY u, k ORDER BY h${v})`, bound.rowsPerGroup, kept);
  if (bound.groups !== null)
    left = rank(order(left, "o", [key]), sql`dense_rank() OVER (PARTITION BY u ORDER BY o, k)`, bound.groups, kept);
  if (bound.rows !== null)
    left = rank(left, sql`row_number() OVER (PARTITION BY u ORDER BY h${v}, k)`, bound.rows, kept);
  return sql`SELECT u, k${v} FROM (${left}) AS b`;
}

/**
 * Result rows (k, cell, integers …): one with cell −1 and the number of units for each key, then its cells. A public
 * least number of units is applied here, to the number of different units after bounding [M114].
 */
export function keyCellsOf(
  { unit, atLeast, counts }: KeySelection,
  bounded: Fragment,
  { cell, aggregates }: { readonly cell: Fragment; readonly aggregates: readonly Fragment[] },
): Fragment {
  const units = unit === "row" ? sql`count(*)` : sql`count(DISTINCT u)`;
  const enough = atLeast === 1 ? sql`` : sql` HAVING ${units} >= ${integer(atLeast)}`;
  const padding = sql.join([units, ...aggregates.slice(1).map(() => sql`0`)]);
  const counted = sql`SELECT k, CAST(-1 AS BIGINT) AS c, ${padding} FROM q GROUP BY k${enough}`;
  if (counts) return sql`WITH q AS (SELECT * FROM ${bounded} AS z) ${counted}`;
  const cells = sql`SELECT k, ${cell} AS c, ${sql.join(aggregates)} FROM q AS b GROUP BY k, ${cell}`;
  return sql`WITH q AS (SELECT * FROM ${bounded} AS z) ${counted} UNION ALL ${cells}`;
}

/** The key column of the rows: its index among declared values, a whole number that JSON can hold, or its text. */
export function keyField(
  { among }: KeySelection,
  position: (values: readonly Key[]) => Fragment,
): { readonly field: Fragment; readonly inRange: Fragment } {
  const inRange =
    among === "integer"
      ? sql`k0 BETWEEN ${integer(-(2n ** 53n))} AND ${integer(2n ** 53n)}`
      : among === "text"
        ? sql`length(k0) <= ${integer(MAX_KEY_LENGTH)}`
        : sql`k0 IS NOT NULL`;
  return { field: typeof among === "string" ? sql`k0` : position(among), inRange };
}

/** Gathers result rows as they come; only what its vector needs stays in memory. */
export interface Collector {
  add(rows: readonly (readonly unknown[])[]): void;
  vector(): MeasuredVector;
}

/** The vector of a statistic by selected keys: the units of each key, and the cells of those that are asked for. */
export function keyCollector(
  { among, counts }: KeySelection,
  cells: number,
  integers: (aggregates: readonly bigint[] | undefined) => readonly bigint[],
): Collector {
  const keyOf = (stored: unknown): Key =>
    among === "text"
      ? String(stored)
      : among === "integer"
        ? Number(stored)
        : (among[Number(stored)] ?? String(stored));
  const found: Key[] = [];
  const units: bigint[] = [];
  if (counts)
    return {
      add(rows) {
        for (const [stored, , count] of rows) {
          found.push(keyOf(stored));
          units.push(BigInt(count as bigint | string));
        }
      },
      vector: () => Object.assign(units, { found }),
    };
  const places = new Map<Key, number>();
  const cellsAt: Map<number, readonly bigint[]>[] = [];
  function placeOf(key: Key): number {
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, found.length);
    cellsAt.push(new Map());
    units.push(0n);
    return found.push(key) - 1;
  }
  return {
    add(rows) {
      for (const [stored, cell, ...values] of rows) {
        const place = placeOf(keyOf(stored));
        const numbers = values.map((value) => BigInt(value as bigint | string));
        if (Number(cell) < 0) units[place] = numbers[0] ?? 0n;
        else cellsAt[place]?.set(Number(cell), numbers);
      }
    },
    vector() {
      const cellsOf = (at: number): readonly bigint[] =>
        Array.from({ length: cells }, (_, cell) => integers(cellsAt[at]?.get(cell))).flat();
      return Object.assign(units, { found, cellsOf });
    },
  };
}
