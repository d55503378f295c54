import { createHmac } from "node:crypto";
import { type Column, isScaled, isTimestamp } from "@dosimeter/query/declaration";
import { INFINITE, isMarker } from "@dosimeter/query/dialect";
import { nameTwice } from "@dosimeter/query/input";
import type { Listing } from "@dosimeter/query/plan";
import type { ConnectionSettings, PostgresSource } from "@dosimeter/query/source";
import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { refuseWide } from "../sql/columns.ts";
import { listingOf, MAX_LISTED } from "../sql/listing.ts";
import type { FoundTable } from "../sql/remote.ts";
import { unreadable } from "../sql/table-check.ts";
import { query } from "./connection.ts";
import { postgresDialect } from "./dialect.ts";

const KINDS = new Set(["r", "v", "m", "p", "f"]);

/** Finds a table or view, its columns and what the role may do with it. Throws DATA_UNREADABLE; reads no rows. */
export async function findTable(
  client: pg.ClientBase,
  { postgres }: PostgresSource,
  { allowWritable = false }: ConnectionSettings,
  salt: string,
): Promise<FoundTable> {
  const { connection, schema, table } = postgres;
  const ask = (statement: RawBuilder<unknown>): Promise<readonly (readonly unknown[])[]> =>
    query(client, postgresDialect.compile(statement));
  const [[encoding, superuser] = []] = await ask(
    sql`SELECT pg_catalog.getdatabaseencoding(), (SELECT rolsuper OR rolbypassrls OR rolreplication FROM pg_catalog.pg_roles WHERE rolname = current_user)`,
  );
  if (encoding !== "UTF8") throw unreadable("source.postgres", "the database must be in UTF8");
  if (superuser === "t" && !allowWritable)
    throw unreadable("source.postgres.connection", `the role of connection "${connection}" is a superuser: ${ADVICE}`);
  const [relation] = await ask(
    sql`SELECT c.oid, c.relkind, pg_catalog.has_table_privilege(c.oid, 'SELECT'), pg_catalog.has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') OR pg_catalog.pg_has_role(c.relowner, 'MEMBER') OR pg_catalog.has_schema_privilege(n.oid, 'CREATE') FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ${schema} AND c.relname = ${table}`,
  );
  const [oid, kind, readable, writable] = relation ?? [];
  if (relation === undefined || !KINDS.has(String(kind)))
    throw unreadable("source.postgres.table", `connection "${connection}" shows no table "${schema}"."${table}"`);
  if (readable !== "t")
    throw unreadable("source.postgres.table", `the role of connection "${connection}" may not read "${table}"`);
  if (writable === "t" && !allowWritable)
    throw unreadable(
      "source.postgres.connection",
      `the role of connection "${connection}" could change "${table}" or its schema: ${ADVICE}`,
    );
  const rows = await ask(
    sql`SELECT a.attname, pg_catalog.format_type(b.oid, NULL), b.typtype FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid JOIN pg_catalog.pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END WHERE a.attrelid = CAST(${String(oid)} AS oid) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  );
  const columns = rows.map(([name, type, category]) => ({
    name: String(name),
    type: category === "e" ? "enum" : String(type),
  }));
  const twice = nameTwice(columns.map(({ name }) => name));
  if (twice !== undefined)
    throw unreadable("source.postgres.table", `the table names "${twice}" twice, but for case or blanks around it`);
  refuseWide(columns, "table");
  const types: Record<string, string> = Object.create(null);
  for (const { name, type } of columns) types[name] = type;
  const identity = JSON.stringify([
    connection,
    schema,
    table,
    oid,
    kind,
    columns.map(({ name, type }) => [name, type]),
  ]);
  return {
    columns,
    types,
    from: sql`${sql.id(schema, table)}`,
    version: createHmac("sha256", salt).update(identity).digest("hex"),
  };
}

/** What the role may read. A partition is no table of its own here: which there are may depend on rows. */
export async function listTables(client: pg.ClientBase, { postgres }: PostgresSource): Promise<Listing> {
  const ask = (statement: RawBuilder<unknown>): Promise<readonly (readonly unknown[])[]> =>
    query(client, postgresDialect.compile(sql`${statement} ORDER BY 1 LIMIT ${sql.lit(MAX_LISTED + 1)}`));
  const schemas = await ask(
    sql`SELECT CAST(n.nspname AS TEXT) COLLATE "C" FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')`,
  );
  const tables = await ask(
    sql`SELECT CAST(c.relname AS TEXT) COLLATE "C" FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ${postgres.schema} AND c.relkind IN (${sql.join([...KINDS].map((kind) => sql.lit(kind)))}) AND NOT c.relispartition AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')`,
  );
  return listingOf(schemas, tables);
}

