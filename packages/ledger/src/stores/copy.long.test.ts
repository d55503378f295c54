import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, expect, test } from "vitest";
import { openLedgerDatabase } from "../ledger-database.ts";
import { buildTown, codeOf, pure } from "../testing/fixture.kit.ts";
import { copyStore, tableOrder } from "./copy.ts";
import { postgresHouse } from "./postgres/postgres.kit.ts";
import { sqliteStore } from "./sqlite/sqlite.ts";

const folder = mkdtempSync(join(tmpdir(), "copy-"));
afterAll(() => rmSync(folder, { recursive: true }));
const house = postgresHouse();

test("every table of the database is copied", async () => {
  const store = await sqliteStore(join(folder, "tables.sqlite"));
  const { rows } = await sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`.execute(store.read);
  expect(rows.map(({ name }) => name).toSorted()).toEqual([...tableOrder, "migration"].toSorted());
  await store.close();
});

test("books that move to PostgreSQL have the same head, the same balances, and verify; keys stay charged", async () => {
  const from = await sqliteStore(join(folder, "moving.sqlite"));
  const town = await buildTown(from);
  const charged = await town.charge("one", pure("0.25"));
  await town.charge("two", pure("0.125"), town.bobs);
  const before = await town.books.audit.verify();
  const balances = await town.books.ledgers.balances(town.adas.id);
  const to = await house.open();
  await copyStore(from, to);
  await town.books.close();
  const books = await openLedgerDatabase(to);
  const after = await books.audit.verify();
  expect(after).toEqual(before);
  expect(await books.ledgers.balances(town.adas.id)).toEqual(balances);
  const again = await books.ledgers.charge({
    principal: town.ada.id,
    account: town.adas.id,
    dataset: town.dataset.id,
    key: "one",
    request: { plan: "one" },
    events: pure("0.25"),
    adjacency: "addRemove",
    lease: { owner: "test", seconds: 60 },
  });
  expect(again).toMatchObject({ repeated: true, charge: { id: charged.charge.id } });
  await books.close();
});

test("a target that holds anything is refused, and stays as it was", async () => {
  const from = await sqliteStore(join(folder, "source.sqlite"));
  const { books } = await buildTown(from);
  const to = await house.open();
  const other = await openLedgerDatabase(to);
  expect(await codeOf(copyStore(from, to))).toBe("CONFLICT");
  expect(await other.ledgers.ledgers()).toEqual([]);
  await books.close();
  await other.close();
});
