import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DpEvent } from "@dosimeter/core";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { sqliteStore } from "../stores/sqlite/sqlite.ts";
import {
  buildTown,
  by,
  codeOf,
  del,
  eps,
  gaussian,
  pure,
  type Town,
  type TownOptions,
} from "../testing/fixture.kit.ts";
import type { PrincipalId } from "../values/id.ts";

const folder = mkdtempSync(join(tmpdir(), "amend-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

async function townOf(options: TownOptions = {}): Promise<Town & { readonly admins: readonly [never, never] }> {
  const town = await buildTown(await sqliteStore(join(folder, `${files++}.sqlite`)), options);
  for (const { id } of [town.ada, town.bob])
    await town.books.people.grantRole({ by, principal: id, role: "datasetAdmin", object: town.dataset.id });
  return { ...town, admins: [town.ada.id as never, town.bob.id as never] };
}

test("a raise needs a reason and a second person, replays everything, and leaves what was spent", async () => {
  const town = await townOf({ policy: "auto" });
  const { ledgers, audit } = town.books;
  const [ada, bob] = town.admins;
  for (let i = 0; i < 5; i++) await town.charge(`k${i}`, pure("0.1"));
  const before = await ledgers.balance(town.adas.id);
  const raise = { ledger: town.ledger.id, epsilon: eps("8"), delta: del("2e-6"), by: ada };
  expect(await codeOf(ledgers.proposeAmendment({ ...raise, reason: " " }))).toBe("INVALID_PARAMETER");
  expect(await codeOf(ledgers.proposeAmendment({ ...raise, epsilon: eps("4"), reason: "less" }))).toBe(
    "INVALID_PARAMETER",
  );
  const asked = await ledgers.proposeAmendment({ ...raise, reason: "a follow-up study" });
  expect(asked).toMatchObject({ status: "proposed", base: 1, proposedBy: ada });
  expect((await ledgers.ledger(town.ledger.id)).version).toBe(1);
  expect(await codeOf(ledgers.proposeAmendment({ ...raise, reason: "again" }))).toBe("CONFLICT");
  expect(await codeOf(ledgers.secondAmendment({ amendment: asked.id, by: ada }))).toBe("FORBIDDEN");
  expect(await codeOf(ledgers.rejectAmendment({ amendment: asked.id, by: ada }))).toBe("FORBIDDEN");
  expect(await codeOf(ledgers.withdrawAmendment({ amendment: asked.id, by: bob }))).toBe("FORBIDDEN");
  const done = await ledgers.secondAmendment({ amendment: asked.id, by: bob, note: "agreed" });
  expect(done).toMatchObject({ status: "effective", version: 2, decidedBy: bob });
  const ledger = await ledgers.ledger(town.ledger.id);
  expect(ledger).toMatchObject({ version: 2, quota: { epsilon: eps("8"), delta: del("2e-6") } });
  expect(ledger.sentence).toMatch(/histories in which this version is the last.*\(8, 0\.000002\)-DP/);
  expect(ledger.sentence).toMatch(/no unconditional sentence exists/);
  const after = await ledgers.balance(town.adas.id);
  expect(after.state.epsilon).toBe(before.state.epsilon);
  expect(after.quota).toEqual(before.quota);
  expect(after.caps.residue).toBeGreaterThan(before.caps.residue); // a share of more
  expect((await ledgers.versions(town.ledger.id)).map(({ version, secondedBy }) => [version, secondedBy])).toEqual([
    [2, bob],
    [1, null],
  ]);
  for (let i = 0; i < 3; i++) await town.charge(`later${i}`, pure("0.1"));
  const { items } = await ledgers.entries({ ledger: town.ledger.id });
  expect(items.filter(({ kind }) => kind === "amend")).toHaveLength(1);
  expect((await audit.verify()).problems).toEqual([]);
  await town.books.close();
});

test("an account that a switch left full blocks no raise, and stays full until it is given more", async () => {
  const town = await townOf({ epsilon: "3", quota: "2", share: "0.75" });
  const { ledgers, audit } = town.books;
  const [ada, bob] = town.admins;
  await town.charge("beforehand", pure("0.27"));
  await ledgers.switchRule({ ledger: town.ledger.id, by });
  const full = await ledgers.balance(town.adas.id);
  expect(full.state.residue).toBeNull();
  const raise = { ledger: town.ledger.id, epsilon: eps("3.1"), delta: del("1e-6"), reason: "a follow-up", by: ada };
  const asked = await ledgers.proposeAmendment(raise);
  expect(await ledgers.secondAmendment({ amendment: asked.id, by: bob })).toMatchObject({ version: 2 });
  expect((await ledgers.balance(town.adas.id)).state).toEqual(full.state);
  expect(await codeOf(town.charge("after", pure("0.01")))).toBe("QUOTA_EXHAUSTED");
  await ledgers.allocate({ account: town.adas.id, epsilon: eps("0.4"), by });
  await town.charge("with more", pure("0.01"));
  expect((await audit.verify()).problems).toEqual([]);
  await town.books.close();
});

test("up to the ceiling declared at opening its sentence holds; before any answer the raise itself does", async () => {
  const town = await townOf();
  const { ledgers, catalog } = town.books;
  const [ada, bob] = town.admins;
  const { id } = await catalog.createPopulation({ by, name: "p", privacyUnit: "person", adjacency: "addRemove" });
  const table = await catalog.createDataset({ by, population: id, name: "d", declaration: {}, source: {} });
  for (const principal of [ada, bob])
    await town.books.people.grantRole({ by, principal, role: "datasetAdmin", object: table.id });
  const open = { population: id, epsilon: eps("1"), delta: del("1e-6"), by };
  const ledger = await ledgers.open({ ...open, ceiling: { epsilon: eps("3"), delta: del("1e-6") } });
  const raise = (epsilon: string) =>
    ledgers.previewAmendment({ ledger: ledger.id, epsilon: eps(epsilon), delta: del("1e-6") });
  expect((await raise("2")).sentence).toMatch(/before any answer had been given, so it holds unconditionally/);
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
  expect(within.sentence).toMatch(/Unconditionally, the ceiling declared at opening holds: .*\(3, 0\.000001\)-DP/);
  expect(await raise("3.1")).toMatchObject({ isUnconditional: false });
  await town.books.close();
});

test("where nobody else could decide, the raise takes effect at once and says that nobody seconded it", async () => {
  const town = await buildTown(await sqliteStore(join(folder, `${files++}.sqlite`)));
  const { ledgers, people } = town.books;
  await people.grantRole({ by, principal: town.ada.id, role: "datasetAdmin", object: town.dataset.id });
  const raise = { ledger: town.ledger.id, epsilon: eps("6"), delta: del("1e-6"), reason: "more", by: town.ada.id };
  expect(await ledgers.proposeAmendment(raise)).toMatchObject({ status: "effective", version: 2 });
  expect((await ledgers.versions(town.ledger.id))[0]).toMatchObject({ version: 2, secondedBy: null });
  expect(await ledgers.seconds(town.ledger.id)).toEqual([town.ada.id]);
  expect((await town.books.audit.verify()).problems).toEqual([]);
  await town.books.close();
});

test("rejected and withdrawn raises change nothing and are final", async () => {
  const town = await townOf();
  const { ledgers } = town.books;
  const [ada, bob] = town.admins;
  const propose = (who: PrincipalId) =>
    ledgers.proposeAmendment({ ledger: town.ledger.id, epsilon: eps("6"), delta: del("1e-6"), reason: "r", by: who });
  const one = await propose(ada);
  expect(await ledgers.rejectAmendment({ amendment: one.id, by: bob, note: "no" })).toMatchObject({
    status: "rejected",
  });
  for (const act of [ledgers.secondAmendment, ledgers.rejectAmendment])
    expect(await codeOf(act({ amendment: one.id, by: bob }))).toBe("CONFLICT");
  const two = await propose(bob);
  expect(await ledgers.withdrawAmendment({ amendment: two.id, by: bob })).toMatchObject({ status: "withdrawn" });
  expect((await ledgers.ledger(town.ledger.id)).version).toBe(1);
  expect((await ledgers.amendments(town.ledger.id)).map(({ status }) => status).toSorted()).toEqual([
    "rejected",
    "withdrawn",
  ]);
  expect((await town.books.audit.verify()).problems).toEqual([]);
  await town.books.close();
});

test("after a rejection its proposer waits a day, by a service too; so after twenty in a day that were taken back", async () => {
  const town = await townOf();
  const { ledgers, people } = town.books;
  const [ada, bob] = town.admins;
  const service = (await people.createPrincipal({ kind: "service", name: "nightly", onBehalfOf: ada, by })).id;
  await people.grantRole({ by, principal: service, role: "datasetAdmin", object: town.dataset.id });
  const propose = (who: PrincipalId) =>
    ledgers.proposeAmendment({ ledger: town.ledger.id, epsilon: eps("6"), delta: del("1e-6"), reason: "r", by: who });
  await ledgers.rejectAmendment({ amendment: (await propose(ada)).id, by: bob });
  await expect(propose(ada)).rejects.toThrow("this was rejected; it can be asked for again in 24 hours");
  expect(await codeOf(propose(service))).toBe("RATE_LIMITED");
  for (let n = 0; n < 20; n += 1) await ledgers.withdrawAmendment({ amendment: (await propose(bob)).id, by: bob });
  await expect(propose(bob)).rejects.toThrow("20 raises in a day are the most; another can be made in 24 hours");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 24.1 * 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await propose(ada)).status).toBe("proposed");
  await town.books.close();
});

test("tight ledgers, plans and closed accounts replay under the new caps", async () => {
  const town = await townOf({ rule: "tight", epsilon: "6", delta: "1e-5", quota: "5", share: "2" });
  const { ledgers } = town.books;
  const [ada, bob] = town.admins;
  const plan: readonly DpEvent[] = [{ kind: "repeated", count: 4, event: { kind: "laplace", noiseMultiplier: "4" } }];
  await town.charge("g", gaussian("10"));
  await town.charge("plan", plan);
  await ledgers.close({ account: town.bobs.id, by });
  const spent = (await ledgers.balance(town.ledger.id)).state.delta;
  const { id } = await ledgers.proposeAmendment({
    ledger: town.ledger.id,
    epsilon: eps("7"),
    delta: del("1e-5"),
    reason: "r",
    by: ada,
  });
  await ledgers.secondAmendment({ amendment: id, by: bob });
  expect((await ledgers.balance(town.ledger.id)).state.delta).toBe(spent);
  await town.charge("g2", gaussian("10"));
  expect((await town.books.audit.verify()).problems).toEqual([]);
  await town.books.close();
});
