import { toDouble } from "@dosimeter/core";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Column, Declaration, Key } from "./declaration.ts";
import { keysOf } from "./groups.ts";
import type { BoundedStatistic } from "./plan.ts";
import type { Predicate } from "./predicate.ts";
import { type Aggregate, statisticOf } from "./statistics.ts";

/** SQL text with its parameters: values travel as parameters, names only as quoted identifiers. */
export interface Sql {
  readonly text: string;
  readonly parameters: readonly (string | number | boolean)[];
}

/** Where rows come from: a FROM item, and the storage type of each column in it. */
export interface Table {
  readonly from: RawBuilder<unknown>;
  readonly types: Readonly<Record<string, string>>;
}

type Fragment = RawBuilder<unknown>;

const compiler = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

export function compile(fragment: Fragment): Sql {
  const { sql: text, parameters } = fragment.compile(compiler);
  return { text, parameters: parameters as Sql["parameters"] };
}

const integer = (value: number | bigint): Fragment => sql.raw(String(value));
const double = (value: number): Fragment => sql`CAST(${value} AS DOUBLE)`;
const and = (parts: readonly Fragment[]): Fragment =>
  parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` AND `)})`;

/**
 * Rows of (u, g, v): privacy unit, group index, tick or bin. Only rows that count: unit, keys and value present and
 * declared. No expression can fail, whatever a row holds [M86].
 */
export function rowsOf(statistic: BoundedStatistic, declaration: Declaration, table: Table): Fragment {
  const columnOf = (name: string): Column => declaration.columns[name] ?? { type: "text", provenance: "asserted" };
  const value = (name: string): Fragment => typed(name, columnOf(name), table.types[name] ?? "VARCHAR");
  const raw: Fragment[] = [];
  const needed: Fragment[] = [];
  const fields: Fragment[] = [];
  const found: Fragment[] = [];
  if (declaration.privacyUnit !== "row") {
    raw.push(sql`${value(declaration.privacyUnit.column)} AS u`);
    needed.push(sql`u IS NOT NULL`);
    fields.push(sql`u`);
  }
  const positions = statistic.groupBy.map((name, index) => {
    const key = sql.id(`k${index}`);
    raw.push(sql`${value(name)} AS ${key}`);
    return positionOf(keysOf(columnOf(name), name), columnOf(name), key);
  });
  for (const { inRange } of positions) needed.push(inRange);
  fields.push(
    sql`${groupIndex(
      positions.map(({ index }) => index),
      statistic,
      columnOf,
    )} AS g`,
  );
  if (positions.length > 0) found.push(sql`g IS NOT NULL`);
  if (statistic.column !== null) {
    const declared = columnOf(statistic.column);
    raw.push(sql`${untested(statistic.column, declared, table.types[statistic.column] ?? "VARCHAR")} AS x`);
    const payload = payloadOf(statistic, declared);
    if (payload.inRange !== null) needed.push(payload.inRange);
    fields.push(sql`${payload.index} AS v`);
    if (declared.type === "boolean" || declared.type === "category") found.push(sql`v IS NOT NULL`);
  }
  const where = statistic.where === null ? sql`` : sql` WHERE ${condition(statistic.where, declaration, value)}`;
  const from =
    raw.length === 0 ? sql`${table.from}${where}` : sql`(SELECT ${sql.join(raw)} FROM ${table.from}${where}) AS t`;
  const kept = needed.length === 0 ? sql`` : sql` WHERE ${and(needed)}`;
  const rows = sql`SELECT ${sql.join(fields)} FROM ${from}${kept}`;
  return found.length === 0 ? rows : sql`SELECT * FROM (${rows}) AS r WHERE ${and(found)}`;
}

/** A column as its declared type; anything else in it is NULL. NaN is NULL, infinities stay. */
export function typed(name: string, column: Column, type: string): Fragment {
  if (column.type === "number") return sql`nullif(${untested(name, column, type)}, CAST('NaN' AS DOUBLE))`;
  return untested(name, column, type);
}

const NARROW = ["TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"];

/** As `typed`, but NaN is still NaN: for places where one comparison drops NaN and NULL together. */
function untested(name: string, column: Column, type: string): Fragment {
  const raw = sql`${sql.id(name)}`;
  const numbers = (target: "BIGINT" | "DOUBLE"): Fragment => {
    if (type === target) return raw;
    return NARROW.includes(type)
      ? sql`CAST(${raw} AS ${sql.raw(target)})`
      : sql`TRY_CAST(${raw} AS ${sql.raw(target)})`;
  };
  const text = type === "VARCHAR" ? raw : sql`CAST(${raw} AS VARCHAR)`;
  switch (column.type) {
    case "integer":
      return numbers("BIGINT");
    case "number":
      return numbers("DOUBLE");
    case "boolean":
      return type === "BOOLEAN" ? raw : sql`TRY_CAST(${text} AS BOOLEAN)`;
    case "category":
      return typeof column.categories?.[0] === "number" ? numbers("DOUBLE") : sql`nfc_normalize(${text})`;
    case "text":
      return sql`nfc_normalize(${text})`;
  }
}

interface Position {
  /** Index among the declared values, NULL when it is none of them. */
  readonly index: Fragment;
  /** A cheap test that drops rows before the index is computed. */
  readonly inRange: Fragment;
}

function positionOf(keys: readonly Key[], column: Column, key: Fragment): Position {
  const inRange = sql`${key} IS NOT NULL`;
  if (column.type === "boolean") return { index: sql`CAST(${key} AS BIGINT)`, inRange };
  if (column.type === "integer") {
    const [lower, upper] = [keys[0] as number, keys.at(-1) as number];
    const between = sql`${key} BETWEEN ${integer(lower)} AND ${integer(upper)}`;
    const index = lower === 0 ? key : sql`CASE WHEN ${between} THEN ${key} - ${integer(lower)} END`;
    return { index, inRange: between };
  }
  const numbers = typeof keys[0] === "number";
  const members = sql.join(keys.map((each) => (numbers ? double(each as number) : sql`CAST(${each} AS VARCHAR)`)));
  return { index: sql`CAST(nullif(list_position([${members}], ${key}), 0) - 1 AS BIGINT)`, inRange };
}

function groupIndex(
  positions: readonly Fragment[],
  statistic: BoundedStatistic,
  columnOf: (name: string) => Column,
): Fragment {
  const [first, ...rest] = positions;
  if (first === undefined) return sql`CAST(0 AS BIGINT)`;
  return rest.reduce((index, position, at) => {
    const name = statistic.groupBy[at + 1] ?? "";
    return sql`(${index} * ${integer(keysOf(columnOf(name), name).length)} + ${position})`;
  }, first);
}

/** NULL and NaN both fail it: NaN sorts above infinity. */
const isNumber = sql`x <= CAST('Infinity' AS DOUBLE)`;

function payloadOf(statistic: BoundedStatistic, declared: Column): Position | { index: Fragment; inRange: null } {
  const x = sql`x`;
  if (declared.type === "boolean" || declared.type === "category")
    return positionOf(
      statistic.bins.map((bin) => ("value" in bin ? bin.value : bin.lower)),
      declared,
      x,
    );
  const whole = declared.type === "integer";
  const inRange = whole ? sql`x IS NOT NULL` : isNumber;
  if (statistic.bins.length > 0)
    return { index: sql`CAST(${binTree(statistic, 0, statistic.bins.length - 1, whole)} AS BIGINT)`, inRange };
  const tick = tickOf(statistic, whole);
  if (statistic.publicRows === null) return { index: tick, inRange };
  return { index: sql`CASE WHEN ${inRange} THEN ${tick} ELSE 0 END`, inRange: null };
}

/** Number of inner edges at or below x, by halving: about log2 comparisons a row. */
function binTree(statistic: BoundedStatistic, first: number, last: number, whole: boolean): Fragment {
  if (first === last) return integer(first);
  const middle = Math.ceil((first + last) / 2);
  const bin = statistic.bins[middle];
  const start = bin !== undefined && "lower" in bin ? bin.lower : 0;
  return sql`CASE WHEN x >= ${whole ? integer(start) : double(start)} THEN ${binTree(statistic, middle, last, whole)} ELSE ${binTree(statistic, first, middle - 1, whole)} END`;
}

/** Below this many steps a rounded product cannot pass the last tick: steps·2⁻⁵¹ < ½. */
const SURE_STEPS = 2n ** 48n;

/** floor((clamp(x) − lower)/step + ½) in 0 … steps [M84]. Integers never touch a double; NaN would be the upper bound. */
function tickOf(statistic: BoundedStatistic, whole: boolean): Fragment {
  if (statistic.ticks === null) throw new RangeError("a numeric statistic has ticks");
  const { step, steps } = statistic.ticks;
  const [lower, upper] = [statistic.lower ?? 0, statistic.upper ?? 0];
  if (whole) {
    const clamped = sql`least(greatest(x, ${integer(lower)}), ${integer(upper)})`;
    const above = lower === 0 ? clamped : sql`(${clamped} - ${integer(lower)})`;
    if (step.numerator === 1n) return above;
    return sql`((${above} * 2 + ${integer(step.numerator)}) // ${integer(2n * step.numerator)})`;
  }
  const above = lower === 0 ? sql`x` : sql`(x - ${double(lower)})`;
  const inverse = toDouble({ numerator: step.denominator, denominator: step.numerator }, "down");
  let scaled = above;
  if (step.numerator > step.denominator) scaled = sql`${above} / ${double(toDouble(step, "down"))}`;
  if (step.numerator < step.denominator) scaled = sql`${above} * ${double(inverse)}`;
  const rounded = sql`CAST(floor(${scaled} + CAST(0.5 AS DOUBLE)) AS BIGINT)`;
  const inside = steps <= SURE_STEPS ? rounded : sql`least(${rounded}, ${integer(steps)})`;
  return sql`CASE WHEN x <= ${double(lower)} THEN 0 WHEN x >= ${double(upper)} THEN ${integer(steps)} ELSE ${inside} END`;
}

