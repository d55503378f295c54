import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, type Fixture, openTestInstance } from "../instance.kit.ts";
import { connected, openTestWire, refusal, type TestWire } from "./wire.kit.ts";

/** Statements in the manner of these tools, written from memory and not recorded: at connecting, at syncing, and for a simple question. */
const TABLES = `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace`;
const free: Readonly<Record<string, readonly (readonly [string, number | "some" | "none"])[]>> = {
  Metabase: [
    ["show timezone;", 1],
    [
      "SELECT nspname, typname FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid IN (SELECT DISTINCT enumtypid FROM pg_enum e)",
      "none",
    ],
    [
      `SELECT "n"."nspname" AS "schema", "c"."relname" AS "name", CASE "c"."relkind" WHEN 'r' THEN 'TABLE' WHEN 'v' THEN 'VIEW' ELSE NULL END AS "type", "d"."description", "stat"."n_live_tup" AS "estimated_row_count" ${TABLES} LEFT JOIN "pg_catalog"."pg_description" AS "d" ON c.oid = d.objoid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass LEFT JOIN "pg_stat_user_tables" AS "stat" ON n.nspname = stat.schemaname AND c.relname = stat.relname WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND c.relkind in ('r', 'p', 'v', 'f', 'm') ORDER BY "type", "schema", "name"`,
      1,
    ],
    [
      `SELECT "c"."column_name" AS "name", FORMAT('%s', "c"."udt_name") AS "database-type", "c"."ordinal_position" - 1 AS "database-position", COL_DESCRIPTION(CAST(CAST(FORMAT('%I.%I', CAST("c"."table_schema" AS TEXT), CAST("c"."table_name" AS TEXT)) AS REGCLASS) AS OID), "c"."ordinal_position") AS "field-comment" FROM "information_schema"."columns" AS "c" LEFT JOIN (SELECT "tc"."table_name", "kc"."column_name" FROM "information_schema"."table_constraints" AS "tc" INNER JOIN "information_schema"."key_column_usage" AS "kc" ON "tc"."constraint_name" = "kc"."constraint_name" WHERE "tc"."constraint_type" = 'PRIMARY KEY') AS "pk" ON "c"."table_name" = "pk"."table_name" AND "c"."column_name" = "pk"."column_name" WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND "c"."table_schema" IN ('public')`,
      "some",
    ],
    [
      `SELECT NULL AS role, t.schemaname AS schema, t.objectname AS table, pg_catalog.has_any_column_privilege(current_user, '"' || t.schemaname || '"."' || t.objectname || '"', 'select') AS select FROM (SELECT schemaname, tablename AS objectname FROM pg_catalog.pg_tables UNION SELECT schemaname, viewname FROM pg_views) t WHERE t.schemaname !~ '^pg_' AND t.schemaname <> 'information_schema' AND pg_catalog.has_schema_privilege(current_user, t.schemaname, 'usage')`,
      "some",
    ],
    [
      `SELECT "public"."staff"."sex" AS "sex" FROM "public"."staff" GROUP BY "public"."staff"."sex" ORDER BY "public"."staff"."sex" ASC LIMIT 1000`,
      2,
    ],
    [
      `SELECT "public"."staff"."sex" AS "sex", COUNT(*) AS "count" FROM "public"."staff" GROUP BY "public"."staff"."sex" ORDER BY "public"."staff"."sex" ASC`,
      2,
    ],
    [
      `SELECT "source"."sex", "source"."count" FROM (SELECT "public"."staff"."sex" AS "sex", COUNT(*) AS "count" FROM "public"."staff" GROUP BY "public"."staff"."sex") AS "source" LIMIT 2000`,
      2,
    ],
  ],
  Superset: [
    ["select pg_catalog.version()", 1],
    ["SELECT CAST('test plain returns' AS VARCHAR(60)) AS anon_1", 1],
    ["SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg_%%' ORDER BY nspname", "some"],
    [
      `SELECT pg_catalog.pg_class.relname FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_catalog.pg_namespace.oid = pg_catalog.pg_class.relnamespace WHERE pg_catalog.pg_class.relkind = ANY (ARRAY['r', 'p']) AND pg_catalog.pg_class.relpersistence != 't' AND pg_catalog.pg_table_is_visible(pg_catalog.pg_class.oid) AND pg_catalog.pg_namespace.nspname != 'pg_catalog'`,
      "some",
    ],
    ["SELECT sex AS sex, COUNT(*) AS count FROM public.staff GROUP BY sex ORDER BY count DESC LIMIT 1000", 2],
    [
      'SELECT sex AS sex, sum(n) AS "SUM(n)" FROM (SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex) AS virtual_table GROUP BY sex ORDER BY "SUM(n)" DESC LIMIT 1000',
      2,
    ],
    ["SELECT * FROM (SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex) AS virtual_table LIMIT 1000", 2],
  ],
  Grafana: [
    ["SELECT current_setting('server_version_num')::int/100 as version", 1],
    [
      `SELECT quote_ident(table_name) AS "table" FROM information_schema.tables WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog') ORDER BY CASE WHEN quote_ident(table_schema) = 'public' THEN 0 ELSE 1 END, 1`,
      1,
    ],
    [
      `SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns WHERE quote_ident(table_name) = 'staff'`,
      "some",
    ],
  ],
  DBeaver: [
    [
      "SELECT db.oid,db.* FROM pg_catalog.pg_database db WHERE datallowconn AND NOT datistemplate OR db.datname = 'dosimeter' ORDER BY db.datname",
      "some",
    ],
    [
      "SELECT n.oid,n.*,d.description FROM pg_catalog.pg_namespace n LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass ORDER BY nspname",
      "some",
    ],
    [
      `SELECT c.oid,c.*,d.description,pg_catalog.pg_get_expr(c.relpartbound, c.oid) as partition_expr ${TABLES} LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass WHERE n.nspname = 'public' AND c.relkind not in ('i','I','c')`,
      1,
    ],
    [
      "SELECT c.relname,a.*,pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) as def_value,dsc.description FROM pg_catalog.pg_attribute a INNER JOIN pg_catalog.pg_class c ON (a.attrelid = c.oid) LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON (a.attrelid = ad.adrelid AND a.attnum = ad.adnum) LEFT OUTER JOIN pg_catalog.pg_description dsc ON (c.oid = dsc.objoid AND a.attnum = dsc.objsubid) WHERE NOT a.attisdropped AND c.relname = 'staff' ORDER BY a.attnum",
      "some",
    ],
    [
      "select string_agg(word, ',') from pg_catalog.pg_get_keywords() where word <> ALL ('{a,abs,absolute}'::text[])",
      1,
    ],
  ],
};
/** In the manner of a guess at types, and of a preview. */
const rows = [
  'SELECT "public"."staff"."age" AS "age", "public"."staff"."sex" AS "sex" FROM "public"."staff" LIMIT 10000',
  "SELECT * FROM public.staff LIMIT 100",
  "SELECT x.* FROM public.staff x",
];

