import { type Column, isScaled, isTimestamp } from "@dosimeter/query/declaration";
import { INFINITE, isMarker } from "@dosimeter/query/dialect";
import { nameTwice } from "@dosimeter/query/input";
import type { SourceColumn } from "@dosimeter/query/plan";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type RawBuilder, sql } from "kysely";
import { typed } from "../sql/sql.ts";
import { unreadable } from "../sql/table-check.ts";
import { duckdbDialect, plainText } from "./dialect.ts";
import { query } from "./sandbox.ts";
import type { Inspected } from "./source.ts";

/** Header names and storage types, from the file's own metadata. In a database a table only, as a view could read anything. */
export async function columnsOf(
  connection: DuckDBConnection,
  { from, table, parquet }: Inspected,
  bytes: number,
): Promise<readonly SourceColumn[]> {
  if (parquet !== undefined) {
    await refuseBomb(connection, parquet, bytes);
    for (const path of parquet) await refuseTwice(connection, path);
  }
  if (table !== undefined) {
    const { database, schema, name } = table;
    const found = await query(
      connection,
      duckdbDialect.compile(
        sql`SELECT 1 FROM duckdb_tables() WHERE database_name = ${database} AND schema_name = ${schema} AND table_name = ${name} AND NOT internal`,
      ),
    );
    if (found.length !== 1) throw unreadable("source.table", `the database has no table "${name}"`);
  }
  let rows: readonly (readonly unknown[])[];
  try {
    rows = await query(connection, duckdbDialect.compile(sql`DESCRIBE SELECT * FROM ${from}`));
  } catch {
    throw unreadable("source", "the file cannot be read: it is not what its declaration says");
  }
  return rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
}

/** Columns, and fields within them, of one Parquet file. */
const MAX_FIELDS = 2 ** 18;

/** DuckDB gives the second of two columns of one name another one, and in a file after the first reads the first of them. */
async function refuseTwice(connection: DuckDBConnection, path: string): Promise<void> {
  const fields = sql`SELECT name, coalesce(num_children, 0) FROM parquet_schema(${sql.lit(path)}) ORDER BY column_id LIMIT ${sql.lit(MAX_FIELDS + 1)}`;
  let [, ...rest]: readonly (readonly unknown[])[] = [];
  try {
    [, ...rest] = await query(connection, duckdbDialect.compile(fields));
  } catch {
    throw unreadable("source", "the file cannot be read: it is not what its declaration says");
  }
  if (rest.length >= MAX_FIELDS)
    throw unreadable(
      "source",
      `the file cannot be read: it must hold at most ${MAX_FIELDS} columns and fields in them`,
    );
  const names: string[] = [];
  // A field stands after the one that holds it.
  let within = 0;
  for (const [name, children] of rest) {
    if (within === 0) names.push(String(name));
    within = Math.max(0, within - 1) + Number(children);
  }
  const twice = nameTwice(names);
  if (twice !== undefined)
    throw unreadable(
      "source",
      `the file cannot be read: it names "${twice}" twice: give one of the columns another name`,
    );
}

/** Rows that any Parquet file may have, and how many more for each of its bytes: a column of bits holds eight. */
const ALWAYS_ROWS = 2 ** 20;
const MAX_ROWS_A_BYTE = 64;

/** A file of a few bytes may say that it holds billions of rows. The footers are read first, and no row is unpacked. */
async function refuseBomb(connection: DuckDBConnection, paths: readonly string[], bytes: number): Promise<void> {
  const footers = sql`parquet_file_metadata([${sql.join(paths.map((path) => sql.lit(path)))}])`;
  let told: readonly (readonly unknown[])[];
  try {
    told = await query(connection, duckdbDialect.compile(sql`SELECT CAST(sum(num_rows) AS DOUBLE) FROM ${footers}`));
  } catch {
    throw unreadable("source", "the file cannot be read: it is not what its declaration says");
  }
  const rows = Number(told[0]?.[0] ?? 0);
  if (rows > ALWAYS_ROWS + MAX_ROWS_A_BYTE * bytes)
    throw unreadable("source", `the file cannot be read: it must hold at most ${MAX_ROWS_A_BYTE} rows a byte`);
}

