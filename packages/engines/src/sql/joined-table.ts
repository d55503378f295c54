import { type Column, type Declaration, inCodes, type Joined, type Taken } from "@dosimeter/query/declaration";
import { type Dialect, type Fragment, integer, type OrderField, withOrder } from "@dosimeter/query/dialect";
import { columnsRead } from "@dosimeter/query/expression";
import { MAX_HASHED, rangeTaken, ticksTaken } from "@dosimeter/query/join";
import { type BoundedStatistic, isWhole, wholeTicks } from "@dosimeter/query/plan";
import { sql } from "kysely";
import { condition, countedRows, type Table, TYPED, tickOf, typed, unitKindOf } from "./sql.ts";

/** The other table, and the salt that orders the rows of its people. */
export interface OtherTable {
  readonly table: Table;
  readonly salt: string;
}

/** What is gathered over a person's rows: read of each row, put together, and what stands where a person has none. */
interface Gathered {
  readonly name: string;
  readonly each: Fragment;
  readonly all: (x: Fragment) => Fragment;
  readonly none?: Fragment;
}

/** A FROM item with at most one row (u, c0, c1, …) for each person: the names that people give never stand inside it. */
interface Part {
  readonly from: Fragment;
  /** What c0, c1, … are called in the completed rows. */
  readonly columns: readonly Pick<Gathered, "name" | "none">[];
}

const made = (index: number): string => `c${index}`;

/**
 * The rows that a statistic reads, each completed by what it takes of its person's rows in the other table: every part has one row
 * for each person at most, so a row stays one row, and what completes it is a function of its person's own rows [M195].
 */
export function joinedTable(
  base: Table,
  declaration: Declaration,
  statistic: BoundedStatistic,
  other: OtherTable,
): Table {
  const { join } = statistic;
  const { joined } = declaration;
  if (join === undefined || joined === undefined) return base;
  const { dialect } = base;
  const key = freeName(declaration, "joined by");
  const read = [...columnsRead(statistic, declaration)].filter((name) => isStored(declaration.columns[name]));
  const parts = partsOf(join.columns, joined, other);
  const unit = keyOf(dialect, declaration, base);
  const mine = sql`(SELECT ${sql.join(read.map((name) => sql`${sql.id(name)}`))}, ${unit} AS ${sql.id(key)} FROM ${countedRows(declaration, base)} AS s) AS l`;
  const taken = parts.flatMap(({ columns }, index) =>
    columns.map(({ name, none }, at) => {
      const value = sql.id(`r${index}`, made(at));
      return sql`${none === undefined ? value : sql`coalesce(${value}, ${none})`} AS ${sql.id(name)}`;
    }),
  );
  const joins = parts.map(({ from }, index) => {
    const right = sql.id(`r${index}`);
    return sql` LEFT JOIN (${from}) AS ${right} ON ${right}.u = ${sql.id("l", key)}`;
  });
  const own = sql.join(read.map((name) => sql.id("l", name)));
  const types: Record<string, string> = Object.create(null);
  for (const name of read) types[name] = base.types[name] ?? "";
  for (const { columns } of parts) for (const { name } of columns) types[name] = TYPED;
  return {
    dialect: withTyped(dialect),
    from: sql`(SELECT ${own}, ${sql.join(taken)} FROM ${mine}${sql.join(joins, sql``)}) AS j`,
    types,
  };
}

/** Columns of the completed rows that are in the first table itself. */
const isStored = (column: Column | undefined): boolean => column?.derived === undefined && column?.joined === undefined;

/** Columns that are made of typed ones: nothing is left to read in them. */
export const withTyped = (dialect: Dialect): Dialect => ({
  ...dialect,
  typed: (raw, column, storage) => (storage === TYPED ? raw : dialect.typed(raw, column, storage)),
});

/** A name that no column has: this one, or longer. */
export function freeName({ columns }: Declaration, wanted: string): string {
  const taken = new Set(Object.keys(columns).map((name) => name.toLowerCase()));
  let name = wanted;
  while (taken.has(name)) name += "'";
  return name;
}

/** Who a row is about, in both tables alike: a number stays one, a category of numbers is its place. */
function keyOf(dialect: Dialect, declaration: Declaration, { types }: Table): Fragment {
  const { privacyUnit, columns } = declaration;
  const name = privacyUnit === "row" ? "" : privacyUnit.column;
  const column = columns[name] ?? { type: "text", provenance: "asserted" };
  const value = typed(dialect, name, column, types[name] ?? "");
  const isPlace = column.type === "category" && unitKindOf(declaration) === "integer";
  return isPlace ? dialect.position(column.categories ?? [], value) : value;
}

