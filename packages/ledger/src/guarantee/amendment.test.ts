import { join } from "node:path";
import type { DpEvent } from "@dosimeter/core";
import { expect, onTestFinished, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import {
  buildFixture,
  by,
  codeOf,
  del,
  eps,
  type Fixture,
  type FixtureOptions,
  gaussian,
  pure,
} from "../testing/fixture.kit.ts";
import type { PrincipalId } from "../values/id.ts";

const folder = temporaryFolder();
let files = 0;

async function fixtureOf(
  options: FixtureOptions = {},
): Promise<Fixture & { readonly admins: readonly [never, never] }> {
  const fixture = await buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)), options);
  for (const { id } of [fixture.ada, fixture.bob])
    await fixture.database.people.grantRole({
      by,
      principal: id,
      role: "datasetAdmin",
      object: fixture.dataset.id,
    });
  return { ...fixture, admins: [fixture.ada.id as never, fixture.bob.id as never] };
}

test("a raise needs a reason and a second person, replays everything, and leaves what was spent", async () => {
  const fixture = await fixtureOf({ policy: "auto" });
  const { ledgers, audit } = fixture.database;
  const [ada, bob] = fixture.admins;
  for (let i = 0; i < 5; i++) await fixture.charge(`k${i}`, pure("0.1"));
  const before = await ledgers.balance(fixture.adas.id);
  const raise = { ledger: fixture.ledger.id, epsilon: eps("8"), delta: del("2e-6"), by: ada };
  expect(await codeOf(ledgers.proposeAmendment({ ...raise, reason: " " }))).toBe("INVALID_PARAMETER");
  expect(await codeOf(ledgers.proposeAmendment({ ...raise, epsilon: eps("4"), reason: "less" }))).toBe(
    "INVALID_PARAMETER",
  );
  const asked = await ledgers.proposeAmendment({ ...raise, reason: "a follow-up study" });
  expect(asked).toMatchObject({ status: "proposed", base: 1, proposedBy: ada });
  expect((await ledgers.ledger(fixture.ledger.id)).version).toBe(1);
  expect(await codeOf(ledgers.proposeAmendment({ ...raise, reason: "again" }))).toBe("CONFLICT");
  expect(await codeOf(ledgers.secondAmendment({ amendment: asked.id, by: ada }))).toBe("FORBIDDEN");
  expect(await codeOf(ledgers.rejectAmendment({ amendment: asked.id, by: ada }))).toBe("FORBIDDEN");
  expect(await codeOf(ledgers.withdrawAmendment({ amendment: asked.id, by: bob }))).toBe("FORBIDDEN");
  const done = await ledgers.secondAmendment({ amendment: asked.id, by: bob, note: "agreed" });
  expect(done).toMatchObject({ status: "effective", version: 2, decidedBy: bob });
  const ledger = await ledgers.ledger(fixture.ledger.id);
  expect(ledger).toMatchObject({ version: 2, quota: { epsilon: eps("8"), delta: del("2e-6") } });
  expect(ledger.sentence).toMatch(/histories in which this version is the last.*\(8, 0\.000002\)-DP/);
  expect(ledger.sentence).toMatch(/no unconditional sentence exists/);
  const after = await ledgers.balance(fixture.adas.id);
  expect(after.state.epsilon).toBe(before.state.epsilon);
  expect(after.quota).toEqual(before.quota);
  expect(after.caps.mu2).toBeGreaterThan(before.caps.mu2); // a share of more
  expect((await ledgers.versions(fixture.ledger.id)).map(({ version, secondedBy }) => [version, secondedBy])).toEqual([
    [2, bob],
    [1, null],
  ]);
  for (let i = 0; i < 3; i++) await fixture.charge(`later${i}`, pure("0.1"));
  const { items } = await ledgers.entries({ ledger: fixture.ledger.id });
  expect(items.filter(({ kind }) => kind === "amend")).toHaveLength(1);
  expect((await audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

test("an account that a switch left full blocks no raise, and stays full until it is given more", async () => {
  const fixture = await fixtureOf({ epsilon: "3", quota: "2", share: "0.75" });
  const { ledgers, audit } = fixture.database;
  const [ada, bob] = fixture.admins;
  await fixture.charge("beforehand", pure("0.27"));
  await ledgers.switchRule({ ledger: fixture.ledger.id, by });
  const full = await ledgers.balance(fixture.adas.id);
  expect(full.state.mu2).toBeNull();
  const raise = { ledger: fixture.ledger.id, epsilon: eps("3.1"), delta: del("1e-6"), reason: "a follow-up", by: ada };
  const asked = await ledgers.proposeAmendment(raise);
  expect(await ledgers.secondAmendment({ amendment: asked.id, by: bob })).toMatchObject({ version: 2 });
  expect((await ledgers.balance(fixture.adas.id)).state).toEqual(full.state);
  expect(await codeOf(fixture.charge("after", pure("0.01")))).toBe("QUOTA_EXHAUSTED");
  await ledgers.allocate({ account: fixture.adas.id, epsilon: eps("0.4"), by });
  await fixture.charge("with more", pure("0.01"));
  expect((await audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

test("up to the ceiling declared at opening its sentence holds; before any answer the raise itself does", async () => {
  const fixture = await fixtureOf();
  const { ledgers, catalog } = fixture.database;
  const [ada, bob] = fixture.admins;
  const { id } = await catalog.createPopulation({ by, name: "p", privacyUnit: "person", adjacency: "addRemove" });
  const table = await catalog.createDataset({ by, population: id, name: "d", declaration: {}, source: {} });
  for (const principal of [ada, bob])
    await fixture.database.people.grantRole({ by, principal, role: "datasetAdmin", object: table.id });
  const open = { population: id, epsilon: eps("1"), delta: del("1e-6"), by };
  const ledger = await ledgers.open({ ...open, ceiling: { epsilon: eps("3"), delta: del("1e-6") } });
  const raise = (epsilon: string) =>
    ledgers.previewAmendment({ ledger: ledger.id, epsilon: eps(epsilon), delta: del("1e-6") });
  expect((await raise("2")).sentence).toMatch(
    /before any answer had been given, so the promise is for whatever is asked until the lifetime is raised again or/,
  );
  const account = await ledgers.openAccount({
    ledger: ledger.id,
    parent: null,
    holder: { kind: "principal", id: ada },
    epsilon: eps("1"),
    by,
  });
  await ledgers.charge({
    principal: ada,
    account: account.id,
    dataset: table.id,
    key: "x",
    request: {},
    events: pure("0.5"),
    adjacency: "addRemove",
    lease: { owner: "t", seconds: 60 },
  });
  const within = await raise("3");
  expect(within).toMatchObject({ isUnconditional: true, answersSeen: true });
  expect(within.sentence).toMatch(
    /Whatever happens before a raise past it, the ceiling declared at opening holds: .*\(3, 0\.000001\)-DP/,
  );
  expect(await raise("3.1")).toMatchObject({ isUnconditional: false });
  await fixture.database.close();
});

test("where no one else could decide, the raise takes effect at once and says that no one seconded it", async () => {
  const fixture = await buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)));
  const { ledgers, people } = fixture.database;
  await people.grantRole({ by, principal: fixture.ada.id, role: "datasetAdmin", object: fixture.dataset.id });
  const raise = {
    ledger: fixture.ledger.id,
    epsilon: eps("6"),
    delta: del("1e-6"),
    reason: "more",
    by: fixture.ada.id,
  };
  expect(await ledgers.proposeAmendment(raise)).toMatchObject({ status: "effective", version: 2 });
  expect((await ledgers.versions(fixture.ledger.id))[0]).toMatchObject({ version: 2, secondedBy: null });
  expect(await ledgers.peopleWhoMaySecond(fixture.ledger.id)).toEqual([fixture.ada.id]);
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

test("rejected and withdrawn raises change nothing and are final", async () => {
  const fixture = await fixtureOf();
  const { ledgers } = fixture.database;
  const [ada, bob] = fixture.admins;
  const propose = (who: PrincipalId) =>
    ledgers.proposeAmendment({
      ledger: fixture.ledger.id,
      epsilon: eps("6"),
      delta: del("1e-6"),
      reason: "r",
      by: who,
    });
  const one = await propose(ada);
  expect(await ledgers.rejectAmendment({ amendment: one.id, by: bob, note: "no" })).toMatchObject({
    status: "rejected",
  });
  for (const act of [ledgers.secondAmendment, ledgers.rejectAmendment])
    expect(await codeOf(act({ amendment: one.id, by: bob }))).toBe("CONFLICT");
  const two = await propose(bob);
  expect(await ledgers.withdrawAmendment({ amendment: two.id, by: bob })).toMatchObject({ status: "withdrawn" });
  expect((await ledgers.ledger(fixture.ledger.id)).version).toBe(1);
  expect((await ledgers.amendments(fixture.ledger.id)).map(({ status }) => status).toSorted()).toEqual([
    "rejected",
    "withdrawn",
  ]);
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});

test("after a rejection its proposer waits a day, by a service too; so after twenty in a day that were taken back", async () => {
  const fixture = await fixtureOf();
  const { ledgers, people } = fixture.database;
  const [ada, bob] = fixture.admins;
  const service = (await people.createPrincipal({ kind: "service", name: "nightly", onBehalfOf: ada, by })).id;
  await people.grantRole({ by, principal: service, role: "datasetAdmin", object: fixture.dataset.id });
  const propose = (who: PrincipalId) =>
    ledgers.proposeAmendment({
      ledger: fixture.ledger.id,
      epsilon: eps("6"),
      delta: del("1e-6"),
      reason: "r",
      by: who,
    });
  await ledgers.rejectAmendment({ amendment: (await propose(ada)).id, by: bob });
  await expect(propose(ada)).rejects.toThrow("this was rejected; it can be asked for again in 24 hours");
  expect(await codeOf(propose(service))).toBe("RATE_LIMITED");
  for (let n = 0; n < 20; n += 1) await ledgers.withdrawAmendment({ amendment: (await propose(bob)).id, by: bob });
  await expect(propose(bob)).rejects.toThrow("20 raises in a day are the most; another can be made in 24 hours");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24.1 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await propose(ada)).status).toBe("proposed");
  await fixture.database.close();
});

test("tight ledgers, plans and closed accounts replay under the new caps", async () => {
  const fixture = await fixtureOf({ rule: "tight", epsilon: "6", delta: "1e-5", quota: "5", share: "2" });
  const { ledgers } = fixture.database;
  const [ada, bob] = fixture.admins;
  const plan: readonly DpEvent[] = [{ kind: "repeated", count: 4, event: { kind: "laplace", noiseMultiplier: "4" } }];
  await fixture.charge("g", gaussian("10"));
  await fixture.charge("plan", plan);
  await ledgers.closeAccount({ account: fixture.bobs.id, by });
  const spent = (await ledgers.balance(fixture.ledger.id)).state.delta;
  const { id } = await ledgers.proposeAmendment({
    ledger: fixture.ledger.id,
    epsilon: eps("7"),
    delta: del("1e-5"),
    reason: "r",
    by: ada,
  });
  await ledgers.secondAmendment({ amendment: id, by: bob });
  expect((await ledgers.balance(fixture.ledger.id)).state.delta).toBe(spent);
  await fixture.charge("g2", gaussian("10"));
  // More is left after a raise: it spends nothing.
  const { items } = await ledgers.entries({ ledger: fixture.ledger.id });
  expect(items.map(({ kind, mu2Spent }) => [kind, mu2Spent === null ? null : mu2Spent > 0n])).toEqual([
    ...[
      ["charge", true],
      ["amend", null],
      ["charge", true],
      ["charge", true],
    ],
    ["open", null],
  ]);
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
});
