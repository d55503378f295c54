import type { Dialect } from "../migrations/migration.ts";

/** The function of every trigger that refuses a change; its argument is the message. */
export const refuseFunction = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$`;

const trigger = (name: string, when: string, says: string): string =>
  `CREATE TRIGGER ${name} BEFORE ${when} EXECUTE FUNCTION refuse('${says.replaceAll("'", "''")}')`;

const never = (table: string, says: string): readonly string[] => [
  trigger(`${table}_no_delete`, `DELETE ON ${table} FOR EACH ROW`, `${table} is ${says}`),
  trigger(`${table}_no_truncate`, `TRUNCATE ON ${table} FOR EACH STATEMENT`, `${table} is ${says}`),
];

/**
 * One trigger that replaces a table's CHECKs and its update refusals, with the same conditions and names,
 * read from the server's own catalogue. The server reads the text of each of them again for every statement, which costs it
 * more than the statement; a function is read once.
 */
const gather = (table: string): string => `DO $do$
  DECLARE
    variables text; holds text; checks text; refusals text; name text;
  BEGIN
    SELECT string_agg(format('%I %s := NEW.%I;', attname, format_type(atttypid, atttypmod), attname), ' ') INTO variables
      FROM pg_attribute WHERE attrelid = '${table}'::regclass AND attnum IN
        (SELECT unnest(conkey) FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c');
    SELECT string_agg(format('(%s)', pg_get_expr(conbin, conrelid)), ' AND '),
        string_agg(format('IF NOT (%s) THEN RAISE check_violation USING MESSAGE = %L, CONSTRAINT = %L; END IF;',
          pg_get_expr(conbin, conrelid), format('%s: check constraint "%s"', '${table}', conname), conname), ' ' ORDER BY conname)
      INTO holds, checks FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c';
    SELECT string_agg(format('IF %s THEN RAISE EXCEPTION %L; END IF;',
          substring(pg_get_triggerdef(oid) FROM ' WHEN (.*) EXECUTE FUNCTION '),
          convert_from(substring(tgargs FROM 1 FOR length(tgargs) - 1), 'UTF8')), ' ' ORDER BY tgname)
      INTO refusals FROM pg_trigger WHERE tgrelid = '${table}'::regclass AND tgqual IS NOT NULL AND tgattr::text = '';
    FOR name IN SELECT tgname FROM pg_trigger
      WHERE tgrelid = '${table}'::regclass AND tgqual IS NOT NULL AND tgattr::text = ''
    LOOP EXECUTE format('DROP TRIGGER %I ON ${table}', name); END LOOP;
    FOR name IN SELECT conname FROM pg_constraint WHERE conrelid = '${table}'::regclass AND contype = 'c'
    LOOP EXECUTE format('ALTER TABLE ${table} DROP CONSTRAINT %I', name); END LOOP;
    EXECUTE format('CREATE FUNCTION ${table}_rules() RETURNS trigger LANGUAGE plpgsql AS %L', format(
      'DECLARE %s BEGIN IF (%s) IS FALSE THEN %s END IF; IF TG_OP = ''UPDATE'' THEN %s END IF; RETURN NEW; END',
      variables, holds, checks, coalesce(refusals, 'NULL;')));
    CREATE TRIGGER ${table}_rules BEFORE INSERT OR UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_rules();
  END $do$`;

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
  gatherRules: gather,
};
