import { periodOfDay } from "@dosimeter/core";
import {
  type Column,
  codeFrom,
  type Declaration,
  inCodes,
  isByCohort,
  isScaled,
  isTimestamp,
  type Key,
  MAX_LETTERS,
  type Predicate,
} from "@dosimeter/query/declaration";
import {
  type Dialect,
  type Fragment,
  integer,
  type PeriodRange,
  tickSql,
  type Within,
  wholeTickSql,
} from "@dosimeter/query/dialect";
import { blockSql, type ColumnReader, derivedSql, inCohorts, inWindow, readerOf } from "@dosimeter/query/expression";
import {
  axesOf,
  type Bin,
  type BoundedStatistic,
  binsOf,
  gridOf,
  isWhole,
  keysOf,
  leavesOf,
  measuredCells,
  publicRowsOf,
  type Range,
  type TableColumn,
  type Task,
  type Ticks,
  type ValuesTask,
} from "@dosimeter/query/plan";
import { type Aggregate, definitionOf, isPresent, packedTicks, sumOfProducts } from "@dosimeter/query/statistics";
import { sql } from "kysely";
import { addedDecimals, decimalAggregates, storedDecimal } from "./added-decimals.ts";
import { keyCellsOf, keyField } from "./key-rows.ts";
import { packedOf, taskSqlOf } from "./task-sql.ts";

/** The source of rows: a FROM item of one database, and the storage type of each column in it. */
export interface Table {
  readonly dialect: Dialect;
  readonly from: Fragment;
  readonly types: Readonly<Record<string, string>>;
  /** The column that says how many rows each row stands for; absent where that is one. */
  readonly weight?: Fragment;
}

const double = ({ double: type }: Dialect, value: number): Fragment => sql`CAST(${value} AS ${type})`;
/** The type of the privacy unit in rows: numbers stay numbers, everything else is a text. */
export type UnitKind = "row" | "integer" | "text";

/** With periods a unit is one person in one of them, which is a text. */
export const unitKindOf = (declaration: Declaration): UnitKind =>
  declaration.privacyUnit !== "row" && declaration.blocks !== undefined && !isByCohort(declaration)
    ? "text"
    : personKindOf(declaration);

function personKindOf({ privacyUnit, columns }: Declaration): UnitKind {
  if (privacyUnit === "row") return "row";
  const column = columns[privacyUnit.column];
  return column?.type === "integer" || typeof column?.categories?.[0] === "number" ? "integer" : "text";
}

/** The storage of a column that an inner query has typed. */
export const TYPED = "typed";

/** Stored types whose values may be long, without their lengths. */
const LONG_TEXTS = [TYPED, "VARCHAR", "varchar", "char", "text", "character varying", "character"];