const ADVICE = 'give it a role that can only read, or set "allowWritable" for the connection';

const NUMBERS = ["smallint", "integer", "bigint", "numeric", "real", "double precision"];
const LETTERS = ["text", "character varying", "character", "name", "enum"];
const TEXTS = [...LETTERS, "uuid", "date", "boolean"];

const DATES = ["date", "timestamp without time zone"];
const TIMES = ["timestamp with time zone", "timestamp without time zone"];

/** How a view makes a column x readable. Letters of a `citext` are the same in either case, and those of a text are not. */
const CASTS: Readonly<Record<string, string>> = {
  ...{
    citext: "lower(x::text)",
    money: "x::numeric",
    inet: "host(x)",
    cidr: "x::text",
    interval: "extract(epoch FROM x)",
  },
  ...{ json: "x ->> 'field'", jsonb: "x ->> 'field'", "time without time zone": "extract(epoch FROM x)" },
};

export function refusal(column: Column, storage: string, isUnit: boolean): string | null {
  const numeric = NUMBERS.includes(storage);
  const whole = numeric && storage !== "real" && storage !== "double precision";
  const asText = TEXTS.includes(storage) || (whole && storage !== "numeric");
  const asNumber = typeof column.categories?.[0] === "number";
  const fits = {
    integer: whole,
    number: isScaled(column) ? whole : numeric,
    date: isTimestamp(column)
      ? TIMES.includes(storage) || (asText && storage !== "boolean" && storage !== "date")
      : DATES.includes(storage) || (asText && storage !== "boolean"),
    boolean: storage === "boolean",
    category: asNumber ? numeric : asText,
    text: asText,
  }[column.type];
  if (!fits)
    return `is stored as ${storage}, which cannot be read as ${isScaled(column) ? "decimal" : isTimestamp(column) ? "timestamp" : column.type}: a view can convert it, as ${CASTS[storage] ?? "x::text"}`;
  if (isUnit && numeric && !whole) return "names the privacy unit but is stored in floating point";
  return null;
}

/** A value that is there and that the declared type cannot hold: fractions, and numbers beyond 64 bits; NaN is missing. Reads every value. */
export function faulty(name: string, column: Column, storage: string): RawBuilder<unknown> {
  const raw = sql`${sql.id(name)}`;
  // A stored time is one or infinite, and an infinite one is missing.
  if (isTimestamp(column) && TIMES.includes(storage)) return sql`false`;
  const isMissing = DATES.includes(storage) ? sql` AND NOT ${isMarker(sql`CAST(${raw} AS TEXT)`, INFINITE)}` : sql``;
  // An empty text is missing, whatever it should be.
  const present = LETTERS.includes(storage) ? sql`nullif(CAST(${raw} AS TEXT) COLLATE "C", '')` : raw;
  const isNumber = storage === "numeric" ? sql` AND ${raw} <> 'NaN'` : sql``;
  if (isScaled(column))
    return sql`${raw} IS NOT NULL${isNumber} AND (${postgresDialect.typed(raw, column, storage)} IS NULL OR ${raw} <> trunc(CAST(${raw} AS NUMERIC), ${sql.lit(column.scale)}))`;
  return sql`${present} IS NOT NULL${isNumber} AND ${postgresDialect.typed(raw, column, storage)} IS NULL${isMissing}`;
}
