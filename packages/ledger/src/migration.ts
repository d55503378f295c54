import { PrivacyError } from "@dosimeter/core";
import { sql } from "kysely";
import { people } from "./migrations/0001-people.ts";
import { catalog } from "./migrations/0002-catalog.ts";
import { ledger } from "./migrations/0003-ledger.ts";
import { release } from "./migrations/0004-release.ts";
import { request } from "./migrations/0005-request.ts";
import { organisation } from "./migrations/0006-organisation.ts";
import { reuse } from "./migrations/0007-reuse.ts";
import { claim } from "./migrations/0008-claim.ts";
import { house } from "./migrations/0009-house.ts";
import { rules } from "./migrations/0010-rules.ts";
import type { Store } from "./store.ts";

/** The few places where databases differ in how a table is made. */
export interface Dialect {
  /** A column that numbers rows 1, 2, 3 …; the ledger always gives the number itself. */
  readonly serial: string;
  /** At least 64 bits, signed. */
  readonly integer: string;
  /** What stands behind a table's closing parenthesis. */
  readonly strict: string;
  /** A statement, as this database wants it spelled. */
  spell(statement: string): string;
  appendOnly(table: string): readonly string[];
  neverDeleted(table: string): readonly string[];
  /** Refuses an UPDATE of a row, or of `columns`, when `condition`, over OLD and NEW, is true. */
  refuseUpdate(table: string, rule: string, condition: string, columns?: readonly string[]): readonly string[];
  /** Has everything that a table refuses of its rows checked in one step; absent where that is no faster. */
  gatherRules?(table: string): string;
}

export interface Migration {
  readonly version: number;
  readonly name: string;
  statements(dialect: Dialect): readonly string[];
}

/** In order, without gaps; one that was shipped is never edited. */
export const migrations: readonly Migration[] = [
  people,
  catalog,
  ledger,
  release,
  request,
  organisation,
  reuse,
  claim,
  house,
  rules,
];

/** Brings an older database up to `version` (the newest); each migration is one transaction. A newer database is refused. */
export async function migrate(store: Store, dialect: Dialect, version = migrations.length): Promise<void> {
  await store.transact(async ({ db }) => {
    await sql
      .raw(
        dialect.spell(
          `CREATE TABLE IF NOT EXISTS migration (version ${dialect.integer} PRIMARY KEY, name TEXT NOT NULL, at TEXT NOT NULL) ${dialect.strict}`,
        ),
      )
      .execute(db);
  });
  for (const migration of migrations.slice(0, version)) {
    await store.transact(async ({ db }) => {
      const applied = await db
        .selectFrom("migration")
        .select("name")
        .where("version", "=", BigInt(migration.version))
        .executeTakeFirst();
      if (applied !== undefined) return;
      for (const statement of migration.statements(dialect)) await sql.raw(dialect.spell(statement)).execute(db);
      await db
        .insertInto("migration")
        .values({ version: BigInt(migration.version), name: migration.name, at: store.now() })
        .execute();
    });
  }
  const newest = await store.read
    .selectFrom("migration")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirst();
  if (Number(newest?.version ?? 0) > migrations.length) {
    throw new PrivacyError("CONFLICT", {
      name: "schema version",
      got: Number(newest?.version),
      want: `at most ${migrations.length}; use a newer Dosimeter`,
    });
  }
}
