import { expect, test } from "vitest";
import { openPostgres } from "../../../../../test/postgres.kit.ts";
import { buildFixture, codeOf, pure } from "../../testing/fixture.kit.ts";
import { storeKit } from "../store.kit.ts";
import { postgresServers } from "./postgres.kit.ts";
import { postgresStore } from "./postgres.ts";

const servers = postgresServers();

storeKit("postgres", () => servers.open());

test("a server that never syncs is refused", async () => {
  const careless = await openPostgres({ settings: { fsync: "off" } });
  try {
    const refused = postgresStore(careless.url);
    await expect(refused).rejects.toMatchObject({ code: "INVALID_PARAMETER", details: { name: "fsync" } });
  } finally {
    await careless.close();
  }
});

test("a server that dies under a transaction loses nothing that was said, and the store goes on when it is back", async () => {
  const server = servers.server();
  const { database, charge } = await buildFixture(await servers.open());
  const before = await charge("before", pure("0.1"));
  await server.kill();
  expect(await codeOf(charge("during", pure("0.1")))).not.toBe("done");
  await server.start();
  expect((await charge("before", pure("0.1"))).charge.id).toBe(before.charge.id);
  expect((await charge("during", pure("0.1"))).repeated).toBe(false);
  expect((await database.audit.verify()).problems).toEqual([]);
  await database.close();
});