/** Everything that is taken of the other table's rows: over all of them, of the first and the last ones, of one row. */
function partsOf(
  taken: Readonly<Record<string, Taken>>,
  { declaration }: Joined,
  { table, salt }: OtherTable,
): readonly Part[] {
  const reader = readerOf(declaration, table);
  const all = Object.entries(taken);
  const of = (wanted: readonly Taken["take"][]) => all.filter(([, { take }]) => wanted.includes(take));
  const gathered = of(["count", "sum", "min", "max", "any"]).map(([name, one]) => gatheredOf(name, one, reader));
  const placed = of(["first", "last"]).map(([name, one]) => placedPart(name, one, reader));
  const chosen = of(["one"]);
  return [
    ...(gathered.length === 0 ? [] : [gatheredPart(gathered, reader)]),
    ...placed,
    ...(chosen.length === 0 ? [] : [chosenPart(chosen, reader, salt)]),
  ];
}

interface Reader {
  readonly dialect: Dialect;
  readonly table: Table;
  readonly declaration: Declaration;
  readonly unit: Fragment;
  readonly columnOf: (name: string | undefined) => Column;
  /** The value of a column in a row; NULL where a filter leaves the row out. */
  readonly value: (name: string | undefined) => Fragment;
  readonly where: (taken: Taken) => Fragment | null;
}

function readerOf(declaration: Declaration, stored: Table): Reader {
  const table = { ...stored, from: countedRows(declaration, stored) };
  const { dialect, types } = table;
  const columnOf = (name = ""): Column => declaration.columns[name] ?? { type: "text", provenance: "asserted" };
  const value = (name = ""): Fragment => typed(dialect, name, columnOf(name), types[name] ?? "");
  return {
    dialect,
    table,
    declaration,
    unit: keyOf(dialect, declaration, table),
    columnOf,
    value,
    where: ({ where }) => (where === undefined ? null : condition(inCodes(where, declaration), dialect, value)),
  };
}

const only = (condition: Fragment | null, value: Fragment): Fragment =>
  condition === null ? value : sql`CASE WHEN ${condition} THEN ${value} END`;
const one = sql`CAST(1 AS BIGINT)`;

/** How the rows of a person become one value. [M86, M95] */
function gatheredOf(name: string, taken: Taken, reader: Reader): Gathered {
  const { value, where } = reader;
  const counted = { name, each: only(where(taken), one) };
  const valued = { name, each: only(where(taken), value(taken.column)) };
  switch (taken.take) {
    case "count":
      return { ...counted, all: (x) => sql`count(${x})`, none: sql`0` };
    case "any":
      return { ...counted, all: (x) => sql`count(${x}) > 0`, none: sql`false` };
    case "min":
      return { ...valued, all: (x) => sql`min(${x})` };
    case "max":
      return { ...valued, all: (x) => sql`max(${x})` };
    default:
      return { ...valued, ...totalOf(taken, reader) };
  }
}

/** Values clamped to their bounds, in whole steps; their total clamped before it is narrowed to 64 bits. */
function totalOf(taken: Taken, { dialect, columnOf }: Reader): Pick<Gathered, "all" | "none"> {
  const column = columnOf(taken.column);
  const [ticks, range, whole] = [ticksTaken(column, ""), rangeTaken(column, ""), isWhole(column)];
  const { step, first } = ticks;
  const [least, most] = [taken.lower ?? 0, taken.upper ?? 0].map((bound) => wholeTicks(bound, ticks, ""));
  const clamped = (total: Fragment): Fragment =>
    sql`CAST(least(greatest(${total}, ${integer(least ?? 0n)}), ${integer(most ?? 0n)}) AS BIGINT)`;
  const number = (bound: bigint): Fragment => sql`CAST(${integer(bound)} AS ${dialect.double})`;
  const shown = (total: Fragment): Fragment =>
    whole
      ? sql`(${total} * ${integer(step.numerator)})`
      : sql`(CAST(${total} AS ${dialect.double}) * ${number(step.numerator)} / ${number(step.denominator)})`;
  const tick = (x: Fragment): Fragment =>
    sql`${tickOf(dialect, { ticks, range }, column, false, x)} + ${integer(first)}`;
  return {
    all: (x) => shown(clamped(sql`coalesce(${dialect.sum(sql`CASE WHEN ${x} IS NOT NULL THEN ${tick(x)} END`)}, 0)`)),
    none: shown(clamped(sql`0`)),
  };
}

function gatheredPart(gathered: readonly Gathered[], { dialect, unit, table }: Reader): Part {
  const x = (index: number): Fragment => sql.id(`x${index}`);
  const read = gathered.map(({ each }, index) => sql`${each} AS ${x(index)}`);
  const rows = sql`SELECT ${unit} AS u, ${sql.join(read)} FROM ${table.from} AS s${dialect.fence}`;
  const all = gathered.map(({ all }, index) => sql`${all(x(index))} AS ${sql.id(made(index))}`);
  return {
    from: sql`SELECT u, ${sql.join(all)} FROM (${rows}) AS t WHERE u IS NOT NULL GROUP BY u`,
    columns: gathered,
  };
}

