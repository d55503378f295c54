import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, tokenFor } from "../instance.kit.ts";
import { type Instance, openInstance } from "../instance.ts";

const place = temporaryFolder();
let fixture: Fixture;
let head: string;
let secondAdmin: string;
const at = (name: string) => join(place, name);

beforeAll(async () => {
  const instance = await openInstance({ folder: at("lost") });
  fixture = await buildFixture(instance);
  const operator = clientOf(instance, instance.operatorToken);
  const { id: person } = await operator.createPerson({ name: "second" });
  await operator.grantRole({ person, role: "datasetAdmin", object: { kind: "dataset", id: fixture.dataset } });
  secondAdmin = await tokenFor(instance, person);
  const asked = { plan: countPlan("0.3"), dataset: fixture.dataset, account: fixture.memberAccount };
  await fixture.as.member.releaseAndWait(asked, { idempotencyKey: "k" });
  ({ head } = await fixture.as.datasetAdmin.verify());
  await instance.close();
});

let folders = 0;
let instance: Instance;
/** A new machine with a fresh data folder, whose database was restored and whose checkpoint is gone. */
beforeEach(async () => {
  const folder = at(`fresh-${folders++}`);
  await cp(at("lost"), folder, { recursive: true });
  await rm(join(folder, "checkpoint.json"));
  instance = await openInstance({ folder });
  return () => instance.close();
});

const status = async () => (await instance.database.ledgers.ledger(fixture.ledger as never)).status;
const admin = (token = fixture.tokens.datasetAdmin) => clientOf(instance, token);
const reopen = (more: object, token?: string) =>
  admin(token)
    .reopenLedger({ ledger: fixture.ledger, epsilon: "0.3", delta: "0", reason: "the machine is gone", ...more })
    .then((ledger) => ledger.status);

test("a database with charges and without its checkpoint starts frozen, and no head that it says itself opens it", async () => {
  expect(await status()).toBe("frozen");
  await expect(admin().setLedger({ ledger: fixture.ledger, status: "open" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  await expect(reopen({ head })).rejects.toMatchObject({ code: "INVALID_PARAMETER" });
  expect(await reopen({ epsilon: "0" })).toBe("frozen");
  expect((await instance.database.audit.verify()).problems).toEqual([]);
});

test("it opens when two admins give the same amounts, which are written off", async () => {
  expect(await reopen({})).toBe("frozen");
  expect(await reopen({}), "one person is not two").toBe("frozen");
  expect(await reopen({ epsilon: "0" }, secondAdmin), "other amounts").toBe("frozen");
  expect(await reopen({}, secondAdmin)).toBe("open");
  const { balance } = await admin().showLedger({ ledger: fixture.ledger });
  expect(balance.epsilon.spent).toBe("0.6");
  const { items } = await instance.database.audit.lines({ action: "ledger.reopen" });
  expect(items[0]?.detail).toMatchObject({ askedBy: fixture.people.datasetAdmin });
});

test("a platform admin can be the second person, and not the first", async () => {
  await expect(reopen({}, fixture.tokens.platformAdmin)).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await reopen({})).toBe("frozen");
  expect(await reopen({}, fixture.tokens.platformAdmin)).toBe("open");
  await expect(reopen({}, fixture.tokens.platformAdmin)).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("a restore on top of it does not forget that no one knows whether it is the newest", async () => {
  const kept = await instance.database.audit.checkpoint();
  if (kept === null) throw new Error("nothing was kept");
  await instance.database.audit.compareCheckpoint({ ...kept, hash: "0".repeat(64) });
  await expect(admin().setLedger({ ledger: fixture.ledger, status: "open" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  expect(await reopen({ epsilon: "0" })).toBe("frozen");
  expect(await reopen({ epsilon: "0" }, secondAdmin)).toBe("open");
});

test("a new data folder, and one that has its checkpoint, start open", async () => {
  const next = await openInstance({ folder: at("new") });
  const made = await buildFixture(next);
  await next.close();
  for (let start = 0; start < 2; start += 1) {
    const again = await openInstance({ folder: at("new") });
    expect((await again.database.ledgers.ledger(made.ledger as never)).status).toBe("open");
    await again.close();
  }
});
