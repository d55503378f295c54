import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/folder.kit.ts";
import { buildFixture, codeOf, pure, soon } from "../../testing/fixture.kit.ts";
import type { TeamId } from "../../values/id.ts";
import { connectionErrorCode } from "../connection-error.ts";
import { storeKit } from "../store.kit.ts";
import { sqliteStore } from "./sqlite.ts";

const folder = temporaryFolder();

let files = 0;
const path = () => join(folder, `${files++}.sqlite`);

const empty = path();
await (await sqliteStore(empty)).close();

// To make the tables again took a third of the time of each test.
storeKit("sqlite", () => {
  const copy = path();
  copyFileSync(empty, copy);
  return sqliteStore(copy);
});

test.each(["normal", "off", "0", "OFF; PRAGMA user_version = 7"])(
  "synchronous = %s is refused",
  async (synchronous) => {
    await expect(sqliteStore(path(), { synchronous })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  },
);

test("a program that fetched more tokens than a query holds values is ended all the same", async () => {
  const { database, ada, store } = await buildFixture(await sqliteStore(path()));
  const [by, expiresAt] = [ada.id, soon()];
  const code = await database.people.createCode({ principal: by, name: "busy", bound: "it", expiresAt, by });
  const { refresh } = await database.people.useCode({ secret: code.secret, bound: "it", program: "it" });
  const more = sql`SELECT 'more_' || value FROM json_each(${JSON.stringify(
    Array(33_000)
      .fill(0)
      .map((_, at) => at),
  )})`;
  await store.transact(async ({ db }) => {
    const all = sql`WITH more (id) AS (${more})`;
    await sql`INSERT INTO credential ${all} SELECT id, 'token', ${by}, 'busy', printf('%064s', id), '[]', ${expiresAt}, ${expiresAt}, ${expiresAt} FROM more`.execute(
      db,
    );
    await sql`INSERT INTO credential_maker ${all} SELECT id, ${code.credential.id} FROM more`.execute(db);
  });
  await database.people.endCredential({ credential: code.credential.id, by });
  expect(await codeOf(database.people.useRefresh({ secret: refresh.secret, program: "it", next: "next" }))).toBe(
    "UNAUTHENTICATED",
  );
  const left = await store.read.selectFrom("credential").select("id").where("ended_at", "is", null).execute();
  expect(left).toEqual([]);
  await database.close();
});

test("synchronous = extra is taken", async () => {
  await (await sqliteStore(path(), { synchronous: "extra" })).close();
});

test("a database in memory is refused: nothing in it survives", async () => {
  await expect(sqliteStore(":memory:")).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
});

test("a number is skipped when another process wrote, and by nothing that only read", async () => {
  const file = path();
  const [one, other] = [await sqliteStore(file), await sqliteStore(file)];
  const number = () => one.transact(async ({ serial }) => serial);
  const first = await number();
  await other.read.selectFrom("audit").selectAll().execute();
  expect(await number()).toBe(first + 1n);
  const team = { id: "tem_1" as TeamId, name: "t", created_at: one.now(), closed_at: null };
  await other.transact(({ db }) => db.insertInto("team").values(team).execute());
  expect(await number()).toBe(first + 3n);
  expect(await number()).toBe(first + 4n);
  await one.close();
  await other.close();
});

test("a full disk refuses what does not fit, as something to be tried again, and takes it when there is room", async () => {
  const store = await sqliteStore(path());
  const { database, charge } = await buildFixture(store);
  const pages = (most: string) => store.transact(({ db }) => sql.raw(`PRAGMA max_page_count = ${most}`).execute(db));
  await pages("1");
  const refused: string[] = [];
  for (let n = 0; n < 100 && refused.length < 2; n += 1)
    await charge(`k${n}`, pure("0.001")).catch((error: unknown) => {
      expect(connectionErrorCode(error), String(error)).toBe("SQLITE 13");
      refused.push(`k${n}`);
    });
  expect(refused).toHaveLength(2);
  await pages("1000000");
  for (const key of refused) expect((await charge(key, pure("0.001"))).repeated).toBe(false);
  expect(await database.audit.verify()).toMatchObject({ problems: [] });
  await database.close();
});