/** True or false on every row: a comparison with NULL is false. */
export function condition(predicate: Predicate, declaration: Declaration, value: (name: string) => Fragment): Fragment {
  const literal = (key: Key): Fragment =>
    typeof key === "number"
      ? double(key)
      : typeof key === "boolean"
        ? sql.raw(String(key))
        : sql`CAST(${key} AS VARCHAR)`;
  switch (predicate.op) {
    case "not":
      return sql`(NOT ${condition(predicate.of, declaration, value)})`;
    case "and":
    case "or": {
      const parts = predicate.of.map((part) => condition(part, declaration, value));
      return sql`(${sql.join(parts, predicate.op === "and" ? sql` AND ` : sql` OR `)})`;
    }
    case "isNull":
      return sql`(${value(predicate.column)} IS NULL)`;
    case "between":
      return sql`coalesce(${value(predicate.column)} BETWEEN ${literal(predicate.lower)} AND ${literal(predicate.upper)}, false)`;
    case "in":
      return sql`coalesce(${value(predicate.column)} IN (${sql.join(predicate.values.map(literal))}), false)`;
    default:
      return sql`coalesce(${value(predicate.column)} ${sql.raw(predicate.op === "!=" ? "<>" : predicate.op)} ${literal(predicate.value)}, false)`;
  }
}

