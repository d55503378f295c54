import { toDouble } from "@dosimeter/core";
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from "kysely";
import type { Column, Declaration, Key } from "./declaration.ts";
import type { Dialect, Fragment } from "./dialect.ts";
import { keysOf } from "./groups.ts";
import type { BoundedStatistic } from "./plan.ts";
import type { Predicate } from "./predicate.ts";
import { type Aggregate, statisticOf } from "./statistics.ts";

/** SQL text with its parameters: values travel as parameters, names only as quoted identifiers. */
export interface Sql {
  readonly text: string;
  readonly parameters: readonly (string | number | boolean)[];
}

/** Where rows come from: a FROM item of one database, and the storage type of each column in it. */
export interface Table {
  readonly dialect: Dialect;
  readonly from: Fragment;
  readonly types: Readonly<Record<string, string>>;
}

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
const double = ({ double: type }: Dialect, value: number): Fragment => sql`CAST(${value} AS ${type})`;
/** How the privacy unit is written in rows: numbers stay numbers, everything else is a text. */
export type UnitKind = "row" | "integer" | "text";

export function unitKindOf({ privacyUnit, columns }: Declaration): UnitKind {
  if (privacyUnit === "row") return "row";
  const column = columns[privacyUnit.column];
  return column?.type === "integer" || typeof column?.categories?.[0] === "number" ? "integer" : "text";
}