/** The least value of those in the rows with the least (greatest) `by`. */
function placedPart(name: string, taken: Taken, { unit, table, columnOf, value, where }: Reader): Part {
  const isTruth = columnOf(taken.column).type === "boolean";
  const v = isTruth
    ? sql`CASE WHEN ${value(taken.column)} THEN 1 WHEN NOT ${value(taken.column)} THEN 0 END`
    : value(taken.column);
  const rows = sql`SELECT ${unit} AS u, ${only(where(taken), value(taken.by))} AS b, ${v} AS v FROM ${table.from} AS s`;
  const end = taken.take === "first" ? sql`min(b)` : sql`max(b)`;
  const ends = sql`SELECT u, ${end} AS m FROM p GROUP BY u`;
  const found = isTruth ? sql`min(p.v) = 1` : sql`min(p.v)`;
  return {
    from: sql`WITH p AS (SELECT * FROM (${rows}) AS t WHERE u IS NOT NULL AND b IS NOT NULL AND v IS NOT NULL) SELECT p.u AS u, ${found} AS ${sql.id(made(0))} FROM p JOIN (${ends}) AS e ON p.u = e.u AND p.b = e.m GROUP BY p.u`,
    columns: [{ name }],
  };
}

/** Columns of one row of each person: the first by keyed hash and values, so that equal rows are interchangeable [M126]. */
function chosenPart(chosen: readonly (readonly [string, Taken])[], reader: Reader, salt: string): Part {
  const { dialect, declaration, unit, table, columnOf, value } = reader;
  const sorted = [...chosen].sort(([a], [b]) => (a < b ? -1 : 1));
  const names = sorted.map((_, index) => sql.id(made(index)));
  const read = sorted.map(([, { column }], index) => sql`${value(column)} AS ${names[index] ?? sql``}`);
  const rows = sql`SELECT * FROM (SELECT ${unit} AS u, ${sql.join(read)} FROM ${table.from} AS s) AS t WHERE u IS NOT NULL`;
  const hashed = sorted.map(([, { column }], index) =>
    hashedField(dialect, columnOf(column), sql.id(made(index)), index),
  );
  const fields = sql.join(hashed.map(({ field, value }) => sql`${value} AS ${sql.id(field.name)}`));
  const kind = unitKindOf(declaration) === "integer" ? "integer" : "text";
  let ordered = sql`SELECT *, ${fields} FROM (${rows}) AS t`;
  let order: OrderField | null = null;
  for (let at = 0; at < hashed.length; at += MAX_HASHED) {
    const next: OrderField = { name: `o${at}`, kind: "small" };
    const more = hashed.slice(at, at + MAX_HASHED).map(({ field }) => field);
    ordered = withOrder(
      dialect,
      ordered,
      [{ name: "u", kind }, ...(order === null ? [] : [order]), ...more],
      salt,
      next.name,
    );
    order = next;
  }
  const by = sql.join([sql.id(order?.name ?? "u"), ...names].map((name) => sql`${name} NULLS LAST`));
  const place = sql`row_number() OVER (PARTITION BY u ORDER BY ${by})`;
  return {
    from: sql`SELECT u, ${sql.join(names)} FROM (SELECT *, ${place} AS n FROM (${ordered}) AS f) AS k WHERE n = 1`,
    columns: sorted.map(([name]) => ({ name })),
  };
}

/** Numbers are hashed as whole numbers of parts, clamped to ±this. */
const MAX_HASHED_NUMBER = 2n ** 62n;
/** Parts of 1 in a number column without bounds, and the most in one with them. */
const LOOSE_PARTS = 1_000_000n;
const MAX_PARTS = 10n ** 15n;

/** A value for the hash: any whole number or text, always there. Only fairness rests on it. */
function hashedField(
  { text, double }: Dialect,
  column: Column,
  x: Fragment,
  index: number,
): { readonly field: OrderField; readonly value: Fragment } {
  const { type, scale, categories = [] } = column;
  const name = `h${index}`;
  if (type === "boolean")
    return {
      field: { name, kind: "small" },
      value: sql`CAST(CASE WHEN ${x} THEN 1 WHEN NOT ${x} THEN 0 ELSE 2 END AS BIGINT)`,
    };
  if (type === "text" || typeof categories[0] === "string")
    return { field: { name, kind: "text" }, value: sql`coalesce(${x}, CAST('' AS ${text}))` };
  if (type === "integer" || type === "date" || scale !== undefined)
    return { field: { name, kind: "integer" }, value: sql`coalesce(${x}, CAST(-1 AS BIGINT))` };
  const number = (value: bigint): Fragment => sql`CAST(${integer(value)} AS ${double})`;
  const parts = partsOfOne(column);
  const most = MAX_HASHED_NUMBER / parts;
  const inside = sql`least(greatest(coalesce(${x}, ${number(0n)}), ${number(-most)}), ${number(most)})`;
  const nearest = sql`floor(${inside} * ${number(parts)} + CAST(0.5 AS ${double}))`;
  return { field: { name, kind: "integer" }, value: sql`CAST(${nearest} AS BIGINT)` };
}

/** Enough parts of 1 that two steps of a number column differ. */
function partsOfOne(column: Column): bigint {
  if (column.lower === undefined || column.upper === undefined) return LOOSE_PARTS;
  const { numerator, denominator } = ticksTaken(column, "").step;
  const parts = (denominator + numerator - 1n) / numerator;
  return parts > MAX_PARTS ? MAX_PARTS : parts;
}