const and = (parts: readonly Fragment[]): Fragment =>
  parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` AND `)})`;

/**
 * Rows of (u, g, v): privacy unit, group index, tick or bin. Only rows that count: unit, keys and value present and
 * declared. No stored value makes an expression fail [M86].
 */
// long: one SELECT, to whose lists every part adds
export function rowsOf(statistic: BoundedStatistic, declaration: Declaration, table: Table): Fragment {
  const { dialect } = table;
  const { columnOf, value, untested, where: filter } = readerIn(declaration, table);
  const raw: Fragment[] = [];
  const needed: Fragment[] = [];
  const fields: Fragment[] = [];
  const found: Fragment[] = [];
  const joins: Fragment[] = [];
  const { within, scanned } = rangeReader(table, columnOf);
  const listed = keyLists(dialect, joins);
  // A join and a fold have left out what does not count: their rows have only the columns that are read.
  const counting = statistic.join === undefined && table.weight === undefined ? required(declaration, table) : [];
  const isFixed = publicRowsOf(statistic) !== undefined && counting.length > 0;
  const block = blockWithin(statistic, declaration, { table, value, scanned });
  if (table.weight !== undefined) {
    raw.push(sql`${table.weight} AS w`);
    fields.push(sql`w`);
  }
  if (declaration.privacyUnit !== "row") {
    raw.push(unitField(dialect, declaration, value, block));
    needed.push(sql`u IS NOT NULL`);
    fields.push(sql`u`);
  }
  const positions = (statistic.keys === undefined ? statistic.groupBy : []).map((name, index) => {
    const key = sql.id(`k${index}`);
    const { lower = 0, upper = 0 } = columnOf(name);
    const date = columnOf(name).type === "date" ? within(name, { lower, upper, outside: "left out" }) : null;
    raw.push(sql`${date ?? value(name)} AS ${key}`);
    return date === null
      ? listed(keysOf(columnOf(name), name), columnOf(name), key)
      : { index: sql`(${key} - ${integer(lower)})`, inRange: sql`true` };
  });
  for (const { inRange } of positions) needed.push(inRange);
  if (statistic.keys !== undefined) {
    const { column: name, among } = statistic.keys;
    const { field, inRange } = keyField(statistic.keys, (values) => listed(values, columnOf(name), sql`k0`).index);
    raw.push(sql`${value(name)} AS k0`);
    needed.push(inRange);
    fields.push(sql`${field} AS k`);
    if (typeof among !== "string") found.push(sql`k IS NOT NULL`);
  } else
    fields.push(
      sql`${groupIndex(
        positions.map(({ index }) => index),
        statistic,
        columnOf,
      )} AS g`,
    );
  if (positions.length > 0) found.push(sql`g IS NOT NULL`);
  const axes = axesOf(statistic);
  const placed = periodsIn(statistic, dialect, { columnOf, untested, within, raw, needed });
  const cells = taskSqlOf(statistic.task).fields?.(statistic.task, untested, placesIn(dialect, columnOf));
  if (cells !== undefined) {
    raw.push(...cells.raw);
    fields.push(...cells.fields);
    found.push(...cells.kept);
  }
  if (axes.length > 0) {
    axes.forEach(({ column: name }, index) => {
      raw.push(sql`${untested(name)} AS ${sql.id(`x${index}`)}`);
      needed.push(isPresent(dialect, columnOf(name), sql.id(`x${index}`)));
    });
    fields.push(sql`${packedTicks(dialect, axes, columnOf)} AS v`);
  } else if (statistic.column !== null) {
    const declared = columnOf(statistic.column);
    const added = addedDecimals(statistic, declaration, table);
    const clamped = added?.value ?? within(statistic.column, clampOf(statistic, declared));
    const x = clamped ?? untested(statistic.column);
    // Where the number of rows is public none is dropped: one that does not count is one without a value [M330].
    raw.push(isFixed ? sql`CASE WHEN ${and(counting)} THEN ${x} END AS x` : sql`${x} AS x`);
    const payload =
      binsOf(statistic).length > 0 && declared.type === "category"
        ? listed(keysOf(declared, statistic.column), declared, sql`x`)
        : payloadOf(dialect, statistic, declared, clamped !== null);
    if (added !== null) scanned.push(added.kept);
    else if (payload.inRange !== null) needed.push(payload.inRange);
    fields.push(sql`${added === null ? placed(payload.index) : sql`x`} AS v`);
    if (declared.type === "boolean" || declared.type === "category") found.push(sql`v IS NOT NULL`);
  }
  if (!isFixed) scanned.push(...counting);
  const all = statistic.where === null ? scanned : [...scanned, filter(statistic.where)];
  const where = all.length === 0 ? sql`` : sql` WHERE ${sql.join(all, sql` AND `)}`;
  const from =
    raw.length === 0
      ? sql`${table.from}${where}`
      : sql`(SELECT ${sql.join(raw)} FROM ${table.from}${where}) AS t${sql.join(joins, sql``)}`;
  const kept = needed.length === 0 ? sql`` : sql` WHERE ${and(needed)}`;
  const rows = sql`SELECT ${sql.join(fields)} FROM ${from}${kept}`;
  return found.length === 0 ? rows : sql`SELECT * FROM (${rows}) AS r WHERE ${and(found)}`;
}

export function readerIn(declaration: Declaration, table: Table) {
  const { dialect } = table;
  const columnOf = (name: string): Column => declaration.columns[name] ?? { type: "text", provenance: "asserted" };
  const value = (name: string): Fragment => {
    const column = columnOf(name);
    return column.derived === undefined
      ? typed(dialect, name, column, table.types[name] ?? "")
      : derivedSql(dialect, column.derived, column, entering);
  };
  const entering = enteringColumns(table, columnOf, value);
  return {
    columnOf,
    value,
    /** Like `value`, but NaN stays NaN, for places where one comparison drops NaN and NULL together. */
    untested: (name: string): Fragment =>
      columnOf(name).derived === undefined
        ? dialect.typed(sql`${sql.id(name)}`, columnOf(name), table.types[name] ?? "")
        : value(name),
    /** A whole number, a date or the code of a decimal within a range of such, NULL where it misses. */
    clamped: (name: string, range: Range): Fragment =>
      (isScaled(columnOf(name)) ? readerOf(value) : entering).clamped(name, range),
    /** A stored date within a range, NULL where it misses; null of any other column. */
    date: (name: string, range: Range): Fragment | null => {
      const within = withinOf(table, columnOf(name), name, { ...range, outside: "clamped" });
      return within?.date === undefined ? null : sql`CASE WHEN ${within.kept} THEN ${within.date} END`;
    },
    where: (predicate: Predicate): Fragment => condition(inCodes(predicate, declaration), dialect, value),
  };
}

/** Puts the period of a row next to its value, where values are added up in the periods of another column. */
function periodsIn(
  { task }: BoundedStatistic,
  dialect: Dialect,
  to: {
    readonly columnOf: (name: string) => Column;
    readonly untested: (name: string) => Fragment;
    readonly within: (name: string, range: PeriodRange) => Fragment | null;
    readonly raw: Fragment[];
    readonly needed: Fragment[];
  },
): (tick: Fragment) => Fragment {
  const packed = packedOf(task);
  if (packed === null || packed.over === null) return (tick) => tick;
  const { column: name, range } = packed.over;
  const [declared, at] = [to.columnOf(name), sql.id("at")];
  const date = to.within(name, { ...range, outside: "clamped" });
  to.raw.push(sql`${date ?? to.untested(name)} AS ${at}`);
  if (date === null) to.needed.push(isPresent(dialect, declared, at));
  const period = sql`CAST(${binSql(dialect, binsOf({ task }), declared, at)} AS BIGINT)`;
  return (tick) => packed.pack(period, tick);
}

/** The person of a row; declared numbers are their places. */
export function personSql(dialect: Dialect, declaration: Declaration, value: (name: string) => Fragment): Fragment {
  const { privacyUnit, columns } = declaration;
  const name = privacyUnit === "row" ? "" : privacyUnit.column;
  const { type, categories = [] } = columns[name] ?? { type: "text" };
  const isPlace = type === "category" && personKindOf(declaration) === "integer";
  return isPlace ? dialect.position(categories, value(name)) : value(name);
}

/** The privacy unit. With periods it is the number of the block, a space, and the person [M164]. */
function unitField(
  dialect: Dialect,
  declaration: Declaration,
  value: (name: string) => Fragment,
  block: Fragment | null,
): Fragment {
  const person = personSql(dialect, declaration, value);
  if (block === null) return sql`${person} AS u`;
  const isInteger = personKindOf(declaration) === "integer";
  const texts = [block, ...(isInteger ? [person] : [])].map((whole) => sql`CAST(${whole} AS ${dialect.text})`);
  return sql`(${sql.join([...texts, ...(isInteger ? [] : [person])], sql` || ' ' || `)}) AS u`;
}

/**
 * The block of a row, where blocks are periods; rows outside of the window are left out as the table is read. So are those of people of other
 * cohorts: a cohort is that of all rows of the table, whatever the plan filters [M170].
 */
function blockWithin(
  { window }: BoundedStatistic,
  declaration: Declaration,
  to: { readonly table: Table; readonly value: (name: string) => Fragment; readonly scanned: Fragment[] },
): Fragment | null {
  if ((window === undefined) !== (declaration.blocks === undefined))
    throw new RangeError("a population with blocks is measured over a window");
  if (window === undefined) return null;
  const { dialect, from } = to.table;
  const block = blockSql(dialect, declaration, to.value);
  if (isByCohort(declaration)) {
    const person = personSql(dialect, declaration, to.value);
    to.scanned.push(inCohorts(person, sql`SELECT ${person} AS u, ${block} AS b FROM ${from}`, window));
    return null;
  }
  to.scanned.push(inWindow(dialect, block, window));
  return block;
}

/** Columns for formulas: only the beginning of a text, cut off before any function runs over its letters; dates clamped as they are stored. */
function enteringColumns(
  table: Table,
  columnOf: (name: string) => Column,
  value: (name: string) => Fragment,
): ColumnReader {
  const { dialect, types } = table;
  const stored = (column: Column, name: string, range: Range): Fragment | null => {
    const within = withinOf(table, column, name, { ...range, outside: "clamped" });
    return within === null ? null : sql`CASE WHEN ${within.kept} THEN ${within.value} END`;
  };
  return {
    value: (name) => {
      const [column, storage] = [columnOf(name), types[name] ?? ""];
      const isText = column.type === "text" || typeof column.categories?.[0] === "string";
      if (!isText || !LONG_TEXTS.includes(storage.replace(/\(\d+\)$/, ""))) return value(name);
      return dialect.typed(sql`substr(${sql.id(name)}, 1, ${integer(MAX_LETTERS)})`, column, storage);
    },
    clamped: (name, range) => stored(columnOf(name), name, range) ?? readerOf(value).clamped(name, range),
    isStored: (name) => stored(columnOf(name), name, { lower: 0, upper: 0 }) !== null,
    period: (name, range, calendar) => {
      const [lower = 0, upper = 0] = [range.lower, range.upper].map((day) => periodOfDay(day, calendar));
      return isTimestamp(columnOf(name)) ? null : stored({ ...columnOf(name), calendar }, name, { lower, upper });
    },
  };
}

/** The place of a key among declared texts or numbers, from a joined list where a database needs one: many keys cost no more than a few. */
const keyLists =
  (dialect: Dialect, joins: Fragment[]) =>
  (keys: readonly Key[], column: Column, key: Fragment): Position => {
    const { keyList } = dialect;
    if (column.type !== "category" || keyList === null) return positionOf(dialect, keys, column, key);
    const list = sql.id(`p${joins.length}`);
    joins.push(sql` JOIN ${keyList(keys as readonly (string | number)[])} AS ${list} ON ${list}.m = ${key}`);
    return { index: sql`${list}.i`, inRange: sql`true` };
  };

/** Reads a stored date or decimal within a range; rows without one are left out as the table is read. Null for any other column. */
function rangeReader(table: Table, columnOf: (name: string) => Column) {
  const scanned: Fragment[] = [];
  const within = (name: string, range: PeriodRange | null): Fragment | null => {
    const found = range === null ? null : withinOf(table, columnOf(name), name, range);
    if (found !== null) scanned.push(found.kept);
    return found?.value ?? null;
  };
  return { within, scanned };
}

function withinOf(table: Table, column: Column, name: string, range: PeriodRange): Within | null {
  if (column.type !== "date") return storedDecimal(table, column, name, range);
  if (column.derived !== undefined) return null;
  return table.dialect.datesWithin(sql.id(name), column, table.types[name] ?? "", range);
}

/** Categories that are parameters of a statement, each of which takes it time to plan. */
const FEW = 256;

/** What is true of every row that counts, whatever is asked: each required column has a value, of a category a declared one [M330]. */
export function required({ columns }: Declaration, { dialect, types }: Table): readonly Fragment[] {
  const all = Object.entries(columns).filter(([, column]) => column.required === true && column.derived === undefined);
  return all.map(([name, column]) => {
    const value = typed(dialect, name, column, types[name] ?? "");
    const { categories } = column;
    if (categories === undefined) return sql`${value} IS NOT NULL`;
    if (categories.length > FEW && dialect.keyList !== null)
      return sql`coalesce(${value} IN (SELECT m FROM ${dialect.keyList(categories)} AS w), false)`;
    return condition({ op: "in", column: name, values: categories }, dialect, () => value);
  });
}

/** The rows of a table that count [M330], without a name. */
export function countedRows(declaration: Declaration, table: Table): Fragment {
  const conditions = required(declaration, table);
  return conditions.length === 0
    ? table.from
    : sql`(SELECT * FROM ${table.from} WHERE ${sql.join(conditions, sql` AND `)})`;
}

/** The range that values are clamped to before they are measured; null where missing ones count, or where it is asked which lie outside. */
function clampOf({ task }: BoundedStatistic, declared: Column): PeriodRange | null {
  switch (task.kind) {
    case "sums":
      return task.publicRows === undefined ? { ...task.range, outside: "clamped" } : null;
    case "totals":
    case "choice":
    case "curve":
    case "series":
      return { ...task.range, outside: "clamped" };
    case "tables":
      return task.range === undefined ? null : { ...task.range, outside: "clamped" };
    case "counts": {
      // Edges of decimals need not be steps.
      if (isScaled(declared)) return null;
      const [first, last] = [task.bins[0], task.bins.at(-1)];
      return first !== undefined && "lower" in first && last !== undefined && "upper" in last
        ? { lower: first.lower, upper: last.upper, outside: "clamped" }
        : null;
    }
    default:
      return null;
  }
}

/** A column as its declared type; anything else in it is NULL. NaN is NULL, infinities stay. [M86] */
export function typed(dialect: Dialect, name: string, column: Column, storage: string): Fragment {
  const value = dialect.typed(sql`${sql.id(name)}`, column, storage);
  const isReal = column.type === "number" ? !isScaled(column) : typeof column.categories?.[0] === "number";
  return isReal ? sql`nullif(${value}, CAST('NaN' AS ${dialect.double}))` : value;
}

/** The bin of a value of a table's column; NULL where it misses or is none of the declared ones. */
const placesIn =
  (dialect: Dialect, columnOf: (name: string) => Column) =>
  ({ name, bins }: TableColumn, x: Fragment) => {
    const declared = columnOf(name);
    if (declared.type === "boolean" || declared.type === "category")
      return positionOf(dialect, keysOf(declared, name), declared, x).index;
    const listed = bins.flatMap((bin) => ("value" in bin ? [String(bin.value)] : []));
    if (declared.type === "text") return dialect.position(listed, x);
    const bin = binSql(dialect, bins, declared, x);
    return sql`CASE WHEN ${isPresent(dialect, declared, x)} THEN CAST(${bin} AS BIGINT) END`;
  };

interface Position {
  /** Index among the declared values, NULL when it is none of them. */
  readonly index: Fragment;
  /** A cheap test that drops rows before the index is computed. */
  readonly inRange: Fragment;
}

function positionOf(dialect: Dialect, keys: readonly Key[], column: Column, key: Fragment): Position {
  const inRange = sql`${key} IS NOT NULL`;
  if (column.type === "boolean") return { index: sql`CAST(CASE WHEN ${key} THEN 1 ELSE 0 END AS BIGINT)`, inRange };
  if (isWhole(column)) {
    const { lower = 0, upper = 0 } = column;
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

/** A value for counting different ones: a text, a whole number, a step, or its place among the declared values. */
function itself(dialect: Dialect, { ticks, range }: ValuesTask, declared: Column): Position {
  switch (declared.type) {
    case "boolean":
    case "category":
      return positionOf(dialect, keysOf(declared, ""), declared, sql`x`);
    case "number":
      if (ticks === undefined || range === undefined) throw new RangeError("numbers have a grid");
      return {
        index: tickOf(dialect, { ticks, range }, declared),
        inRange: isScaled(declared) ? sql`x IS NOT NULL` : isNumber(dialect),
      };
    default:
      return { index: sql`x`, inRange: sql`x IS NOT NULL` };
  }
}

/** The value of a row as the task measures it: a place among declared ones, a bin, a tick. */
function payloadOf(
  dialect: Dialect,
  { task }: BoundedStatistic,
  declared: Column,
  isClamped: boolean,
): Position | { index: Fragment; inRange: null } {
  const x = sql`x`;
  const whole = isWhole(declared) || isScaled(declared);
  const present = isClamped ? sql`true` : whole ? sql`x IS NOT NULL` : isNumber(dialect);
  const edge = edgeIn(dialect, declared);
  switch (task.kind) {
    case "values":
      return itself(dialect, task, declared);
    case "clips": {
      const { lower, upper } = task.range;
      const place = sql`CASE WHEN x < ${edge(lower)} THEN 0 WHEN x > ${edge(upper)} THEN 2 ELSE 1 END`;
      return { index: sql`CAST(${place} AS BIGINT)`, inRange: present };
    }
    case "counts":
      if (declared.type === "boolean" || declared.type === "category")
        return positionOf(
          dialect,
          task.bins.map((bin) => ("value" in bin ? bin.value : bin.lower)),
          declared,
          x,
        );
      return {
        index: sql`CAST(${binSql(dialect, task.bins, declared, x)} AS BIGINT)`,
        inRange: present,
      };
    case "series":
      return task.ticks === undefined
        ? { index: sql`CAST(${binSql(dialect, task.bins, declared, x)} AS BIGINT)`, inRange: present }
        : { index: tickOf(dialect, { ...task, ticks: task.ticks }, declared, isClamped), inRange: present };
    case "sums": {
      const tick = tickOf(dialect, task, declared, isClamped);
      return task.publicRows === undefined
        ? { index: tick, inRange: present }
        : { index: sql`CASE WHEN ${present} THEN ${tick} ELSE 0 END`, inRange: null };
    }
    case "totals":
    case "choice":
    case "curve":
      return { index: tickOf(dialect, task, declared, isClamped), inRange: present };
    case "tables": {
      const { ticks, range } = task;
      if (ticks === undefined || range === undefined) throw new RangeError("rows are counted without a column");
      return { index: tickOf(dialect, { ticks, range }, declared, isClamped), inRange: present };
    }
    case "joint":
    case "cuts":
    case "top":
    case "table":
      throw new RangeError(`${task.kind} reads no column of its own`);
    default:
      return task satisfies never;
  }
}

/** Number of inner edges at or below x. */
export function binSql(dialect: Dialect, bins: readonly Bin[], declared: Column, x: Fragment): Fragment {
  const edge = edgeIn(dialect, declared);
  const starts = bins.slice(1).map((bin) => ("lower" in bin ? bin.lower : 0));
  const fit = !isScaled(declared) || starts.every((at) => Number.isSafeInteger(Number(codeFrom(at, declared))));
  const below = fit ? dialect.edgesBelow(x, starts.map(edge)) : null;
  return below ?? binTree(bins, edge, { first: 0, last: bins.length - 1, x });
}

/** A bound of values as a column of this type stores them. */
const edgeIn =
  (dialect: Dialect, declared: Column) =>
  (at: number): Fragment =>
    isWhole(declared) || isScaled(declared) ? integer(codeFrom(at, declared)) : double(dialect, at);

/** The same by halving: about log2 comparisons a row. */
function binTree(
  bins: readonly Bin[],
  edge: (at: number) => Fragment,
  { first, last, x }: { readonly first: number; readonly last: number; readonly x: Fragment },
): Fragment {
  if (first === last) return integer(first);
  const middle = Math.ceil((first + last) / 2);
  const bin = bins[middle];
  const start = bin !== undefined && "lower" in bin ? bin.lower : 0;
  const [above, below] = [
    { first: middle, last, x },
    { first, last: middle - 1, x },
  ].map((part) => binTree(bins, edge, part));
  return sql`CASE WHEN ${x} >= ${edge(start)} THEN ${above} ELSE ${below} END`;
}

/** floor((clamp(x) − lower)/step + ½) in 0 … steps [M84]; NaN would be the upper bound. */
export function tickOf(
  dialect: Dialect,
  { ticks: { step, steps }, range: { lower, upper } }: { readonly ticks: Ticks; readonly range: Range },
  declared: Column,
  isClamped = false,
  x: Fragment = sql`x`,
): Fragment {
  return isWhole(declared) || isScaled(declared)
    ? wholeTickSql(dialect, x, { lower, upper, step }, { column: declared, isClamped })
    : tickSql(dialect, x, { lower, upper, step, steps });
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

/** The rows of a statistic (g, v), of which each may stand for several. */
export interface Relation {
  readonly from: Fragment;
  /** Whether `w` says for how many rows each stands. */
  readonly isWeighted: boolean;
  /** Whether values are decimals to be added up. */
  readonly areDecimals: boolean;
  /** The bin of a row that carries its value instead. */
  readonly bin?: Fragment;
}

export interface Cells {
  readonly cell: Fragment;
  readonly aggregates: readonly Fragment[];
}

/** The cell of a row, and its aggregates as whole numbers, of added decimals too; null where a statistic has SQL of its own. */
export function cellsIn(dialect: Dialect, statistic: BoundedStatistic, relation: Relation): Cells | null {
  const { task, keys } = statistic;
  if (keys !== undefined || taskSqlOf(task).cells !== undefined) return null;
  const { payload, perGroup } = payloadIn(dialect, statistic, relation);
  const aggregates = aggregatesIn(dialect, statistic, relation);
  const cell = perGroup > 0 ? sql`g * ${integer(perGroup)} + ${payload}` : sql`g`;
  return { cell: dialect.index(cell, measuredCells(statistic)), aggregates };
}

function payloadIn(
  dialect: Dialect,
  statistic: BoundedStatistic,
  { bin }: Relation,
): { readonly payload: Fragment; readonly perGroup: number } {
  const leaves = leavesOf(statistic);
  const payload =
    bin ??
    packedOf(statistic.task)?.period(dialect) ??
    (leaves !== undefined && leaves.ticksPerLeaf !== 1n
      ? dialect.quotient(sql`v`, integer(leaves.ticksPerLeaf))
      : sql`v`);
  return { payload, perGroup: leaves?.leaves ?? binsOf(statistic).length };
}

const aggregatesIn = (
  dialect: Dialect,
  statistic: BoundedStatistic,
  { isWeighted, areDecimals }: Pick<Relation, "isWeighted" | "areDecimals">,
): readonly Fragment[] =>
  areDecimals
    ? decimalAggregates(dialect, statistic)
    : definitionOf(statistic)
        .aggregates(statistic.task)
        .map((name) => aggregate(dialect, name, statistic.task, isWeighted));

/** One result row per cell that has rows: cell index, then the statistic's aggregates. */
export function cellsOf(dialect: Dialect, statistic: BoundedStatistic, relation: Relation): Fragment {
  const { task, keys } = statistic;
  const { from } = relation;
  const cells = cellsIn(dialect, statistic, relation);
  if (cells !== null) return sql`SELECT ${cells.cell} AS c, ${sql.join(cells.aggregates)} FROM ${from} AS b GROUP BY 1`;
  const ownCells = taskSqlOf(task).cells;
  if (keys === undefined) return ownCells === undefined ? from : ownCells(dialect, task, from);
  const { payload, perGroup } = payloadIn(dialect, statistic, relation);
  const cell = perGroup > 0 ? payload : sql`CAST(0 AS BIGINT)`;
  return keyCellsOf(keys, from, { cell, aggregates: aggregatesIn(dialect, statistic, relation) });
}

function aggregate(dialect: Dialect, name: Aggregate, task: Task, isWeighted: boolean): Fragment {
  const sum = (value: Fragment): Fragment =>
    dialect.sum(isWeighted ? sql`CAST(${value} AS ${dialect.wide}) * w` : value);
  if (typeof name === "object") return sumOfProducts(dialect, name.powers, axesOf({ task }));
  switch (name) {
    case "rows":
    case "units":
      return isWeighted ? dialect.sum(sql`w`) : sql`count(*)`;
    case "values":
      return sql`count(DISTINCT v)`;
    case "ticks":
      return sum(sql`v`);
    case "squares":
      return sum(sql`v * v`);
    case "signedTicks": {
      const first = gridOf({ task })?.first ?? 0n;
      const tick = packedOf(task)?.tick ?? sql`v`;
      return sum(first === 0n ? tick : sql`${tick} + ${integer(first)}`);
    }
    default:
      return name satisfies never;
  }
}