/** Why no declared type can hold what is stored so, or this one cannot. */
export function refusal(column: Column, type: string, isUnit: boolean): string | null {
  if (/[[\](]/.test(type.replace(/^(DECIMAL|ENUM)\(.*\)$/s, "$1")) || /^(BLOB|INTERVAL|VARIANT|BIT)/.test(type))
    return `is stored as ${type}, which no declared type can hold`;
  if (isUnit && /^(DOUBLE|FLOAT)/.test(type)) return "names the privacy unit but is stored in floating point";
  if (isScaled(column) && !/^(DECIMAL.*|VARCHAR|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/.test(type))
    return `is stored as ${type}, which holds no exact decimals: declare it a number`;
  if (isTimestamp(column))
    return /^(TIMESTAMP(_S|_MS|_NS| WITH TIME ZONE)?|VARCHAR|ENUM.*|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/s.test(type)
      ? null
      : `is stored as ${type}, which cannot be read as a timestamp`;
  if (column.type === "date")
    return /^(DATE|TIMESTAMP(_S|_MS|_NS)?|VARCHAR|ENUM.*|U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?)$/s.test(type)
      ? null
      : `is stored as ${type}, which cannot be read as a date`;
  if (column.pattern !== undefined && column.type !== "boolean" && !/^(VARCHAR|ENUM)/.test(type))
    return `is stored as ${type}, which has no pattern: leave it out`;
  const temporal = /^(DATE|TIME)/.test(type);
  return temporal && column.type !== "text" && column.type !== "category"
    ? `is stored as ${type}, not ${column.type}`
    : null;
}

/** A value that is there and that the declared type cannot hold; whole columns also refuse fractions. */
export function faulty(name: string, column: Column, type: string): RawBuilder<unknown> {
  const raw = sql`${sql.id(name)}`;
  const value = typed(duckdbDialect, name, column, type);
  // An empty text is missing, whatever it should be.
  const isText = /^(VARCHAR|ENUM)/.test(type);
  const written = isText ? sql`nullif(CAST(${raw} AS VARCHAR), '') IS NOT NULL` : sql`${raw} IS NOT NULL`;
  const plain = plainText(raw, column, type);
  const asDouble = sql`TRY_CAST(${plain} AS DOUBLE)`;
  // So is NaN, which in a text is one among numbers only.
  const isNumeric = ["number", "integer"].includes(column.type) || typeof column.categories?.[0] === "number";
  const mayBeNan = /^(DOUBLE|FLOAT)$/.test(type) || (isText && isNumeric);
  const present = mayBeNan ? sql`${written} AND NOT coalesce(isnan(${asDouble}), false)` : written;
  switch (column.type) {
    case "number":
      if (isScaled(column)) {
        const decimal = (scale: number) => sql`TRY_CAST(${plain} AS DECIMAL(38, ${sql.lit(scale)}))`;
        return sql`${present} AND (${value} IS NULL OR ${decimal(18)} <> ${decimal(column.scale)})`;
      }
      return sql`${present} AND ${asDouble} IS NULL`;
    case "integer":
      return sql`${present} AND (${value} IS NULL OR ${asDouble} <> CAST(${value} AS DOUBLE))`;
    case "date": {
      // A stored time is one or infinite, and an infinite one is missing.
      if (isTimestamp(column) && type.startsWith("TIME")) return sql`false`;
      const infinite = /^(DATE|TIME)/.test(type) ? INFINITE : [];
      return sql`${present} AND ${value} IS NULL AND NOT ${isMarker(sql`CAST(${raw} AS VARCHAR)`, infinite)}`;
    }
    case "text":
      return sql`false`;
    default:
      return sql`${present} AND ${value} IS NULL`;
  }
}
