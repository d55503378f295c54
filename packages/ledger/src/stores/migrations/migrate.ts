import { PrivacyError } from "@dosimeter/core";
import { sql } from "kysely";
import { connectionErrorCode, isDamaged } from "../connection-error.ts";
import type { Store } from "../store.ts";
import { schema } from "./0001-schema.ts";
import type { Dialect, Migration } from "./migration.ts";

/** In order of their numbers; one that was shipped is never edited. */
export const migrations: readonly Migration[] = [schema];

/** So begins the name of a step that only adds tables, of which an older version needs nothing: it can use the database too. */
const EXPANDS = "expand: ";
const expands = ({ name }: Pick<Migration, "name">): boolean => name.startsWith(EXPANDS);

const newestOf = (steps: readonly Migration[]): number => steps.at(-1)?.version ?? 0;

/** The version of a database that has them all. */
export const SCHEMA_VERSION = newestOf(migrations);

/**
 * Brings an older database up to the newest of `steps`; each is one transaction. CONFLICT for a newer database, and for an older one that a
 * server of the older version uses: it would go on writing tables that it does not know. Neither where what differs only expands, as one
 * version does so that the next, which no older server may join, can contract.
 */
export async function migrate(store: Store, dialect: Dialect, steps = migrations): Promise<void> {
  const newest = newestOf(steps);
  await store.transact(async ({ db }) => {
    await sql
      .raw(
        dialect.spell(
          `CREATE TABLE IF NOT EXISTS migration (version ${dialect.integer} PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL) ${dialect.strict}`,
        ),
      )
      .execute(db);
  });
  const before = await versionOf(store);
  const isOnlyMore = steps.every((step) => step.version <= before || expands(step));
  if (0 < before && before < newest && !isOnlyMore && (await store.isVouched()))
    throw new PrivacyError(
      "CONFLICT",
      { name: "schema version", got: before, want: `version ${newest}` },
      "a server of an older version uses this database: stop all of its servers, then start one of this version",
    );
  for (const migration of steps) {
    await store.transact(async ({ db }) => {
      const applied = await db
        .selectFrom("migration")
        .select("name")
        .where("version", "=", BigInt(migration.version))
        .executeTakeFirst();
      if (applied !== undefined) return;
      for (const statement of statementsOf(migration, dialect)) await sql.raw(dialect.spell(statement)).execute(db);
      await db
        .insertInto("migration")
        .values({ version: BigInt(migration.version), name: migration.name, at: store.now() })
        .execute();
    });
  }
  // Read last: a newer server may have come in between.
  const later = await store.read
    .selectFrom("migration")
    .select(["version", "name"])
    .where("version", ">", BigInt(newest))
    .execute();
  if (!later.every(expands)) throw otherVersion(await versionOf(store), "at most", newest);
}

/** A step that expands touches no table but those that it makes. */
function statementsOf(migration: Migration, dialect: Dialect): readonly string[] {
  const statements = migration.statements(dialect);
  if (!expands(migration)) return statements;
  const made = statements.flatMap((one) => /^CREATE TABLE (\w+)/.exec(one)?.[1] ?? []);
  for (const one of statements) {
    const table =
      /^(?:CREATE TABLE|INSERT INTO|CREATE (?:UNIQUE )?INDEX \w+ ON|CREATE (?:OR REPLACE )?TRIGGER [^;]*? ON) (\w+)/.exec(
        one,
      )?.[1];
    if (table === undefined || !made.includes(table))
      throw new Error(`${migration.name} does more than expand: ${one}`);
  }
  return statements;
}

/** CONFLICT unless the database is of this program's version: for readers, who bring nothing up to date. */
export async function refuseOtherVersion(store: Store): Promise<void> {
  const version = await versionOf(store).catch((error: unknown) => {
    if (isDamaged(error) || connectionErrorCode(error) !== null) throw error;
    return 0; // it has no tables
  });
  if (version !== SCHEMA_VERSION) throw otherVersion(version, "exactly", SCHEMA_VERSION);
}

async function versionOf({ read }: Store): Promise<number> {
  const newest = await read
    .selectFrom("migration")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirst();
  return Number(newest?.version ?? 0);
}

const otherVersion = (got: number, want: "at most" | "exactly", newest: number): PrivacyError => {
  const help = got > newest ? "use a newer Dosimeter" : "start the server once, which brings it up to date";
  return new PrivacyError("CONFLICT", { name: "schema version", got, want: `${want} ${newest}; ${help}` });
};
