import { formatPeriod } from "@dosimeter/core";
import {
  breaches,
  type Column,
  codeFrom,
  type Declaration,
  inCodes,
  isByCohort,
  isScaled,
  MAX_KEY_LENGTH,
  textOfCode,
} from "@dosimeter/query/declaration";
import { type Fragment, integer, type Sql } from "@dosimeter/query/dialect";
import { blockSql } from "@dosimeter/query/expression";
import {
  type ColumnFit,
  type Fit,
  MAX_SHOWN,
  type Misfit,
  type MisfitKind,
  type StoredValue,
  type UnitFit,
} from "@dosimeter/query/plan";
import { sql } from "kysely";
import { condition, personSql, type Table, typed } from "../sql/sql.ts";
import { checkStorage, faultyIn, unreadable } from "../sql/table-check.ts";
import { apartIn, endsIn, endsSql, FIELDS, insideSql, marksThousands } from "./apart.ts";
import { faulty, refusal } from "./check.ts";
import { duckdbDialect } from "./dialect.ts";

export interface FitReading {
  readonly table: Table;
  /** The number of rows, where the file states it. */
  readonly records: number | null;
  readonly fewerThan: number;
  readonly query: (sql: Sql) => Promise<readonly (readonly unknown[])[]>;
}

/** What a row is to a column; a value that fits, and is no category, has none. */
const KINDS = ["empty", "marked", "unreadable", "outside", "offStep", "declared"] as const;
type Kind = (typeof KINDS)[number];
const code = (kind: Kind): Fragment => integer(KINDS.indexOf(kind));

/** Columns of one scan: grouping sets of more take longer to plan than another scan takes. */
const AT_ONCE = 8;
/** Categories of one scan, as long as they are of more than one column: they are held in memory. */
const MAX_COMPARED = 2 ** 17;
/** Of each kind of misfit in all columns together: of wide tables each column shows fewer. */
const MAX_VALUES = 4000;
/** Texts are compared up to here, one letter beyond what is shown. */
const LETTERS = MAX_KEY_LENGTH + 1;

const TOO_LARGE =
  "the file cannot be checked: it takes more memory than is set aside for that. Check fewer columns or rows; it can be declared all the same";

/**
 * How rows fit a declaration: one scan for every 8 columns or fewer, one for their ranges, two for the ends of 8, one for the units. A driver's words may quote a row, so every
 * failure is DATA_UNREADABLE with the same words.
 */
export async function fitOf(declaration: Declaration, { table, records, fewerThan, query }: FitReading): Promise<Fit> {
  checkStorage(declaration, { table, noun: "file", refusal });
  const columns = Object.entries(declaration.columns);
  const rowsOf = async (statement: Fragment): Promise<readonly (readonly unknown[])[]> => {
    try {
      return await query(duckdbDialect.compile(statement));
    } catch (error) {
      // Its kind alone: the words after it may quote a row.
      const isTooLarge = error instanceof Error && error.message.startsWith("Out of Memory Error");
      throw unreadable("source", isTooLarge ? TOO_LARGE : "the file cannot be checked: it is damaged");
    }
  };
  const [[rows] = []] = await rowsOf(sql`SELECT count(*) FROM ${table.from}`);
  if (records !== null && Number(rows) !== records)
    throw unreadable("source.csv", "the file cannot be read: its quotes or line ends are ambiguous");
  const shown = Math.max(1, Math.min(MAX_SHOWN, Math.floor(MAX_VALUES / columns.length)));
  const told: (readonly unknown[])[][] = columns.map(() => []);
  for (let first = 0; first < columns.length; ) {
    const some = ofOneScan(columns.slice(first, first + AT_ONCE));
    for (const [at, ...row] of await rowsOf(groupsOf(some, table, shown))) told[first + Number(at)]?.push(row);
    first += some.length;
  }
  const isOutside = (at: number): boolean => told[at]?.some(([kind]) => KINDS[Number(kind)] === "outside") ?? false;
  const ranged = columns.filter(([, column], at) => column.type !== "category" && isOutside(at));
  const ranges = await rangesOf(ranged, table, rowsOf);
  const ends = await endsOf(columns.filter(isMeasured), table, rowsOf);
  return {
    rows: Number(rows),
    columns: columns.map(([name, column], at) =>
      columnFit(name, column, {
        ...{ told: told[at] ?? [], range: ranges.get(name), ends: ends.get(name) ?? [], fewerThan, shown },
      }),
    ),
    unit: await unitFit(declaration, table, rowsOf),
    broken: await brokenIn(declaration, table, rowsOf),
  };
}