const bitsFor = (values: bigint): number => (values <= 1n ? 0 : (values - 1n).toString(2).length);
const LEAST_HASH_BITS = 24;
/** Up to here `min(packed, C)` is faster and its states stay small; from here on few units exceed C and only those are ranked. */
const MOST_PACKED = 8;

/**
 * The rows that the contribution bounds keep, as (g, v). Which rows of a unit are kept depends on that unit's own rows and
 * the salt only, equal rows being interchangeable: so one unit changes no other unit's rows [M80]. Every SQL form keeps the
 * same rows; which one is used depends on declared bounds only, never on counts.
 */
export function boundedRows(
  statistic: BoundedStatistic,
  rows: Fragment,
  unit: "row" | "column",
  salt: string,
  form?: "packed" | "heavy" | "windows",
): Fragment {
  const { bound } = statistic.contribution;
  if (statistic.unitTicks !== null) return unitTotals(statistic, rows, unit, salt);
  if (unit === "row") return rows;
  if (statisticOf(statistic.statistic).aggregates.includes("units")) return boundedUnits(bound.groups, rows, salt);
  if (bound.groups !== null || bound.rowsPerGroup !== null || form === "windows")
    return rankedRows(statistic, rows, salt);
  if (bound.rows === null) return rows;
  const { hashBits } = packing(statistic);
  const packs = hashBits >= LEAST_HASH_BITS && bound.rows <= MOST_PACKED;
  return (form ?? (packs ? "packed" : "heavy")) === "packed"
    ? packedRows(statistic, rows, salt, bound.rows)
    : heavyRows(statistic, rows, salt, bound.rows);
}

