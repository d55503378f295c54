import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import { buildFixture, by, codeOf, eps, type Fixture, pure } from "../testing/fixture.kit.ts";
import type { PrincipalId } from "../values/id.ts";

const folder = temporaryFolder();
let fixture: Fixture;
beforeAll(async () => {
  fixture = await buildFixture(await sqliteStore(join(folder, "town.sqlite")), { quota: "2", share: "0.9" });
});
afterAll(async () => {
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

const capOf = (holder: PrincipalId, epsilon: string) => ({
  ledger: fixture.ledger.id,
  parent: null,
  holder: { kind: "principal" as const, id: holder },
  kind: "cap" as const,
  epsilon: eps(epsilon),
  by,
});
const spentOf = async (id: Fixture["adas"]["id"]) => (await fixture.database.ledgers.balance(id)).state.epsilon;

test("what a cap of the asker could not take in is quoted as refused, and refused before anything is charged", async () => {
  const { ledgers } = fixture.database;
  const { ada, adas } = fixture;
  const cap = await ledgers.openAccount(capOf(ada.id, "0.3"));
  const asked = (epsilon: string) => ({ account: adas.id, events: pure(epsilon), reader: ada.id });
  expect(await ledgers.quote(asked("0.4"))).toMatchObject({
    admitted: false,
    refusals: [{ node: cap.id, dimension: "epsilon", available: "0.3", requested: "0.4" }],
    largestEpsilon: eps("0.3"),
  });
  expect(await codeOf(ledgers.refuseUnreadable(asked("0.4")))).toBe("QUOTA_EXHAUSTED");
  // What fits is no reason to refuse; what the payer itself has no room for is the charge's own refusal.
  await ledgers.refuseUnreadable(asked("0.3"));
  expect(await ledgers.quote({ ...asked("0.4"), reader: fixture.bob.id })).toMatchObject({ admitted: true });
});

test("a cap that is closed and opened again, or opened after a share, begins with what its holder learned", async () => {
  const { ledgers, people } = fixture.database;
  const { ada, adas, bob, bobs } = fixture;
  const [first] = (await ledgers.accountsOf(ada.id)).filter(({ kind }) => kind === "cap");
  const { charge } = await fixture.charge("own", pure("0.2"));
  const others = (await fixture.charge("others", pure("0.1"), bobs)).charge;
  for (const { id } of [charge, others]) await ledgers.readUnderCaps({ charge: id, reader: ada.id });
  if (first === undefined) throw new Error("the test before opens it");
  expect(await spentOf(first.id)).toBe(eps("0.3"));
  await ledgers.closeAccount({ account: first.id, by });
  expect(await codeOf(ledgers.openAccount(capOf(ada.id, "0.2")))).toBe("QUOTA_EXHAUSTED");
  const again = await ledgers.openAccount(capOf(ada.id, "0.5"));
  expect([again.state.epsilon, await spentOf(again.id)]).toEqual([eps("0.3"), eps("0.3")]);
  await ledgers.readUnderCaps({ charge: charge.id, reader: ada.id });
  expect(await spentOf(again.id), "read once, counted once").toBe(eps("0.3"));

  expect((await ledgers.openAccount(capOf(bob.id, "0.5"))).state.epsilon, "bob asked for it").toBe(eps("0.1"));
  const carl = await people.createPrincipal({ kind: "user", name: "Carl", email: "carl@example.org", by });
  expect((await ledgers.openAccount(capOf(carl.id, "0.5"))).state.epsilon).toBe(0n);
  expect(adas.kind).toBe("share");
});

test("what a path pays for earlier answers is debited with its charge, once, or not at all", async () => {
  const own = await buildFixture(await sqliteStore(join(folder, "shares.sqlite")), { quota: "2", share: "0.5" });
  const { ledgers, audit } = own.database;
  const { id: theirs } = (await own.charge("theirs", pure("0.3"), own.bobs)).charge;
  const ask = (key: string, epsilon: string | null) =>
    ledgers.charge({
      principal: own.ada.id,
      account: own.adas.id,
      dataset: own.dataset.id,
      key,
      request: { key },
      events: epsilon === null ? [] : pure(epsilon),
      reusesOnly: epsilon === null,
      readings: [theirs],
      adjacency: "addRemove",
      lease: { owner: "test", seconds: 60 },
    });
  const spent = async () => (await ledgers.balance(own.adas.id)).state.epsilon;
  expect(await codeOf(ask("both", "0.3")), "0.3 and 0.3 do not fit into 0.5").toBe("QUOTA_EXHAUSTED");
  expect(await spent()).toBe(0n);
  // In one transaction: the first pays for the answer, the others do not pay again.
  await Promise.all([ask("a", "0.1"), ask("b", null), ask("a", "0.1"), ask("c", "0.1")]);
  expect(await spent()).toBe(eps("0.5"));
  expect(await codeOf(ask("d", "0.01"))).toBe("QUOTA_EXHAUSTED");
  expect((await ledgers.ledger(own.ledger.id)).state.epsilon, "the ledger paid for it before").toBe(eps("0.5"));
  expect((await audit.verify()).problems).toEqual([]);
  await own.database.close();
});

test("only who reads answers can have a cap", async () => {
  const { ledgers } = fixture.database;
  const { dataset, ada } = fixture;
  for (const holder of [
    { kind: "purpose", id: "a survey" },
    { kind: "dataset", id: dataset.id },
  ] as const)
    expect(await codeOf(ledgers.openAccount({ ...capOf(ada.id, "0.1"), holder })), holder.kind).toBe(
      "INVALID_PARAMETER",
    );
});

test("a cap is read under the rule that the charge will use, and a person's services learn with them", async () => {
  const own = await buildFixture(await sqliteStore(join(folder, "auto.sqlite")), {
    quota: "2",
    share: "0.9",
    policy: "auto",
  });
  const { ledgers, people, audit } = own.database;
  await ledgers.openAccount({ ...capOf(own.ada.id, "0.3"), ledger: own.ledger.id });
  const read = async (key: string, epsilon: string) => {
    const { charge } = await own.charge(key, pure(epsilon));
    await ledgers.readUnderCaps({ charge: charge.id, reader: own.ada.id });
  };
  for (let i = 0; i < 29; i += 1) await read(`k${i}`, "0.01");
  // The cap's remaining μ² has room, but the path has no reason to switch.
  const asked = { account: own.adas.id, events: pure("0.02"), reader: own.ada.id };
  expect(await ledgers.quote(asked)).toMatchObject({ admitted: false, activeRule: "addition" });
  expect(await codeOf(ledgers.refuseUnreadable(asked))).toBe("QUOTA_EXHAUSTED");
  const fits = { ...asked, events: pure("0.01") };
  expect(await ledgers.quote(fits)).toMatchObject({ admitted: true, switches: false });
  await ledgers.refuseUnreadable(fits);
  await read("last", "0.01");

  const { id: reader } = await people.createPrincipal({ kind: "service", name: "bot", onBehalfOf: own.ada.id, by });
  const { id: charge } = (await own.charge("bobs", pure("0.1"), own.bobs)).charge;
  expect(await ledgers.unreadUnderCaps({ charges: [charge], reader })).toEqual([charge]);
  expect(await codeOf(ledgers.readUnderCaps({ charge, reader }))).toBe("QUOTA_EXHAUSTED");
  expect((await audit.verify()).problems).toEqual([]);
  await own.database.close();
});