/** What no row can be by the declaration, where rows are. */
async function brokenIn(declaration: Declaration, table: Table, rowsOf: RowsOf): Promise<Fit["broken"]> {
  const all = breaches(declaration);
  if (all.length === 0) return [];
  const { columns } = declaration;
  const value = (name: string): Fragment =>
    typed(duckdbDialect, name, columns[name] ?? { type: "text", provenance: "asserted" }, table.types[name] ?? "");
  const counts = all.map(
    ({ rows }) => sql`count(*) FILTER (WHERE ${condition(inCodes(rows, declaration), duckdbDialect, value)})`,
  );
  const [found = []] = await rowsOf(sql`SELECT ${sql.join(counts)} FROM ${table.from}`);
  return all.flatMap(({ says }, at) => (Number(found[at]) === 0 ? [] : [{ says, rows: Number(found[at]) }]));
}

type RowsOf = (statement: Fragment) => Promise<readonly (readonly unknown[])[]>;
type Named = readonly (readonly [string, Column])[];

/** The first of these columns: as many as have no more categories together than one scan compares, and one at least. */
function ofOneScan(columns: Named): Named {
  let compared = 0;
  const end = columns.findIndex(([, { categories = [] }], at) => {
    compared += categories.length;
    return at > 0 && compared > MAX_COMPARED;
  });
  return end < 0 ? columns : columns.slice(0, end);
}

/** Of each column and kind: values, how often each stands there, how many rows and values the kind has in all. */
function groupsOf(columns: Named, table: Table, shown: number): Fragment {
  const [kind, text] = ["k", "t"].map((letter) => (at: number) => sql.id(`${letter}${at}`)) as [
    (at: number) => Fragment,
    (at: number) => Fragment,
  ];
  const fields = columns.flatMap(([name, column], at) => {
    const { is, says } = cellOf(name, column, table);
    return [sql`${is} AS ${kind(at)}`, sql`CASE WHEN ${is} > ${code("marked")} THEN ${says} END AS ${text(at)}`];
  });
  const all = columns.map((_, at) => at);
  const [last] = all.slice(-1);
  const own = (at: number): Fragment => integer(2 ** all.length - 1 - 2 ** ((last ?? 0) - at));
  const of = (letter: (at: number) => Fragment): Fragment =>
    sql`CASE grouping(${sql.join(all.map(kind))}) ${sql.join(
      all.map((at) => sql`WHEN ${own(at)} THEN ${letter(at)}`),
      sql` `,
    )} END`;
  const sets = all.map((at) => sql`(${kind(at)}, ${text(at)})`);
  const declared = columns.flatMap(([, { type, categories = [] }], at) =>
    type === "category" ? [sql`SELECT ${integer(at)} AS a, ${textsIn(categories)} AS m`] : [],
  );
  return sql`WITH cells AS (SELECT ${sql.join(fields)} FROM ${table.from}),
    counted AS (SELECT ${of(integer)} AS c, ${of(kind)} AS k, ${of(text)} AS t, count(*) AS n FROM cells GROUP BY GROUPING SETS (${sql.join(sets)})),
    placed AS (SELECT c, CASE WHEN k = ${code("declared")} AND d.m IS NULL THEN ${code("outside")} ELSE k END AS k, t, n
      FROM counted LEFT JOIN (${sql.join([sql`SELECT -1 AS a, '' AS m`, ...declared], sql` UNION ALL `)}) AS d ON d.a = c AND d.m = t WHERE k IS NOT NULL)
    SELECT c, k, left(t, ${integer(LETTERS)}), n, CAST(sum(n) OVER kinds AS BIGINT), count(*) OVER kinds FROM placed WINDOW kinds AS (PARTITION BY c, k)
    QUALIFY k = ${code("declared")} OR row_number() OVER (PARTITION BY c, k ORDER BY n DESC, t) <= ${integer(shown)}`;
}

/** One parameter, whatever the number of texts: a statement takes DuckDB long to read, and no interrupt ends that. */
const textsIn = (values: readonly (string | number)[]): Fragment =>
  sql`unnest(from_json(${JSON.stringify(values.map((value) => String(value).toWellFormed()))}, '["VARCHAR"]'))`;