const and = (parts: readonly Fragment[]): Fragment =>
  parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` AND `)})`;

/**
 * Rows of (u, g, v): privacy unit, group index, tick or bin. Only rows that count: unit, keys and value present and
 * declared. No expression can fail, whatever a row holds [M86].
 */
export function rowsOf(statistic: BoundedStatistic, declaration: Declaration, table: Table): Fragment {
  const columnOf = (name: string): Column => declaration.columns[name] ?? { type: "text", provenance: "asserted" };
  const { dialect } = table;
  const value = (name: string): Fragment => typed(dialect, name, columnOf(name), table.types[name] ?? "");
  const raw: Fragment[] = [];
  const needed: Fragment[] = [];
  const fields: Fragment[] = [];
  const found: Fragment[] = [];
  if (declaration.privacyUnit !== "row") {
    const { column: name } = declaration.privacyUnit;
    const { type, categories = [] } = columnOf(name);
    const numbered = type === "category" && unitKindOf(declaration) === "integer";
    raw.push(sql`${numbered ? dialect.position(categories, value(name)) : value(name)} AS u`);
    needed.push(sql`u IS NOT NULL`);
    fields.push(sql`u`);
  }
  const positions = statistic.groupBy.map((name, index) => {
    const key = sql.id(`k${index}`);
    raw.push(sql`${value(name)} AS ${key}`);
    return positionOf(dialect, keysOf(columnOf(name), name), columnOf(name), key);
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
    const stored = sql.id(statistic.column);
    raw.push(sql`${dialect.typed(sql`${stored}`, declared, table.types[statistic.column] ?? "")} AS x`);
    const payload = payloadOf(dialect, statistic, declared);
    if (payload.inRange !== null) needed.push(payload.inRange);
    fields.push(sql`${payload.index} AS v`);
    if (declared.type === "boolean" || declared.type === "category") found.push(sql`v IS NOT NULL`);
  }
  const where = statistic.where === null ? sql`` : sql` WHERE ${condition(statistic.where, dialect, value)}`;
  const from =
    raw.length === 0 ? sql`${table.from}${where}` : sql`(SELECT ${sql.join(raw)} FROM ${table.from}${where}) AS t`;
  const kept = needed.length === 0 ? sql`` : sql` WHERE ${and(needed)}`;
  const rows = sql`SELECT ${sql.join(fields)} FROM ${from}${kept}`;
  return found.length === 0 ? rows : sql`SELECT * FROM (${rows}) AS r WHERE ${and(found)}`;
}

/** A column as its declared type; anything else in it is NULL. NaN is NULL, infinities stay. */
export function typed(dialect: Dialect, name: string, column: Column, storage: string): Fragment {
  const value = dialect.typed(sql`${sql.id(name)}`, column, storage);
  return column.type === "number" ? sql`nullif(${value}, CAST('NaN' AS ${dialect.double}))` : value;
}

interface Position {
  /** Index among the declared values, NULL when it is none of them. */
  readonly index: Fragment;
  /** A cheap test that drops rows before the index is computed. */
  readonly inRange: Fragment;
}

function positionOf(dialect: Dialect, keys: readonly Key[], column: Column, key: Fragment): Position {
  const inRange = sql`${key} IS NOT NULL`;
  if (column.type === "boolean") return { index: sql`CAST(CASE WHEN ${key} THEN 1 ELSE 0 END AS BIGINT)`, inRange };
  if (column.type === "integer") {
    const [lower, upper] = [keys[0] as number, keys.at(-1) as number];
    const between = sql`${key} BETWEEN ${integer(lower)} AND ${integer(upper)}`;
    const index = lower === 0 ? key : sql`CASE WHEN ${between} THEN ${key} - ${integer(lower)} END`;
    return { index, inRange: between };
  }
  return { index: dialect.position(keys as readonly (string | number)[], key), inRange };
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
const isNumber = (dialect: Dialect): Fragment => sql`x <= CAST('Infinity' AS ${dialect.double})`;

function payloadOf(
  dialect: Dialect,
  statistic: BoundedStatistic,
  declared: Column,
): Position | { index: Fragment; inRange: null } {
  const x = sql`x`;
  if (declared.type === "boolean" || declared.type === "category")
    return positionOf(
      dialect,
      statistic.bins.map((bin) => ("value" in bin ? bin.value : bin.lower)),
      declared,
      x,
    );
  const whole = declared.type === "integer";
  const inRange = whole ? sql`x IS NOT NULL` : isNumber(dialect);
  const edge = (at: number): Fragment => (whole ? integer(at) : double(dialect, at));
  if (statistic.bins.length > 0)
    return { index: sql`CAST(${binTree(statistic, edge, 0, statistic.bins.length - 1)} AS BIGINT)`, inRange };
  const tick = tickOf(dialect, statistic, whole);
  if (statistic.publicRows === null) return { index: tick, inRange };
  return { index: sql`CASE WHEN ${inRange} THEN ${tick} ELSE 0 END`, inRange: null };
}

/** Number of inner edges at or below x, by halving: about log2 comparisons a row. */
function binTree(statistic: BoundedStatistic, edge: (at: number) => Fragment, first: number, last: number): Fragment {
  if (first === last) return integer(first);
  const middle = Math.ceil((first + last) / 2);
  const bin = statistic.bins[middle];
  const start = bin !== undefined && "lower" in bin ? bin.lower : 0;
  return sql`CASE WHEN x >= ${edge(start)} THEN ${binTree(statistic, edge, middle, last)} ELSE ${binTree(statistic, edge, first, middle - 1)} END`;
}

/** Below this many steps a rounded product cannot pass the last tick: steps·2⁻⁵¹ < ½. */
const SURE_STEPS = 2n ** 48n;

/** floor((clamp(x) − lower)/step + ½) in 0 … steps [M84]. Integers never touch a double; NaN would be the upper bound. */
function tickOf(dialect: Dialect, statistic: BoundedStatistic, whole: boolean): Fragment {
  if (statistic.ticks === null) throw new RangeError("a numeric statistic has ticks");
  const { step, steps } = statistic.ticks;
  const [lower, upper] = [statistic.lower ?? 0, statistic.upper ?? 0];
  if (whole) {
    const clamped = sql`least(greatest(x, ${integer(lower)}), ${integer(upper)})`;
    const above = lower === 0 ? clamped : sql`(${clamped} - ${integer(lower)})`;
    if (step.numerator === 1n) return above;
    return dialect.quotient(sql`(${above} * 2 + ${integer(step.numerator)})`, integer(2n * step.numerator));
  }
  const number = (value: number): Fragment => double(dialect, value);
  const above = lower === 0 ? sql`x` : sql`(x - ${number(lower)})`;
  const inverse = toDouble({ numerator: step.denominator, denominator: step.numerator }, "down");
  let scaled = above;
  const coarse = step.numerator > step.denominator;
  if (coarse) scaled = sql`${above} / ${number(toDouble(step, "down"))}`;
  if (step.numerator < step.denominator) scaled = sql`${above} * ${number(inverse)}`;
  const rounded = sql`CAST(floor(${scaled} + ${number(0.5)}) AS BIGINT)`;
  const inside = steps <= SURE_STEPS ? rounded : sql`least(${rounded}, ${integer(steps)})`;
  // A quarter of a step is tick 0 too, and a subnormal number divided by a step would stop PostgreSQL.
  const first = lower === 0 && coarse ? toDouble(step, "down") / 4 : lower;
  return sql`CASE WHEN x <= ${number(first)} THEN 0 WHEN x >= ${number(upper)} THEN ${integer(steps)} ELSE ${inside} END`;
}

/** True or false on every row: a comparison with NULL is false. */
export function condition(predicate: Predicate, dialect: Dialect, value: (name: string) => Fragment): Fragment {
  const literal = (key: Key): Fragment =>
    typeof key === "number"
      ? double(dialect, key)
      : typeof key === "boolean"
        ? sql.raw(String(key))
        : sql`CAST(${key} AS ${dialect.text})`;
  switch (predicate.op) {
    case "not":
      return sql`(NOT ${condition(predicate.of, dialect, value)})`;
    case "and":
    case "or": {
      const parts = predicate.of.map((part) => condition(part, dialect, value));
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

/** One result row per cell that has rows: cell index, then the statistic's aggregates as whole numbers. */
export function cellsOf(dialect: Dialect, statistic: BoundedStatistic, bounded: Fragment): Fragment {
  const { selection } = statistic;
  const perLeaf = selection?.ticksPerLeaf ?? 1n;
  const leaf = perLeaf === 1n ? sql`v` : dialect.quotient(sql`v`, integer(perLeaf));
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
