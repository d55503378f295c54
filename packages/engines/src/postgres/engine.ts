import { randomBytes } from "node:crypto";
import type { Engine, Lineage } from "@dosimeter/query/plan";
import { type ConnectionSettings, type PostgresSource, postgresKind, wrongSecret } from "@dosimeter/query/source";
import { type RawBuilder, sql } from "kysely";
import type pg from "pg";
import { remoteEngine } from "../sql/remote.ts";
import { unreadable } from "../sql/table-check.ts";
import { MAX_LENGTH, openClient, openPool, query, withSnapshot } from "./connection.ts";
import { postgresDialect } from "./dialect.ts";
import { faulty, findTable, listTables, refusal } from "./table.ts";

/** The most tables and views that one view may read, itself and all below it. */
const MAX_RELATIONS = 200;

/**
 * The table, what its view reads, however deep, and what a partition or an heir is a part of. Each by its name at this connection, which other
 * declarations have, and by its number in this database, which no other connection and no new name changes. Functions that a view calls are not followed.
 */
async function findLineage(client: pg.ClientBase, { postgres }: PostgresSource): Promise<Lineage> {
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

export type { ConnectionSettings as PostgresConnection } from "@dosimeter/query/source";

export interface PostgresOptions {
  /** By the names that declarations use. */
  readonly connections: Readonly<Record<string, ConnectionSettings>>;
}

/**
 * The engine over tables and views of PostgreSQL 14 or later, in databases of UTF8, read by a role that can only read. Every plan sees one
 * snapshot. Close it: it holds connections.
 */
export async function postgresEngine({ connections }: PostgresOptions): Promise<Engine> {
  const known = new Map(
    Object.entries(connections).map(
      ([name, settings]) => [name, { settings, pool: openPool(name, settings) }] as const,
    ),
  );
  return remoteEngine({
    kind: "postgres",
    ...{ name: "PostgreSQL", dialect: postgresDialect, connections: known },
    ...{ refusal, faulty, sampleKey, reasonOf, mayBeRow: () => true, checkSize: () => undefined },
    read: ({ pool, settings }, { signal, longest }, job) =>
      withSnapshot(pool, Math.min(settings.timeout ?? MAX_LENGTH, longest), signal, (client) =>
        job({
          ask: (asked) => query(client, "text" in asked ? asked : postgresDialect.compile(asked)),
          find: (source, salt) => findTable(client, source, settings, salt),
          list: (source) => listTables(client, source),
          lineage: (source) => findLineage(client, source),
        }),
      ),
    /** By a connection of its own, because those of the pool may all be in use for long. */
    async probe({ pool }) {
      const client = openClient(pool);
      try {
        await client.connect();
      } finally {
        await client.end().catch(() => undefined);
      }
    },
    async close() {
      await Promise.all([...known.values()].map(({ pool }) => pool.end()));
    },
  });
}

const sampleKey = (): string => randomBytes(32).toString("hex");

function reasonOf(error: unknown): string {
  const { code = "", message = "" } = error as { readonly code?: string; readonly message?: string };
  // The driver has no code for what it finds out before it sends anything.
  if (/^SASL: .*client password must be/.test(message)) return "its server asks for a password, and none is set";
  // A server may say any code, "constructor" too.
  return (Object.hasOwn(REASONS, code) ? REASONS[code] : undefined) ?? OTHER;
}

const OTHER = "the database could not be reached, or did not answer in time";
const TLS = "the certificate of its server is not trusted";
const REASONS: Readonly<Record<string, string>> = {
  "28P01": wrongSecret.postgres,
  "28000": "its role is not admitted",
  "3D000": "its database does not exist",
  "57014": "it took longer than the connection allows",
  ECONNREFUSED: "nothing listens at its address",
  ENOTFOUND: "its host is not known",
  SELF_SIGNED_CERT_IN_CHAIN: TLS,
  DEPTH_ZERO_SELF_SIGNED_CERT: TLS,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: "the certificate of its server is for another host",
};
