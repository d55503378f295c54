import { PrivacyError } from "@dosimeter/core";
import { sql } from "kysely";
import { connectionErrorCode, isDamaged } from "../connection-error.ts";
import type { Store } from "../store.ts";
import { people } from "./0001-people.ts";
import { catalog } from "./0002-catalog.ts";
import { ledger } from "./0003-ledger.ts";
import { release } from "./0004-release.ts";
import { request } from "./0005-request.ts";
import { organisation } from "./0006-organisation.ts";
import { reuse } from "./0007-reuse.ts";
import { claim } from "./0008-claim.ts";
import { instance } from "./0009-instance.ts";
import { rules } from "./0010-rules.ts";
import { reportThreshold } from "./0011-report-threshold.ts";
import { credentialMaker } from "./0012-credential-maker.ts";
import { releaseLabel } from "./0013-release-label.ts";
import { listing } from "./0014-listing.ts";
import { teamPolicy } from "./0015-team-policy.ts";
import { planDraft } from "./0016-plan-draft.ts";
import { instanceSecret } from "./0018-instance-secret.ts";
import { agent } from "./0021-agent.ts";
import { secondFactor } from "./0022-second-factor.ts";
import { block } from "./0023-block.ts";
import { provisioning } from "./0024-provisioning.ts";
import { schedule } from "./0025-schedule.ts";
import { erasure } from "./0027-erasure.ts";
import { sums } from "./0028-sums.ts";
import { connection } from "./0029-connection.ts";
import { discardedUpload } from "./0030-discarded-upload.ts";
import type { Dialect, Migration } from "./migration.ts";

/** In order of their numbers, of which some were never used; one that was shipped is never edited. */
export const migrations: readonly Migration[] = [
  people,
  catalog,
  ledger,
  release,
  request,
  organisation,
  reuse,
  claim,
  instance,
  rules,
  reportThreshold,
  credentialMaker,
  releaseLabel,
  listing,
  teamPolicy,
  planDraft,
  instanceSecret,
  agent,
  secondFactor,
  block,
  provisioning,
  schedule,
  erasure,
  sums,
  connection,
  discardedUpload,
];

/** The version of a database that has them all. */
export const SCHEMA_VERSION = migrations.at(-1)?.version ?? 0;

/**
 * Brings an older database up to `version` (the newest); each migration is one transaction. CONFLICT for a newer database, and for an older one
 * that a server of the older version uses: it would go on writing tables that it does not know.
 */
export async function migrate(store: Store, dialect: Dialect, version = SCHEMA_VERSION): Promise<void> {
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
  if (0 < before && before < version && (await store.isVouched()))
    throw new PrivacyError(
      "CONFLICT",
      { name: "schema version", got: before, want: `version ${version}` },
      "a server of an older version uses this database: stop all of its servers, then start one of this version",
    );
  for (const migration of migrations.filter((each) => each.version <= version)) {
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
  if ((await versionOf(store)) > SCHEMA_VERSION) throw otherVersion(await versionOf(store), "at most");
}

/** CONFLICT unless the database is of this program's version: for readers, who bring nothing up to date. */
export async function refuseOtherVersion(store: Store): Promise<void> {
  const version = await versionOf(store).catch((error: unknown) => {
    if (isDamaged(error) || connectionErrorCode(error) !== null) throw error;
    return 0; // it has no tables
  });
  if (version !== SCHEMA_VERSION) throw otherVersion(version, "exactly");
}

async function versionOf({ read }: Store): Promise<number> {
  const newest = await read
    .selectFrom("migration")
    .select(({ fn }) => fn.max("version").as("version"))
    .executeTakeFirst();
  return Number(newest?.version ?? 0);
}

const otherVersion = (got: number, most: string): PrivacyError => {
  const help = got > SCHEMA_VERSION ? "use a newer Dosimeter" : "start the server once, which brings it up to date";
  return new PrivacyError("CONFLICT", { name: "schema version", got, want: `${most} ${SCHEMA_VERSION}; ${help}` });
};
