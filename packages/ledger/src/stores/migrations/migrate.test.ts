import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { openLedgerDatabase } from "../../ledger-database.ts";
import { buildFixture, by, eps, pure } from "../../testing/fixture.kit.ts";
import type { TeamId } from "../../values/id.ts";
import { sqliteStore } from "../sqlite/sqlite.ts";
import { migrations } from "./migrate.ts";

const folder = mkdtempSync(join(tmpdir(), "ledger-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Every table, index and trigger as SQLite wrote it down. */
function schema(path: string): readonly unknown[] {
  const database = new DatabaseSync(path);
  try {
    return database.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  } finally {
    database.close();
  }
}

const fresh = join(folder, "fresh.sqlite");
await (await sqliteStore(fresh)).close();

test("migrations are numbered in rising order, each number once", () => {
  const versions = migrations.map(({ version }) => version);
  expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
});

test.each(migrations.map(({ version }) => version))(
  "a database of version %i becomes what a new one is, and works",
  async (version) => {
    const path = join(folder, `${version}.sqlite`);
    const older = await sqliteStore(path, { version });
    await older.transact(({ db }) =>
      db
        .insertInto("team")
        .values({ id: "tem_old" as TeamId, name: "older than the schema", created_at: older.now(), closed_at: null })
        .execute(),
    );
    expect(await older.read.selectFrom("migration").selectAll().execute()).toHaveLength(
      migrations.filter((each) => each.version <= version).length,
    );
    await older.close();

    const store = await sqliteStore(path);
    const fixture = await buildFixture(store);
    await fixture.charge("k", pure("0.1"));
    expect((await fixture.database.people.team("tem_old")).name).toBe("older than the schema");
    await fixture.database.close();
    expect(schema(path)).toEqual(schema(fresh));
  },
);

test("what was given to an agent, and who was erased, is known after version 28 as before", async () => {
  const path = join(folder, "sums.sqlite");
  const { database, ada, adas, team } = await buildFixture(await sqliteStore(path), { quota: "4", share: "1.5" });
  const { agents, ledgers, people } = database;
  const agent = await people.createPrincipal({ kind: "agent", name: "helper", onBehalfOf: ada.id, by });
  await people.addMember({ team: team.id, principal: agent.id, by });
  const holder = { kind: "principal", id: agent.id } as const;
  const { ledger, parent } = adas;
  const account = await ledgers.openAccount({ ledger, parent, holder, epsilon: eps("1"), by });
  const move = (from: typeof adas, to: typeof adas, epsilon: string) =>
    agents.moveShare({ agent: agent.id, from: from.id, to: to.id, epsilon: eps(epsilon), by: ada.id });
  await move(adas, account, "0.5");
  await move(account, adas, "0.125");
  const [gone, called] = await Promise.all(
    ["Gone", "Erased"].map((name) => people.createPrincipal({ kind: "user", name, by })),
  );
  for (const { id } of [gone, called].flatMap((one) => one ?? [])) await people.disablePrincipal({ principal: id, by });
  await people.erasePrincipal({ principal: gone?.id ?? ada.id, by });
  const known = async (from: typeof database) => [
    await from.agents.sharesOf({ agent: agent.id, person: ada.id }),
    await from.people.erasable({ until: "3000" }),
  ];
  const before = await known(database);
  expect(before).toMatchObject([[{ given: { epsilon: eps("0.375") } }], [called?.id]]);
  await database.close();
  const raw = new DatabaseSync(path);
  raw.exec("DROP TABLE erased_person; DROP TABLE given_quota; DELETE FROM migration WHERE version = 28");
  raw.close();
  const again = await openLedgerDatabase(await sqliteStore(path));
  expect(await known(again)).toEqual(before);
  await again.close();
});

test("a database of a newer Dosimeter is left alone", async () => {
  const path = join(folder, "newer.sqlite");
  const store = await sqliteStore(path);
  await store.transact(({ db }) =>
    db.insertInto("migration").values({ version: 99n, name: "future", at: store.now() }).execute(),
  );
  await store.close();
  await expect(sqliteStore(path)).rejects.toMatchObject({ code: "CONFLICT" });
});
