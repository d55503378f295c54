import { PrivacyError } from "@dosimeter/core";
import type { DuckDBConnection } from "@duckdb/node-api";
import { type RawBuilder, sql } from "kysely";
import type { Column, Declaration } from "../declaration.ts";
import { duckdbDialect } from "../dialect.ts";
import type { SourceColumn } from "../engine.ts";
import { compile, typed } from "../sql.ts";
import { query } from "./sandbox.ts";
import type { Inspected } from "./source.ts";

const unreadable = (name: string, message: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name }, message);

/** Header names and storage types, from the file's own metadata. */
export async function columnsOf(connection: DuckDBConnection, { from }: Inspected): Promise<readonly SourceColumn[]> {
  const names = new Set<string>();
  let rows: readonly (readonly unknown[])[];
  try {
    rows = await query(connection, compile(sql`DESCRIBE SELECT * FROM ${from}`));
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

/**
 * The owner's check at registration: every declared column is there and holds what it was declared to hold, and the database
 * reads as many records as the file has. May depend on the data, which is why only the owner sees it; names columns only.
 */
export async function checkTable(
  connection: DuckDBConnection,
  declaration: Declaration,
  inspected: Inspected,
  types: Readonly<Record<string, string>>,
): Promise<void> {
  const columns = Object.entries(declaration.columns);
  for (const [name, column] of columns) checkType(name, column, types[name], declaration);
  const faults = columns.map(
    ([name, column]) => sql`count(*) FILTER (WHERE ${faulty(name, column, types[name] ?? "")})`,
  );
  const gaps = columns.map(([name, column]) =>
    column.required === true
      ? sql`count(*) FILTER (WHERE ${typed(duckdbDialect, name, column, types[name] ?? "")} IS NULL)`
      : sql`0`,
  );
  let row: readonly unknown[] | undefined;
  try {
    [row] = await query(
      connection,
      compile(sql`SELECT count(*), ${sql.join([...faults, ...gaps])} FROM ${inspected.from}`),
    );
  } catch {
    throw unreadable("source", "the file cannot be read: it is damaged or not what its declaration says");
  }
  const [records, ...counts] = (row ?? []).map((value) => BigInt(value as bigint));
  if (inspected.records !== null && records !== BigInt(inspected.records))
    throw unreadable("source.csv", "the file cannot be read: its quotes or line ends are ambiguous");
  const { size, privacyUnit } = declaration;
  if (size !== undefined && "public" in size && privacyUnit === "row" && records !== BigInt(size.public))
    throw unreadable("size.public", "the file does not hold the declared public number of rows");
  columns.forEach(([name, column], index) => {
    if ((counts[index] ?? 0n) > 0n)
      throw unreadable(`columns.${name}`, `column "${name}" holds values that are not ${PLURAL[column.type]}`);
    if ((counts[columns.length + index] ?? 0n) > 0n)
      throw unreadable(`columns.${name}.required`, `column "${name}" is declared required but lacks values`);
  });
}

const PLURAL = {
  integer: "whole numbers within ±2^63",
  number: "numbers",
  boolean: "true or false",
  category: "numbers, like its categories",
  text: "texts",
} as const;

function checkType(name: string, column: Column, type: string | undefined, declaration: Declaration): void {
  if (type === undefined) throw unreadable(`columns.${name}`, `the file has no column "${name}"`);
  if (/[[\](]/.test(type.replace(/^(DECIMAL|ENUM)\(.*\)$/s, "$1")) || /^(BLOB|INTERVAL|VARIANT|BIT)/.test(type))
    throw unreadable(`columns.${name}`, `column "${name}" is stored as ${type}, which no declared type can hold`);
  const isUnit = declaration.privacyUnit !== "row" && declaration.privacyUnit.column === name;
  if (isUnit && /^(DOUBLE|FLOAT)/.test(type))
    throw unreadable(`columns.${name}`, `column "${name}" names the privacy unit but is stored in floating point`);
  const temporal = /^(DATE|TIME)/.test(type);
  if (temporal && column.type !== "text" && column.type !== "category")
    throw unreadable(`columns.${name}`, `column "${name}" is stored as ${type}, not ${column.type}`);
}

/** A value that is there and that the declared type cannot hold; whole columns also refuse fractions. */
function faulty(name: string, column: Column, type: string): RawBuilder<unknown> {
  const raw = sql`${sql.id(name)}`;
  const value = typed(duckdbDialect, name, column, type);
  const asDouble = sql`TRY_CAST(${raw} AS DOUBLE)`;
  switch (column.type) {
    case "number":
      return sql`${raw} IS NOT NULL AND ${asDouble} IS NULL`;
    case "integer":
      return sql`${raw} IS NOT NULL AND (${value} IS NULL OR ${asDouble} <> CAST(${value} AS DOUBLE))`;
    case "text":
      return sql`false`;
    default:
      return sql`${raw} IS NOT NULL AND ${value} IS NULL`;
  }
}
