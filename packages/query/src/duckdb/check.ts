import type { DuckDBConnection } from "@duckdb/node-api";
import { type RawBuilder, sql } from "kysely";
import { isTimestamp } from "../declaration/dates.ts";
import { isScaled } from "../declaration/decimals.ts";
import type { Column } from "../declaration/declaration.ts";
import { INFINITE } from "../dialect/dates-sql.ts";
import { isMarker } from "../dialect/markers-sql.ts";
import type { SourceColumn } from "../plan/engine.ts";
import { typed } from "../sql/sql.ts";
import { unreadable } from "../sql/table-check.ts";
import { duckdbDialect } from "./dialect.ts";
import { query } from "./sandbox.ts";
import type { Inspected } from "./source.ts";

/** Header names and storage types, from the file's own metadata. In a database a table only, as a view could read anything. */
export async function columnsOf(
  connection: DuckDBConnection,
  { from, table, footers }: Inspected,
  bytes: number,
): Promise<readonly SourceColumn[]> {
  if (footers !== undefined) await refuseBomb(connection, footers, bytes);
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
  const names = new Set<string>();
  let rows: readonly (readonly unknown[])[];
  try {
    rows = await query(connection, duckdbDialect.compile(sql`DESCRIBE SELECT * FROM ${from}`));
  } catch {
    throw unreadable("source", "the file cannot be read: it is not what its declaration says");
  }
  return rows.map(([name, type]) => {
    const folded = String(name).toLowerCase();
    if (names.has(folded)) throw unreadable("source", `the file cannot be read: it names "${String(name)}" twice`);
    names.add(folded);
    return { name: String(name), type: String(type) };
  });
}

/** Rows that any Parquet file may have, and how many more for each of its bytes: a column of bits holds eight. */
const ALWAYS_ROWS = 2 ** 20;
const MAX_ROWS_A_BYTE = 64;

/** A file of a few bytes may say that it holds billions of rows. The footers are read first, and no row is unpacked. */
async function refuseBomb(connection: DuckDBConnection, footers: RawBuilder<unknown>, bytes: number): Promise<void> {
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
  const present = /^(VARCHAR|ENUM)/.test(type)
    ? sql`nullif(CAST(${raw} AS VARCHAR), '') IS NOT NULL`
    : sql`${raw} IS NOT NULL`;
  const asDouble = sql`TRY_CAST(${raw} AS DOUBLE)`;
  switch (column.type) {
    case "number":
      if (isScaled(column)) {
        const decimal = (scale: number) => sql`TRY_CAST(${raw} AS DECIMAL(38, ${sql.lit(scale)}))`;
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
