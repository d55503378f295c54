import { join } from "node:path";
import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { buildFixture, codeOf, pure, reopenFixture } from "../../testing/fixture.kit.ts";
import { postgresServers } from "../postgres/postgres.kit.ts";
import { sqliteStore } from "../sqlite/sqlite.ts";
import { migrations, refuseOtherVersion, SCHEMA_VERSION } from "./migrate.ts";
import type { Migration } from "./migration.ts";

const folder = temporaryFolder();
const servers = postgresServers();
let files = 0;

/** On each kind of database a new place, which opens again and again with the migrations of some version. */
const places = {
  sqlite: () => {
    const path = join(folder, `${files++}.sqlite`);
    return (steps?: readonly Migration[]) => sqliteStore(path, steps === undefined ? {} : { migrations: steps });
  },
  postgres: () => {
    const schema = servers.schema();
    return (steps?: readonly Migration[]) => servers.open({ schema, ...present({ migrations: steps }) });
  },
};

/** What a version after this one would bring: a table, filled from what is there. */
const next: Migration = {
  version: SCHEMA_VERSION + 1,
  name: "next",
  statements: ({ integer, strict, appendOnly }) => [
    `CREATE TABLE team_number (team_id TEXT PRIMARY KEY REFERENCES team (id), number ${integer} NOT NULL) ${strict}`,
    "INSERT INTO team_number (team_id, number) SELECT id, 7 FROM team",
    ...appendOnly("team_number"),
  ],
};
const newer = [...migrations, next];

test("migrations are numbered in rising order, each number once", () => {
  const versions = migrations.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
});

describe.each(Object.entries(places))("on %s", (_, place) => {
  test("a database of this version is brought up to the next one once, with its rows, and works", async () => {
    const open = place();
    const older = await buildFixture(await open());
    await older.charge("before", pure("0.1"));
    await older.database.close();

    for (const round of [1, 2]) {
      const store = await open(newer);
      expect(await store.transact((tx) => tx.all("SELECT team_id, number FROM team_number", []))).toEqual([
        { team_id: older.team.id, number: 7n },
      ]);
      expect(await store.read.selectFrom("migration").select(["version", "name"]).orderBy("version").execute()).toEqual(
        newer.map(({ version, name }) => ({ version: BigInt(version), name })),
      );
      if (round === 1) {
        const again = await reopenFixture(store, older);
        await again.charge("after", pure("0.1"));
        expect((await again.database.audit.verify()).problems).toEqual([]);
      }
      await store.close();
    }
  });

  test("a migration that fails leaves what was there, and can be tried again", async () => {
    const open = place();
    const fails = {
      ...next,
      statements: (dialect: Parameters<Migration["statements"]>[0]) => [...next.statements(dialect), "no SQL"],
    };
    await (await open()).close();
    await expect(open([...migrations, fails])).rejects.toThrow();
    const store = await open();
    await expect(store.transact((tx) => tx.all("SELECT team_id FROM team_number", []))).rejects.toThrow();
    await store.close();
    await (await open(newer)).close();
  });

  test("one that only expands is used by the version before too, and is not believed where it does more", async () => {
    const open = place();
    const expanded = [...migrations, { ...next, name: "expand: team number" }];
    const fixture = await buildFixture(await open(expanded));
    await fixture.database.close();
    const older = await reopenFixture(await open(), fixture);
    await older.charge("older", pure("0.1"));
    await older.database.close();
    const newer = await reopenFixture(await open(expanded), fixture);
    await newer.charge("newer", pure("0.1"));
    expect((await newer.database.audit.verify()).problems).toEqual([]);
    await newer.database.close();
    const contract = { version: next.version + 1, name: "contract", statements: () => ["DROP TABLE team_number"] };
    await (await open([...expanded, contract])).close();
    expect(await codeOf(open())).toBe("CONFLICT");

    const other = place();
    const more = { ...next, name: "expand: more", statements: () => ["ALTER TABLE team ADD COLUMN number TEXT"] };
    await expect(other([...migrations, more])).rejects.toThrow("does more than expand");
    await (await other()).close();
  });

  test("a database of a newer version is left alone, also by readers", async () => {
    const open = place();
    await (await open(newer)).close();
    expect(await codeOf(open())).toBe("CONFLICT");
    const store = await open(newer);
    expect(await codeOf(refuseOtherVersion(store))).toBe("CONFLICT");
    await store.close();
  });
});
