import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client } from "@dosimeter/client";
import { copyStore } from "@dosimeter/ledger/copy";
import { postgresStore } from "@dosimeter/ledger/postgres";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { buildFixture, clientOf, countPlan, ORIGIN } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { moveLedgerDatabase } from "./database.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await openPostgres({ settings: { fsync: "on" } });
});
afterAll(() => server.close());

test("a ledger database moves from SQLite to PostgreSQL once; two servers then share it", async () => {
  const place = temporaryFolder();
  const folder = join(place, "one");
  const old = await openInstance({ folder });
  const fixture = await buildFixture(old);
  const asked = { plan: countPlan(), dataset: fixture.dataset, account: fixture.memberAccount };
  const first = await fixture.as.member.releaseAndWait(asked, { idempotencyKey: "k1" });
  const before = await old.database.audit.verify();
  await expect(moveLedgerDatabase(folder, server.url)).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
  await old.close();

  await expect(openInstance({ folder, database: server.url })).rejects.toMatchObject({ code: "CONFLICT" });
  // Killed after the copy, before the old file was retired: the next one verifies what is there, and finishes.
  const [from, to] = [await sqliteStore(join(folder, "ledger.sqlite")), await postgresStore(server.url)];
  await copyStore(from, to);
  // A server that was started in between wrote what no audit line tells.
  await from.transact(({ db }) => db.insertInto("rate").values({ id: "between", full_at: 0n }).execute());
  await expect(moveLedgerDatabase(folder, server.url)).rejects.toThrow("used after it was copied");
  await from.transact(({ db }) => db.deleteFrom("rate").where("id", "=", "between").execute());
  for (const store of [from, to]) await store.close();
  expect(await moveLedgerDatabase(folder, server.url)).toEqual({ tables: [], head: before.head });
  // Killed before the very last step.
  const [file, retired, note] = ["ledger.sqlite", "ledger.moved.sqlite", "ledger.moved.json"].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  const noted = await readFile(note, "utf8");
  await rename(retired, file);
  await expect(moveLedgerDatabase(folder, `${server.url}x`)).rejects.toThrow();
  expect(existsSync(file), "a move that failed retires nothing").toBe(true);
  await writeFile(note, noted.replace('"target":"', '"target":"elsewhere.'));
  await expect(moveLedgerDatabase(folder, server.url)).rejects.toThrow("copied to elsewhere.");
  await writeFile(note, noted.replace(before.head, "0".repeat(64)));
  await expect(moveLedgerDatabase(folder, server.url)).rejects.toMatchObject({
    code: "CONFLICT",
    details: { name: "head" },
  });
  expect(existsSync(file)).toBe(true);
  await writeFile(note, noted);
  expect(await moveLedgerDatabase(folder, server.url)).toEqual({ tables: [], head: before.head });
  await expect(openInstance({ folder })).rejects.toThrow("set DATABASE_URL");
  await expect(moveLedgerDatabase(folder, server.url)).rejects.toMatchObject({ code: "NOT_FOUND" });

  const uploads = join(folder, "files");
  const instances = await Promise.all([
    openInstance({ folder, database: server.url, uploads }),
    openInstance({ folder: join(place, "two"), database: server.url, uploads }),
  ]);
  const [one, two] = instances;
  const [here, there] = [one, two].map((instance) => clientOf(instance, fixture.tokens.member)) as [Client, Client];
  expect(await there.releaseAndWait(asked, { idempotencyKey: "k1" })).toEqual(first);
  const both = await Promise.all([here, there].map((client) => client.releaseAndWait(asked, { idempotencyKey: "k2" })));
  expect(both[0]).toEqual(both[1]);
  const balance = await here.showAccount({ account: fixture.memberAccount });
  expect(balance.balance.epsilon.spent).toBe("0.2");
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${fixture.tokens.member}` };
    const answer = await one.fetch(new Request(`${ORIGIN}${path}`, { headers }));
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  await server.kill();
  expect(await get("/v1/health")).toEqual([200, undefined]);
  for (const path of ["/v1/ready", "/v1/datasets"]) expect(await get(path)).toEqual([503, "NOT_READY"]);
  const waiting = there.releaseAndWait(asked, { idempotencyKey: "k3" });
  await expect(waiting).rejects.toMatchObject({ code: "NOT_READY" });
  await server.start();
  await expect.poll(() => get("/v1/ready")).toEqual([200, undefined]);
  await there.releaseAndWait(asked, { idempotencyKey: "k3" });
  expect((await here.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent).toBe("0.3");

  expect((await one.database.audit.verify()).problems).toEqual([]);
  for (const instance of instances) await instance.close();
});

test("the code that one of several servers printed makes the first admin at any of them, once and for a day", async () => {
  const place = temporaryFolder();
  await server.query("CREATE DATABASE fresh");
  const database = server.address({ database: "fresh" });
  const open = (name: string) => openInstance({ folder: join(place, name), database });
  const instances = [await open("one"), await open("two"), await open("three")] as const;
  const codes = await Promise.all(instances.map((one) => one.firstAdminCode()));
  const [first, second, third] = codes.map((code) => code ?? "");
  const at = (index: 0 | 1 | 2, code = "", name = "Ada") =>
    clientOf(instances[index], "")
      .createFirstAdmin({ name, code })
      .then(
        ({ person }) => person.name,
        ({ code: why }) => why,
      );
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const ages =
    "UPDATE dosimeter.instance_secret SET created_at = '2020-01-01T00:00:00.000Z' WHERE name LIKE 'firstAdmin %' AND name LIKE $1";
  await client.query(ages, [
    `%${createHash("sha256")
      .update((third ?? "").replaceAll("-", ""))
      .digest("hex")}`,
  ]);
  await client.end();
  expect(await at(0, third), "of more than a day ago").toBe("UNAUTHENTICATED");
  expect(await at(0, "0000-0000-0000-0000")).toBe("UNAUTHENTICATED");
  expect(await at(1, first)).toBe("Ada");
  expect(await at(0, second, "Eve")).toBe("CONFLICT");
  for (const one of instances) {
    expect(await one.firstAdminCode()).toBeNull();
    await one.close();
  }
});
