import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openLedgerDatabase } from "../ledger-database.ts";
import { balancesOf, buildFixture, codeOf, pure } from "../testing/fixture.kit.ts";
import { copyStore, tableOrder } from "./copy.ts";
import { postgresServers } from "./postgres/postgres.kit.ts";
import { sqliteStore } from "./sqlite/sqlite.ts";

const folder = temporaryFolder();
const servers = postgresServers();

test("every table of the database is copied", async () => {
  const store = await sqliteStore(join(folder, "tables.sqlite"));
  const { rows } = await sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(store.read);
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...tableOrder, "migration"].toSorted());
  await store.close();
});

test("a ledger database that moves to PostgreSQL has the same head, the same balances, and verifies; keys stay charged", async () => {
  const from = await sqliteStore(join(folder, "moving.sqlite"));
  const fixture = await buildFixture(from);
  const charged = await fixture.charge("one", pure("0.25"));
  await fixture.charge("two", pure("0.125"), fixture.bobs);
  const before = await fixture.database.audit.verify();
  const balances = await balancesOf(fixture.database, fixture.adas.id);
  const to = await servers.open();
  await copyStore(from, to);
  await fixture.database.close();
  const database = await openLedgerDatabase(to);
  const after = await database.audit.verify();
  expect(after).toEqual(before);
  expect(await balancesOf(database, fixture.adas.id)).toEqual(balances);
  const again = await database.ledgers.charge({
    principal: fixture.ada.id,
    account: fixture.adas.id,
    dataset: fixture.dataset.id,
    key: "one",
    request: { plan: "one" },
    events: pure("0.25"),
    adjacency: "addRemove",
    lease: { owner: "test", seconds: 60 },
  });
  expect(again).toMatchObject({ repeated: true, charge: { id: charged.charge.id } });
  await database.close();
});

test("a target that holds anything is refused, and stays as it was", async () => {
  const from = await sqliteStore(join(folder, "source.sqlite"));
  const { database } = await buildFixture(from);
  const to = await servers.open();
  const other = await openLedgerDatabase(to);
  expect(await codeOf(copyStore(from, to))).toBe("CONFLICT");
  expect(await other.ledgers.ledgers()).toEqual([]);
  await database.close();
  await other.close();
});