function cellOf(name: string, column: Column, table: Table): { readonly is: Fragment; readonly says: Fragment } {
  const storage = table.types[name] ?? "";
  const value = typed(duckdbDialect, name, column, storage);
  const stored = sql`CAST(${sql.id(name)} AS VARCHAR)`;
  const isCategory = column.type === "category";
  const misfits = [
    sql`WHEN ${faultyIn({ table, faulty }, name, column)} THEN ${code("unreadable")}`,
    sql`WHEN ${value} IS NULL THEN CASE WHEN coalesce(${stored}, '') = '' OR lower(${stored}) = 'nan' THEN ${code("empty")} ELSE ${code("marked")} END`,
    ...[outside(column, value)].flatMap((is) => (is === null ? [] : [sql`WHEN ${is} THEN ${code("outside")}`])),
    ...[offStep(column, value)].flatMap((is) => (is === null ? [] : [sql`WHEN ${is} THEN ${code("offStep")}`])),
    ...(isCategory ? [sql`ELSE ${code("declared")}`] : []),
  ];
  const isNumber = typeof column.categories?.[0] === "number";
  // A number is the same category however it is written: as JavaScript writes the declared one.
  const number = sql`regexp_replace(CAST(${value} AS VARCHAR), '\\.0$', '')`;
  const written = sql`left(${stored}, ${integer(LETTERS)})`;
  const category = sql`coalesce(${isNumber ? number : value}, ${written})`;
  return { is: sql`(CASE ${sql.join(misfits, sql` `)} END)`, says: isCategory ? category : written };
}

const isMeasured = ([, { type }]: Named[number]): boolean => type === "integer" || type === "number" || type === "date";

/** Of each column, what `endsSql` reads of the least and the largest value: no other finding names them. */
async function endsOf(columns: Named, table: Table, rowsOf: RowsOf): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const found = new Map<string, readonly unknown[]>();
  for (let first = 0; first < columns.length; first += AT_ONCE) {
    const some = columns.slice(first, first + AT_ONCE);
    const measures = some.map(([name, column]) => {
      const value = typed(duckdbDialect, name, column, table.types[name] ?? "");
      const written = sql`left(CAST(${sql.id(name)} AS VARCHAR), ${integer(LETTERS)})`;
      return { value, written, isInside: insideSql(column, value) };
    });
    const [fields = []] = await rowsOf(endsSql(measures, table.from));
    for (const [at, [name]] of some.entries()) found.set(name, fields.slice(at * FIELDS, (at + 1) * FIELDS));
  }
  return found;
}

/** A number, date or time outside its bounds. */
function outside(column: Column, value: Fragment): Fragment | null {
  const { type, lower, upper } = column;
  if (!isMeasured(["", column])) return null;
  const bound = (of: number): Fragment =>
    type === "number" && !isScaled(column)
      ? sql`CAST(${sql.lit(String(of))} AS DOUBLE)`
      : integer(codeFrom(of, column));
  const parts = [
    ...(lower === undefined ? [] : [sql`${value} < ${bound(lower)}`]),
    ...(upper === undefined ? [] : [sql`${value} > ${bound(upper)}`]),
  ];
  return parts.length === 0 ? null : sql`(${sql.join(parts, sql` OR `)})`;
}

/** A number that is no multiple of its step, which rounds it. Of an inexact one, by more than doubles are. */
function offStep(column: Column, value: Fragment): Fragment | null {
  const { type, granularity } = column;
  if (granularity === undefined || (type !== "integer" && type !== "number")) return null;
  if (type === "integer" || isScaled(column)) {
    const step = codeFrom(granularity, column);
    return step <= 1n ? null : sql`${value} % ${integer(step)} <> 0`;
  }
  const steps = sql`(${value} / CAST(${sql.lit(String(granularity))} AS DOUBLE))`;
  return sql`isfinite(${value}) AND abs(${steps} - round(${steps})) > 1e-9 * greatest(1, abs(${steps}))`;
}

type Range = NonNullable<Misfit["range"]>;

async function rangesOf(columns: Named, table: Table, rowsOf: RowsOf): Promise<ReadonlyMap<string, Range>> {
  if (columns.length === 0) return new Map();
  const fields = columns.flatMap(([name, column]) => {
    const value = typed(duckdbDialect, name, column, table.types[name] ?? "");
    const isReal = column.type === "number" && !isScaled(column);
    const finite = isReal ? sql` FILTER (WHERE isfinite(${value}))` : sql``;
    return [sql`min(${value})${finite}`, sql`max(${value})${finite}`];
  });
  const [found = []] = await rowsOf(sql`SELECT ${sql.join(fields)} FROM ${table.from}`);
  const entries = columns.flatMap(([name, column], at): readonly [string, Range][] => {
    const [least, most] = [found[2 * at], found[2 * at + 1]];
    if (least === null || most === null) return [];
    return [[name, { lower: boundText(column, least), upper: boundText(column, most) }]];
  });
  return new Map(entries);
}