/** One row for each unit and group: its total, clamped. Which groups of a unit are kept is as for units [M82, M95]. */
function unitTotals(statistic: BoundedStatistic, rows: Fragment, unit: "row" | "column", salt: string): Fragment {
  const { least, largest } = statistic.unitTicks ?? { least: 0n, largest: 0n };
  const value = sql`v + ${integer(statistic.ticks?.first ?? 0n)}`;
  const clamped = (total: Fragment): Fragment =>
    sql`CAST(least(greatest(${total}, ${integer(least)}), ${integer(largest)}) AS BIGINT)`;
  if (unit === "row") return sql`SELECT g, ${clamped(value)} AS v FROM (${rows}) AS p`;
  const totals = sql`SELECT u, g, ${clamped(sql`sum(${value})`)} AS v FROM (${rows}) AS p GROUP BY u, g`;
  const most = statistic.contribution.bound.groups;
  if (most === null) return sql`SELECT g, v FROM (${totals}) AS t`;
  const order = sql`row_number() OVER (PARTITION BY u ORDER BY hash(${salt}::VARCHAR, u, g), g)`;
  return sql`SELECT g, v FROM (SELECT g, v, ${order} AS n FROM (${totals}) AS t) AS k WHERE n <= ${integer(most)}`;
}

function boundedUnits(most: number | null, rows: Fragment, salt: string): Fragment {
  const pairs = sql`SELECT DISTINCT u, g FROM (${rows}) AS p`;
  if (most === null) return pairs;
  const order = sql`row_number() OVER (PARTITION BY u ORDER BY hash(${salt}::VARCHAR, u, g), g)`;
  return sql`SELECT u, g FROM (SELECT u, g, ${order} AS n FROM (${pairs}) AS d) AS k WHERE n <= ${integer(most)}`;
}

/** How hash, payload and group share 63 bits; the hash keeps at least 24 or nothing is packed. */
function packing(statistic: BoundedStatistic): { hashBits: number; valueBits: number; groupBits: number } {
  const groupBits = bitsFor(BigInt(statistic.groups.length));
  const values = statistic.bins.length > 0 ? BigInt(statistic.bins.length) : (statistic.ticks?.steps ?? 0n) + 1n;
  const valueBits = bitsFor(values);
  return { hashBits: 63 - groupBits - valueBits, valueBits, groupBits };
}

const payloadField = (statistic: BoundedStatistic): Fragment => (statistic.column === null ? sql`` : sql`, v`);

/** The order in which a unit's rows are kept: hash, then v, then g; as many bits of hash as the packed form has. */
function rowHash(statistic: BoundedStatistic, salt: string): Fragment {
  const { hashBits } = packing(statistic);
  const shift = hashBits >= LEAST_HASH_BITS ? 64 - hashBits : 1;
  return sql`CAST(hash(${salt}::VARCHAR, u, g${payloadField(statistic)}) >> ${integer(shift)} AS BIGINT)`;
}

