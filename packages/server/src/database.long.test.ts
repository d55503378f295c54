import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPostgres, type PostgresServer } from "../../../test/postgres.kit.ts";
import { moveBooks } from "./database.ts";
import { buildWorld, clientOf, countPlan, temporaryFolder } from "./house.kit.ts";
import { openHouse } from "./house.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await openPostgres({ settings: { fsync: "on" } });
});
afterAll(() => server.close());

test("books move from SQLite to PostgreSQL once; two servers then share them", { timeout: 120_000 }, async () => {
  const place = await temporaryFolder();
  const folder = join(place.folder, "one");
  const old = await openHouse({ folder });
  const world = await buildWorld(old);
  const asked = { plan: countPlan(), dataset: world.dataset, account: world.memberAccount };
  const first = await world.as.member.releaseAndWait(asked, { idempotencyKey: "k1" });
  const before = await old.books.audit.verify();
  await expect(moveBooks(folder, server.url)).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
  await old.close();

  await expect(openHouse({ folder, database: server.url })).rejects.toMatchObject({ code: "CONFLICT" });
  const { verification } = await moveBooks(folder, server.url);
  expect(verification).toMatchObject({ ok: true, head: before.head });
  await expect(openHouse({ folder })).rejects.toThrow("set DATABASE_URL");
  await expect(moveBooks(folder, server.url)).rejects.toMatchObject({ code: "NOT_FOUND" });

  const uploads = join(folder, "files");
  const houses = await Promise.all([
    openHouse({ folder, database: server.url, uploads }),
    openHouse({ folder: join(place.folder, "two"), database: server.url, uploads }),
  ]);
  const [here, there] = houses.map((house) => clientOf(house, world.tokens.member));
  if (here === undefined || there === undefined) throw new Error("two servers");
  expect(await there.releaseAndWait(asked, { idempotencyKey: "k1" })).toEqual(first);
  const both = await Promise.all([here, there].map((client) => client.releaseAndWait(asked, { idempotencyKey: "k2" })));
  expect(both[0]).toEqual(both[1]);
  const balance = await here.showAccount({ account: world.memberAccount });
  expect(balance.balance.epsilon.spent).toBe("0.2");
  const [one] = houses;
  expect((await one?.books.audit.verify())?.problems).toEqual([]);
  for (const house of houses) await house.close();
  await place.remove();
});
