import type { Dialect } from "./migration.ts";

/** Stands behind every trigger that refuses a change; its argument is what it says. */
export const refuseFunction = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$`;

const trigger = (name: string, when: string, says: string): string =>
  `CREATE TRIGGER ${name} BEFORE ${when} EXECUTE FUNCTION refuse('${says.replaceAll("'", "''")}')`;

const never = (table: string, says: string): readonly string[] => [
  trigger(`${table}_no_delete`, `DELETE ON ${table} FOR EACH ROW`, `${table} is ${says}`),
  trigger(`${table}_no_truncate`, `TRUNCATE ON ${table} FOR EACH STATEMENT`, `${table} is ${says}`),
];

/** How PostgreSQL spells what `migration.ts` leaves open. */
export const postgresDialect: Dialect = {
  serial: "BIGINT PRIMARY KEY",
  integer: "BIGINT",
  strict: "",
  // By code point, as SQLite compares: a server's own collation would sort and compare otherwise.
  spell: (statement) => statement.replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"'),
  appendOnly: (table) => [
    trigger(`${table}_no_update`, `UPDATE ON ${table} FOR EACH ROW`, `${table} is append-only`),
    ...never(table, "append-only"),
  ],
  neverDeleted: (table) => never(table, "never deleted"),
  refuseUpdate: (table, rule, condition, columns) => [
    trigger(
      `${table}_${rule}`,
      `UPDATE ${columns === undefined ? "" : `OF ${columns.join(", ")} `}ON ${table} FOR EACH ROW WHEN (${condition})`,
      `${table}: ${rule}`,
    ),
  ],
};