/** All three bounds by window functions: rows of a group, groups of a unit, rows of a unit. */
function rankedRows(statistic: BoundedStatistic, rows: Fragment, salt: string): Fragment {
  const { bound } = statistic.contribution;
  const payload = payloadField(statistic);
  const rank = (from: Fragment, order: Fragment, most: number): Fragment =>
    sql`SELECT u, g${payload}, h FROM (SELECT *, ${order} AS n FROM (${from}) AS f) AS k WHERE n <= ${integer(most)}`;
  let kept = sql`SELECT u, g${payload}, ${rowHash(statistic, salt)} AS h FROM (${rows}) AS s`;
  if (bound.rowsPerGroup !== null)
    kept = rank(kept, sql`row_number() OVER (PARTITION BY u, g ORDER BY h${payload})`, bound.rowsPerGroup);
  if (bound.groups !== null) {
    const order = sql`dense_rank() OVER (PARTITION BY u ORDER BY hash(${salt}::VARCHAR, u, g), g)`;
    kept = rank(kept, order, bound.groups);
  }
  if (bound.rows !== null)
    kept = rank(kept, sql`row_number() OVER (PARTITION BY u ORDER BY h${payload}, g)`, bound.rows);
  return sql`SELECT g${payload} FROM (${kept}) AS b`;
}

/** Units within the bound pass as they are; only those beyond it are ranked. Spills to disk where memory is short. */
function heavyRows(statistic: BoundedStatistic, rows: Fragment, salt: string, most: number): Fragment {
  const payload = payloadField(statistic);
  const order = sql`row_number() OVER (PARTITION BY u ORDER BY ${rowHash(statistic, salt)}${payload}, g)`;
  const heavy = sql`SELECT u FROM s GROUP BY u HAVING count(*) > ${integer(most)}`;
  const light = sql`SELECT g${payload} FROM s ANTI JOIN heavy USING (u)`;
  const ranked = sql`SELECT g${payload}, ${order} AS n FROM s SEMI JOIN heavy USING (u)`;
  return sql`WITH s AS NOT MATERIALIZED (${rows}), heavy AS (${heavy}) ${light} UNION ALL SELECT g${payload} FROM (${ranked}) AS k WHERE n <= ${integer(most)}`;
}

/** Hash, payload and group in one BIGINT, and the C least of them: narrow, and duplicates are kept as duplicates. */
function packedRows(statistic: BoundedStatistic, rows: Fragment, salt: string, most: number): Fragment {
  const { groupBits, valueBits } = packing(statistic);
  const parts = [sql`(${rowHash(statistic, salt)} << ${integer(groupBits + valueBits)})`];
  if (statistic.column !== null) parts.push(sql`(v << ${integer(groupBits)})`);
  parts.push(sql`g`);
  const least = most === 1 ? sql`min(p)` : sql`unnest(min(p, ${integer(most)}))`;
  const packed = sql`SELECT u, ${sql.join(parts, sql` | `)} AS p FROM (${rows}) AS s`;
  const mask = (bits: number): Fragment => integer(2n ** BigInt(bits) - 1n);
  const fields = [sql`e & ${mask(groupBits)} AS g`];
  if (statistic.column !== null) fields.push(sql`(e >> ${integer(groupBits)}) & ${mask(valueBits)} AS v`);
  return sql`SELECT ${sql.join(fields)} FROM (SELECT ${least} AS e FROM (${packed}) AS q GROUP BY u) AS k`;
}

/** One result row per cell that has rows: cell index, then the statistic's aggregates as whole numbers. */
export function cellsOf(statistic: BoundedStatistic, bounded: Fragment): Fragment {
  const { selection } = statistic;
  const leaf = selection?.ticksPerLeaf === 1n ? sql`v` : sql`v // ${integer(selection?.ticksPerLeaf ?? 1n)}`;
  const cell =
    selection !== null
      ? sql`g * ${integer(selection.leaves)} + ${leaf}`
      : statistic.bins.length > 0
        ? sql`g * ${integer(statistic.bins.length)} + v`
        : sql`g`;
  const aggregates = statisticOf(statistic.statistic).aggregates.map((name) => aggregate(name, statistic));
  return sql`SELECT ${cell} AS c, ${sql.join(aggregates)} FROM ${bounded} AS b GROUP BY c`;
}

function aggregate(name: Aggregate, { ticks }: BoundedStatistic): Fragment {
  switch (name) {
    case "rows":
      return sql`count(*)`;
    case "units":
      return sql`count(*)`;
    case "ticks":
      return sql`sum(v)`;
    case "squares":
      return sql`sum(v * v)`;
    case "signedTicks":
      return ticks === null || ticks.first === 0n ? sql`sum(v)` : sql`sum(v + ${integer(ticks.first)})`;
  }
}