function boundText(column: Column, value: unknown): string {
  if (column.type === "date") return formatPeriod(Number(value), column.calendar ?? "day");
  return isScaled(column) ? textOfCode(BigInt(value as bigint), column) : String(value);
}

/** All values of a number take less than this part of its bounds: perhaps they are in another unit. */
const NARROW = 0.05;

function withinOf(column: Column, fields: readonly unknown[]): Pick<ColumnFit, "within"> {
  const { type, lower, upper } = column;
  const ends = endsIn(fields);
  if (type === "date" || lower === undefined || upper === undefined || ends === null) return {};
  const [least, most] = ends.map((end) => boundText(column, end)) as [string, string];
  return Number(most) - Number(least) < NARROW * (upper - lower) ? { within: { lower: least, upper: most } } : {};
}

function columnFit(
  name: string,
  column: Column,
  of: {
    readonly told: readonly (readonly unknown[])[];
    readonly range: Range | undefined;
    readonly ends: readonly unknown[];
    readonly fewerThan: number;
    readonly shown: number;
  },
): ColumnFit {
  const among = (kind: Kind) => of.told.filter(([each]) => KINDS[Number(each)] === kind);
  const total = (kind: Kind): number => Number(among(kind)[0]?.[3] ?? 0);
  const storedValue = ([, value, rows]: readonly unknown[]): StoredValue => ({
    value: String(value),
    rows: Number(rows),
  });
  const misfits = (["unreadable", "outside", "offStep"] as const).flatMap((kind: MisfitKind): readonly Misfit[] => {
    const rows = among(kind);
    if (rows.length === 0) return [];
    const frequent = rows.map(storedValue).toSorted((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1));
    const misfit = { kind, rows: total(kind), values: Number(rows[0]?.[4]), frequent };
    return [kind === "outside" && of.range !== undefined ? { ...misfit, range: of.range } : misfit];
  });
  const held = new Map(among("declared").map(([, value, rows]) => [value, Number(rows)]));
  const rare = (column.categories ?? [])
    .map((each) => ({ value: String(each), rows: held.get(String(each)) ?? 0 }))
    .filter(({ rows }) => rows < of.fewerThan);
  return {
    name,
    empty: total("empty"),
    marked: total("marked"),
    misfits,
    apart: apartIn(of.ends),
    ...withinOf(column, of.ends),
    ...(marksThousands(of.ends) ? { marksThousands: true } : {}),
    rare: rare.slice(0, of.shown),
    rareCount: rare.length,
  };
}

async function unitFit(declaration: Declaration, table: Table, rowsOf: RowsOf): Promise<UnitFit | null> {
  const { privacyUnit, contribution, columns, blocks } = declaration;
  if (privacyUnit === "row") return null;
  const value = (name: string): Fragment =>
    typed(duckdbDialect, name, columns[name] ?? { type: "text", provenance: "asserted" }, table.types[name] ?? "");
  const person = personSql(duckdbDialect, declaration, value);
  // With periods a unit is one person in one of them.
  const isByPeriod = blocks !== undefined && !isByCohort(declaration);
  const block = isByPeriod ? blockSql(duckdbDialect, declaration, value) : integer(0);
  const bound = integer(contribution.rows ?? Number.MAX_SAFE_INTEGER);
  const units = sql`SELECT u, b, count(*) AS n FROM (SELECT ${person} AS u, ${block} AS b FROM ${table.from}) AS s GROUP BY u, b`;
  const [row = []] = await rowsOf(
    sql`SELECT sum(n) FILTER (WHERE u IS NULL), count(*) FILTER (WHERE u IS NOT NULL AND n > ${bound}), sum(n - ${bound}) FILTER (WHERE u IS NOT NULL AND n > ${bound}), max(n) FILTER (WHERE u IS NOT NULL AND n > ${bound}) FROM (${units}) AS p`,
  );
  const [missing = 0, over = 0, cut = 0, most = 0] = row.map((each) => Number(each ?? 0));
  return { missing, over, cut, most };
}
