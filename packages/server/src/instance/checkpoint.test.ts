import { copyFile, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { instanceOfTest } from "../fixture.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance, reopenByTwo } from "../instance.kit.ts";
import { createLog } from "../telemetry/log.ts";
import { openCheckpoint } from "./checkpoint.ts";

const place = temporaryFolder();
let fixture: Fixture;
const folder = () => join(place, "data");
const database = () => join(folder(), "ledger.sqlite");
const backup = () => join(place, "backup.sqlite");

beforeAll(async () => {
  const instance = await openTestInstance({ folder: folder() });
  fixture = await buildFixture(instance);
  await release("before", instance);
  await instance.close();
  await copyFile(database(), backup());
  const later = await openTestInstance({ folder: folder() });
  await release("after", later);
  await later.close();
});

const asked = (key: string) => ({ plan: countPlan(), dataset: fixture.dataset, account: fixture.memberAccount, key });

async function release(key: string, instance: Parameters<typeof clientOf>[0]) {
  const client = clientOf(instance, fixture.tokens.member);
  const { plan, dataset, account } = asked(key);
  return client.releaseAndWait({ plan, dataset, account }, { idempotencyKey: key });
}

test("a database that was restored from a backup opens frozen, says what is missing, and reopens only when it is written off", async () => {
  await copyFile(backup(), database());
  const instance = await openTestInstance({ folder: folder() });
  const admin = clientOf(instance, fixture.tokens.datasetAdmin);
  const { ledger } = fixture;
  expect((await admin.showLedger({ ledger })).status).toBe("frozen");
  await expect(release("again", instance)).rejects.toMatchObject({ code: "ACCOUNT_CLOSED" });
  const reopen = { ledger, delta: "0", reason: "restored on Monday" };
  await expect(admin.reopenLedger({ ...reopen, epsilon: "0.05" })).rejects.toThrow("at least (0.1, 0)");
  await expect(admin.reopenLedger({ ...reopen, epsilon: "50" })).rejects.toMatchObject({ code: "BUDGET_EXHAUSTED" });
  await expect(admin.setLedger({ ledger, status: "open" })).rejects.toMatchObject({ code: "CONFLICT" });
  expect((await admin.reopenLedger({ ...reopen, epsilon: "0.1" })).status, "a checkpoint is no proof").toBe("frozen");
  const opened = await reopenByTwo(instance, fixture, { ...reopen, epsilon: "0.1" });
  expect(opened.status).toBe("open");
  expect(opened.balance.epsilon.spent).toBe("0.2");
  await expect(admin.reopenLedger({ ...reopen, epsilon: "0.1" })).rejects.toMatchObject({ code: "CONFLICT" });
  await release("again", instance);
  expect((await instance.database.audit.verify()).problems).toEqual([]);
  await instance.close();
  const next = await openTestInstance({ folder: folder() });
  expect((await next.database.ledgers.ledger(ledger)).status).toBe("open");
  await next.close();
});

test("a ledger frozen by hand reopens with nothing written off", async () => {
  const instance = await instanceOfTest({ folder: folder() });
  const admin = clientOf(instance, fixture.tokens.datasetAdmin);
  const { ledger } = fixture;
  expect((await admin.freezeLedger({ ledger, reason: "an inspection" })).status).toBe("frozen");
  await expect(release("frozen", instance)).rejects.toMatchObject({ code: "ACCOUNT_CLOSED" });
  const reopened = await admin.reopenLedger({ ledger, epsilon: "0", delta: "0", reason: "all is well" });
  expect(reopened.balance.epsilon.spent).toBe("0.3");
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("a folder whose ledger database is gone gets no new one: it would forget what was spent", async () => {
  await rename(database(), `${database()}.away`);
  await expect(openTestInstance({ folder: folder() })).rejects.toMatchObject({ code: "CONFLICT" });
  await rename(`${database()}.away`, database());
  await (await openTestInstance({ folder: folder() })).close();
});

test("a checkpoint that cannot be read stops the start, and stays as it is", async () => {
  const path = join(folder(), "checkpoint.json");
  const kept = await readFile(path, "utf8");
  for (const text of ["{}", '{"seq":"1","hash":"y"}', '"x"', "{"]) {
    await writeFile(path, text);
    await expect(openTestInstance({ folder: folder() }), text).rejects.toThrow();
    expect(await readFile(path, "utf8")).toBe(text);
  }
  await writeFile(path, kept);
  await (await openTestInstance({ folder: folder() })).close();
});

test("an emptied or swapped ledger database stops the start, and the checkpoint stays as it is", async () => {
  const path = join(folder(), "checkpoint.json");
  const kept = await readFile(path, "utf8");
  await copyFile(database(), `${database()}.right`);
  const other = join(place, "other");
  await (await openTestInstance({ folder: other })).close();
  for (const [wrong, says] of [
    [Buffer.alloc(0), "is gone or empty"],
    [await readFile(join(other, "ledger.sqlite")), "another one than checkpoint.json is about"],
  ] as const) {
    await writeFile(database(), wrong);
    for (let start = 0; start < 2; start += 1)
      await expect(openTestInstance({ folder: folder() })).rejects.toMatchObject({
        code: "CONFLICT",
        message: expect.stringContaining(says),
      });
    expect(await readFile(path, "utf8")).toBe(kept);
  }
  await copyFile(`${database()}.right`, database());
  const instance = await instanceOfTest({ folder: folder() });
  expect((await instance.database.ledgers.ledger(fixture.ledger as never)).status).toBe("open");
});

test("a standby that takes over from a running server's database freezes its ledgers, once for all servers", async () => {
  const instance = await instanceOfTest({ folder: folder() });
  const { database: ledgers } = instance;
  const status = async () => (await ledgers.ledgers.ledger(fixture.ledger as never)).status;
  let copy = "primary";
  const opened = async (name: string) => {
    const own = join(place, name);
    await mkdir(own);
    const store = {
      kind: "postgres",
      copy: async () => copy,
      vouch: async () => undefined,
      isVouched: async () => true,
    } as const;
    return openCheckpoint({
      folder: own,
      database: ledgers,
      store,
      hadLog: false,
      witness: null,
      log: createLog("silent"),
    });
  };
  const [one, two] = [await opened("one"), await opened("two")];
  expect(await status()).toBe("open");
  copy = "standby";
  await expect.poll(status, { timeout: 20_000 }).toBe("frozen");
  await one.close();
  await two.close();
  const restores = await ledgers.audit.lines({ action: "database.restore" });
  expect(restores.items.filter(({ detail }) => (detail as { copy: unknown }).copy === "standby")).toHaveLength(1);
});
