import type { Lineage } from "@dosimeter/query/plan";
import { type PostgresSource, postgresKind } from "@dosimeter/query/source";
import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { unreadable } from "../sql/table-check.ts";
import { query } from "./connection.ts";
import { postgresDialect } from "./dialect.ts";

/** The most tables and views that one view may read, itself and all below it. */
const MAX_RELATIONS = 200;

/**
 * The table, what its view reads, however deep, and what a partition or an heir is a part of. Each by its name at this connection, which other
 * declarations have, and by its number in this database, which no other connection and no new name changes. Functions that a view calls are not followed.
 */
export async function findLineage(client: pg.ClientBase, { postgres }: PostgresSource): Promise<Lineage> {
  const { connection, schema, table } = postgres;
  const ask = (statement: RawBuilder<unknown>): Promise<readonly (readonly unknown[])[]> =>
    query(client, postgresDialect.compile(statement));
  const class_ = sql`CAST('pg_catalog.pg_class' AS pg_catalog.regclass)`;
  const rows = await ask(
    sql`WITH RECURSIVE below(oid, by_view) AS (
      SELECT c.oid, false FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ${schema} AND c.relname = ${table}
      UNION
      SELECT found.oid, b.by_view OR found.by_view FROM below b JOIN LATERAL (
        SELECT d.refobjid AS oid, true AS by_view FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d ON d.classid = CAST('pg_catalog.pg_rewrite' AS pg_catalog.regclass) AND d.objid = r.oid WHERE r.ev_class = b.oid AND r.ev_type = '1' AND d.refclassid = ${class_} AND d.refobjid <> b.oid
        UNION ALL
        SELECT i.inhparent, false FROM pg_catalog.pg_inherits i WHERE i.inhrelid = b.oid
      ) found ON true
    )
    SELECT c.oid, n.nspname, c.relname, bool_or(c.relkind IN ('r', 'p') AND c.relrowsecurity AND (b.by_view OR (n.nspname = ${schema} AND c.relname = ${table} AND pg_catalog.row_security_active(c.oid))))
    FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema'
    GROUP BY 1, 2, 3 ORDER BY 2, 3 LIMIT ${sql.lit(MAX_RELATIONS + 1)}`,
  );
  if (rows.length > MAX_RELATIONS)
    throw unreadable(
      "source.postgres.table",
      `"${table}" reads more than ${MAX_RELATIONS} tables: declare one below it`,
    );
  const database = await databaseOf(ask, connection);
  return {
    bases: rows.flatMap(([oid, inSchema, name]) => [
      postgresKind.identity({ postgres: { connection, schema: String(inSchema), table: String(name) } }),
      JSON.stringify(["postgres", ...database, String(oid)]),
    ]),
    rowSecurity: rows.flatMap(([, inSchema, name, hides]) => (hides === "t" ? [`${inSchema}.${name}`] : [])),
  };
}

/** What every connection to this database has in common; its name where the role may not ask. */
async function databaseOf(
  ask: (statement: RawBuilder<unknown>) => Promise<readonly (readonly unknown[])[]>,
  connection: string,
): Promise<readonly string[]> {
  const [[number, mayAsk] = []] = await ask(
    sql`SELECT (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()), pg_catalog.has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')`,
  );
  if (mayAsk !== "t") return [`connection ${connection}`, String(number)];
  const [[system] = []] = await ask(sql`SELECT system_identifier FROM pg_catalog.pg_control_system()`);
  return [String(system), String(number)];
}