let fixture: Fixture;
let wire: TestWire;
let client: pg.Client;
beforeAll(async () => {
  fixture = await buildFixture(await openTestInstance());
  wire = await openTestWire(fixture.instance);
  client = await connected(wire, fixture.tokens.member);
  await client.query("SET dosimeter.epsilon = 0.1");
  await client.query("SELECT sex, COUNT(*) AS n FROM staff GROUP BY sex");
});
afterAll(async () => {
  await client.end();
  await wire.close();
  await fixture.instance.close();
});

test.each(Object.entries(free))(
  "%s connects, browses and asks again what was answered: no statement pays",
  async (_, statements) => {
    const spent = async () =>
      (await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;
    const before = await spent();
    for (const [text, wanted] of statements)
      for (const query of [text, { text, name: text.slice(-60) }]) {
        const found = (
          await client
            .query(query as string)
            .catch((error: Error) => Promise.reject(new Error(`${error.message}: ${text}`)))
        ).rows.length;
        if (typeof wanted === "number") expect(found, text).toBe(wanted);
        else expect(found > 0, text).toBe(wanted === "some");
      }
    expect(await spent()).toBe(before);
  },
);

test.each(rows)("a preview of rows is refused where it names the dataset: %s", async (text) => {
  expect(await refusal(() => client.query(text))).toMatchObject({ code: "42501", position: expect.any(String) });
});
