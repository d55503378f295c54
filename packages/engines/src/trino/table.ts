import { createHmac } from "node:crypto";
import { type Column, isScaled, isTimestamp } from "@dosimeter/query/declaration";
import { integer } from "@dosimeter/query/dialect";
import type { Listing } from "@dosimeter/query/plan";
import type { TrinoSource } from "@dosimeter/query/source";
import { type RawBuilder, sql } from "kysely";
import { refuseWide } from "../sql/columns.ts";
import { listingOf, MAX_LISTED } from "../sql/listing.ts";
import type { Ask, FoundTable } from "../sql/remote.ts";
import { unreadable } from "../sql/table-check.ts";
import { TrinoError } from "./client.ts";
import { trinoDialect, trinoText } from "./dialect.ts";
import { isText, isWhole, kindOf, type StoredKind } from "./types.ts";

/** Finds a table or view and its columns, by name and type. Throws DATA_UNREADABLE; reads no rows. */
export async function findTable(
  ask: Ask,
  { trino: { connection, schema, table, snapshot } }: TrinoSource,
  { catalog, salt }: { readonly catalog: string; readonly salt: string },
): Promise<FoundTable> {
  // Trino keeps names in lower case, whatever the source of a table does.
  const rows = await ask(
    sql`SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = ${schema.toLowerCase()} AND table_name = ${table.toLowerCase()} ORDER BY ordinal_position`,
  );
  if (rows.length === 0)
    throw unreadable("source.trino.table", `connection "${connection}" shows no table "${schema}"."${table}"`);
  const columns = rows.map(([name, type]) => ({ name: String(name), type: String(type) }));
  refuseWide(columns, "table");
  const types: Record<string, string> = Object.create(null);
  for (const { name, type } of columns) types[name] = type;
  const pinned = snapshot === undefined ? [] : [snapshot];
  const shape = columns.map(({ name, type }) => [name, type]);
  const identity = JSON.stringify([connection, catalog, schema, table, shape, ...pinned]);
  const from = tableSql([catalog, schema, table], snapshot);
  if (snapshot !== undefined)
    await ask(sql`SELECT 1 FROM ${from} LIMIT 0`).catch((error: unknown) => {
      if (!(error instanceof TrinoError) || error.problem !== "failed") throw error;
      throw unreadable(
        "source.trino.snapshot",
        `connection "${connection}" cannot read "${schema}"."${table}" at snapshot ${snapshot}`,
      );
    });
  return {
    columns,
    types,
    from,
    version: createHmac("sha256", salt).update(identity).digest("hex"),
  };
}

export async function listTables(ask: Ask, { trino: { schema } }: TrinoSource): Promise<Listing> {
  const most = sql`ORDER BY 1 LIMIT ${sql.lit(MAX_LISTED + 1)}`;
  const schemas = await ask(
    sql`SELECT schema_name FROM information_schema.schemata WHERE schema_name <> 'information_schema' ${most}`,
  );
  const tables = await ask(
    sql`SELECT table_name FROM information_schema.tables WHERE table_schema = ${schema.toLowerCase()} ${most}`,
  );
  return listingOf(schemas, tables);
}

/** A table by its names, at a snapshot where one is given: digits, checked before. */
export const tableSql = (names: readonly string[], snapshot: string | undefined): RawBuilder<unknown> =>
  snapshot === undefined
    ? sql`${sql.id(...names)}`
    : sql`${sql.id(...names)} FOR VERSION AS OF ${integer(BigInt(snapshot))}`;

const FLOATS: readonly StoredKind[] = ["real", "double"];
const DATES: readonly StoredKind[] = ["date", "timestamp"];
const TIMES: readonly StoredKind[] = ["timestamp", "timestamp with time zone"];

export function refusal(column: Column, storage: string, isUnit: boolean): string | null {
  const kind = kindOf(storage);
  const exact = isWhole(storage) || kind === "decimal";
  const numeric = exact || FLOATS.includes(kind);
  const asText = isText(storage);
  const asDate = asText && kind !== "boolean";
  const fits = {
    integer: exact,
    number: isScaled(column) ? exact : numeric,
    date: isTimestamp(column) ? TIMES.includes(kind) || (asDate && kind !== "date") : DATES.includes(kind) || asDate,
    boolean: kind === "boolean",
    category: typeof column.categories?.[0] === "number" ? numeric : asText,
    text: asText,
  }[column.type];
  if (!fits)
    return `is stored as ${storage}, which cannot be read as ${isScaled(column) ? "decimal" : isTimestamp(column) ? "timestamp" : column.type}: a view can convert it`;
  return isUnit && FLOATS.includes(kind) ? "names the privacy unit but is stored in floating point" : null;
}

/** A value that is there and that the declared type cannot hold. Reads every value. */
export function faulty(name: string, column: Column, storage: string): RawBuilder<unknown> {
  const raw = sql`${sql.id(name)}`;
  const kind = kindOf(storage);
  // A stored time is one, and NaN is a missing number.
  if ((isTimestamp(column) && TIMES.includes(kind)) || FLOATS.includes(kind)) return sql`false`;
  if (isScaled(column))
    return sql`${raw} IS NOT NULL AND (${trinoDialect.typed(raw, column, storage)} IS NULL OR ${raw} <> TRY_CAST(${raw} AS DECIMAL(38, ${sql.lit(column.scale)})))`;
  const written = kind === "varchar" || kind === "char" ? trinoText(raw, storage) : sql`CAST(${raw} AS VARCHAR)`;
  // No text is a fault. It is read all the same, as a view may fail: Trino would read nothing for a condition that contradicts itself.
  if (column.type === "text" || typeof column.categories?.[0] === "string") return sql`length(${written}) < 0`;
  return sql`${written} IS NOT NULL AND ${trinoDialect.typed(raw, column, storage)} IS NULL`;
}
