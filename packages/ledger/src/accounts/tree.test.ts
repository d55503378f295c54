import { join } from "node:path";
import { formatEpsilon, type PrivacyError } from "@dosimeter/core";
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
  soon,
} from "../testing/fixture.kit.ts";

const folder = temporaryFolder();
let files = 0;
const fixtureOf = async (options: FixtureOptions = {}): Promise<Fixture> =>
  buildFixture(await sqliteStore(join(folder, `${files++}.sqlite`)), options);

const quotas = async ({ database, ledger }: Fixture) =>
  Object.fromEntries(
    (await database.ledgers.accounts(ledger.id)).map(({ id, quota }) => [id, formatEpsilon(quota.epsilon)]),
  );
const sound = async (fixture: Fixture) => {
  expect((await fixture.database.audit.verify()).problems).toEqual([]);
  await fixture.database.close();
};

test("a transfer moves free quota between siblings, and between branches through what funds both", async () => {
  const fixture = await fixtureOf({ quota: "2", share: "0.75" });
  const { ledgers, people } = fixture.database;
  await fixture.charge("a", pure("0.5"));
  await ledgers.transfer({ from: fixture.adas.id, to: fixture.bobs.id, epsilon: eps("0.25"), by });
  expect(await quotas(fixture)).toMatchObject({ [fixture.adas.id]: "0.5", [fixture.bobs.id]: "1" });
  expect(await codeOf(ledgers.transfer({ from: fixture.adas.id, to: fixture.bobs.id, epsilon: 1n as never, by }))).toBe(
    "QUOTA_UNAVAILABLE",
  );
  const other = await people.createTeam({ name: "law", by });
  const laws = await ledgers.openAccount({
    ledger: fixture.ledger.id,
    parent: null,
    holder: { kind: "team", id: other.id },
    epsilon: eps("1"),
    by,
  });
  // bob (1) → up through the team (2) → down to the other team (1)
  await ledgers.transfer({ from: fixture.bobs.id, to: laws.id, epsilon: eps("0.4"), by });
  expect(await quotas(fixture)).toMatchObject({
    [fixture.bobs.id]: "0.6",
    [fixture.teamAccount.id]: "1.6",
    [laws.id]: "1.4",
  });
  // to an ancestor and back: a withdrawal and an allocation
  await ledgers.transfer({ from: fixture.bobs.id, to: fixture.teamAccount.id, epsilon: eps("0.1"), by });
  await ledgers.transfer({ from: fixture.teamAccount.id, to: fixture.bobs.id, epsilon: eps("0.2"), by });
  expect(await quotas(fixture)).toMatchObject({ [fixture.bobs.id]: "0.7", [fixture.teamAccount.id]: "1.6" });
  expect(await codeOf(ledgers.transfer({ from: laws.id, to: laws.id, epsilon: eps("0.1"), by }))).toBe(
    "INVALID_PARAMETER",
  );
  expect(await codeOf(ledgers.transfer({ from: laws.id, to: fixture.bobs.id, epsilon: eps("9"), by }))).toBe(
    "QUOTA_UNAVAILABLE",
  );
  await sound(fixture);
});

test("a recall takes what is free, with cascade from the bottom up, and says what it could not take", async () => {
  const fixture = await fixtureOf({ quota: "2", share: "0.75" });
  const { ledgers } = fixture.database;
  await fixture.charge("a", pure("0.5"));
  const plain = await ledgers.recall({ account: fixture.teamAccount.id, epsilon: eps("1.8"), by });
  expect([plain.recalled.epsilon, plain.shortfall.epsilon]).toEqual([eps("0.5"), eps("1.3")]);
  const deep = await ledgers.recall({ account: fixture.teamAccount.id, epsilon: eps("1.3"), cascade: true, by });
  expect([deep.recalled.epsilon, deep.shortfall.epsilon]).toEqual([eps("1"), eps("0.3")]);
  // What Ada spent is all that is left, on her account and above it.
  expect(await quotas(fixture)).toEqual({
    [fixture.teamAccount.id]: "0.5",
    [fixture.adas.id]: "0.5",
    [fixture.bobs.id]: "0",
  });
  const { state } = await ledgers.balance(fixture.teamAccount.id);
  expect(state.epsilon).toBe(eps("0.5"));
  await sound(fixture);
});

test("an account past its date takes no charge even before it is closed, and closing twice changes nothing", async () => {
  const fixture = await fixtureOf();
  const { ledgers } = fixture.database;
  await ledgers.setAccount({ account: fixture.teamAccount.id, expiresAt: soon(), by });
  await fixture.charge("in time", pure("0.1"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(soon()) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  const late = (await fixture.charge("late", pure("0.1")).catch((error: unknown) => error)) as PrivacyError;
  expect([late.code, late.message]).toEqual(["ACCOUNT_CLOSED", expect.stringMatching(/expired/)]);
  expect(await ledgers.expireDue()).toEqual([fixture.teamAccount.id]);
  expect(await ledgers.expireDue()).toEqual([]);
  const all = await ledgers.accounts(fixture.ledger.id);
  expect(all.map(({ status }) => status)).toEqual(["closed", "closed", "closed"]);
  expect(await quotas(fixture)).toEqual({
    [fixture.teamAccount.id]: "0.1",
    [fixture.adas.id]: "0.1",
    [fixture.bobs.id]: "0",
  });
  expect((await ledgers.balance(fixture.ledger.id)).state.epsilon).toBe(eps("0.1"));
  expect(await codeOf(ledgers.setAccount({ account: fixture.adas.id, expiresAt: null, by }))).toBe("ACCOUNT_CLOSED");
  expect(await codeOf(ledgers.setAccount({ account: fixture.adas.id, expiresAt: "2001-01-01", by }))).not.toBe("done");
  await sound(fixture);
});

test("a clock that is set back opens nothing that has ended, forgets nothing, and spoils no chain", async () => {
  const fixture = await fixtureOf();
  const { ledgers } = fixture.database;
  const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString();
  await ledgers.setAccount({ account: fixture.adas.id, expiresAt: hours(1), by });
  await fixture.charge("in time", pure("0.1"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(hours(2)) });
  try {
    expect(await codeOf(fixture.charge("late", pure("0.1")))).toBe("ACCOUNT_CLOSED");
    expect(await ledgers.expireDue()).toEqual([fixture.adas.id]);
    vi.setSystemTime(hours(-9000));
    expect(await codeOf(fixture.charge("late", pure("0.1")))).toBe("ACCOUNT_CLOSED");
    expect((await fixture.charge("in time", pure("0.1"))).repeated).toBe(true);
    await ledgers.allocate({ account: fixture.bobs.id, epsilon: eps("0.1"), by });
  } finally {
    vi.useRealTimers();
  }
  expect((await ledgers.balance(fixture.ledger.id)).state.epsilon).toBe(eps("0.1"));
  await sound(fixture);
});

test.each(["addition", "tight"] as const)("one charge takes at most the account's limit, under %s", async (rule) => {
  const fixture = await fixtureOf({ rule, epsilon: "5", delta: "1e-5" });
  const { ledgers } = fixture.database;
  await ledgers.setAccount({ account: fixture.adas.id, queryEpsilon: eps("0.2"), by });
  const quoted = await ledgers.quote({ account: fixture.adas.id, events: pure("0.3") });
  expect(quoted).toMatchObject({ admitted: false, refusals: [{ node: fixture.adas.id, dimension: "query" }] });
  if (!quoted.admitted) expect(quoted.largestEpsilon).toBe(eps("0.2"));
  const refused = (await fixture.charge("big", pure("0.3")).catch((error: unknown) => error)) as PrivacyError;
  expect([refused.code, refused.details.dimension]).toEqual(["QUOTA_EXHAUSTED", "query"]);
  await fixture.charge("fits", pure("0.2"));
  if (rule === "tight") {
    expect(await codeOf(fixture.charge("loud", gaussian("3")))).toBe("QUOTA_EXHAUSTED");
    await fixture.charge("quiet", gaussian("20"));
  }
  await ledgers.setAccount({ account: fixture.adas.id, queryEpsilon: null, by });
  await fixture.charge("big", pure("0.3"));
  await sound(fixture);
});

test("a purpose below a person is spent from by that person, below a team it holds people", async () => {
  const fixture = await fixtureOf({ quota: "3", share: "1" });
  const { ledgers, people } = fixture.database;
  const open = (parent: string, holder: Parameters<typeof ledgers.openAccount>[0]["holder"], epsilon = "0.4") =>
    ledgers.openAccount({ ledger: fixture.ledger.id, parent: parent as never, holder, epsilon: eps(epsilon), by });
  const paper = await open(fixture.adas.id, { kind: "purpose", id: "paper 2026" });
  expect(paper.holder).toEqual({ kind: "purpose", id: "paper 2026" });
  expect(await ledgers.maySpend({ account: paper.id, principal: fixture.ada.id })).toBe(true);
  expect(await ledgers.maySpend({ account: paper.id, principal: fixture.bob.id })).toBe(false);
  // Ada's own account now has something below it: only leaves are charged.
  expect(await ledgers.maySpend({ account: fixture.adas.id, principal: fixture.ada.id })).toBe(false);
  expect(await codeOf(fixture.charge("a", pure("0.1")))).toBe("FORBIDDEN");
  await fixture.charge("b", pure("0.1"), { ...fixture.adas, id: paper.id });
  expect(await codeOf(open(paper.id, { kind: "principal", id: fixture.bob.id }, "0.1"))).toBe("INVALID_PARAMETER");
  expect(await codeOf(open(fixture.adas.id, { kind: "principal", id: fixture.bob.id }, "0.1"))).toBe(
    "INVALID_PARAMETER",
  );
  const survey = await open(fixture.teamAccount.id, { kind: "purpose", id: "survey" });
  const bobs = await open(survey.id, { kind: "principal", id: fixture.bob.id }, "0.3");
  await ledgers.charge({
    principal: fixture.bob.id,
    account: bobs.id,
    dataset: fixture.dataset.id,
    key: "c",
    request: {},
    events: pure("0.2"),
    adjacency: "addRemove",
    lease: { owner: "t", seconds: 60 },
  });
  expect(await codeOf(ledgers.closeAccount({ account: fixture.adas.id, by }))).toBe("CONFLICT");
  await ledgers.closeAccount({ account: paper.id, by });
  expect(await ledgers.maySpend({ account: fixture.adas.id, principal: fixture.ada.id })).toBe(true);
  // Leaving the team ends it all, whatever the accounts say.
  await people.removeMember({ team: fixture.team.id, principal: fixture.bob.id, by });
  expect(await ledgers.maySpend({ account: bobs.id, principal: fixture.bob.id })).toBe(false);
  await sound(fixture);
});

test("every team on the path must have the spender, for every caller", async () => {
  const fixture = await fixtureOf({ quota: "2", share: "0.5" });
  const { ledgers, people } = fixture.database;
  const inner = await people.createTeam({ name: "inner", by });
  const inners = await ledgers.openAccount({
    ledger: fixture.ledger.id,
    parent: fixture.teamAccount.id,
    holder: { kind: "team", id: inner.id },
    epsilon: eps("0.5"),
    by,
  });
  const eve = await people.createPrincipal({ kind: "user", name: "Eve", email: "eve@example.org", by });
  await people.addMember({ team: inner.id, principal: eve.id, by });
  const eves = await ledgers.openAccount({
    ledger: fixture.ledger.id,
    parent: inners.id,
    holder: { kind: "principal", id: eve.id },
    epsilon: eps("0.5"),
    by,
  });
  const charge = () =>
    ledgers.charge({
      principal: eve.id,
      account: eves.id,
      dataset: fixture.dataset.id,
      key: "eve",
      request: {},
      events: pure("0.1"),
      adjacency: "addRemove",
      lease: { owner: "t", seconds: 60 },
    });
  expect(await ledgers.maySpend({ account: eves.id, principal: eve.id })).toBe(false);
  expect(await codeOf(charge())).toBe("FORBIDDEN");
  await people.addMember({ team: fixture.team.id, principal: eve.id, by });
  expect(await ledgers.maySpend({ account: eves.id, principal: eve.id })).toBe(true);
  await charge();
  await sound(fixture);
});

test("a frozen ledger takes no charge, and promises more than there is only where that was chosen", async () => {
  const fixture = await fixtureOf({ epsilon: "2", quota: "2", share: "1" });
  const { ledgers } = fixture.database;
  const set = (settings: object) => ledgers.setLedger({ ledger: fixture.ledger.id, by, ...settings });
  await set({ status: "frozen" });
  expect(await codeOf(fixture.charge("a", pure("0.1")))).toBe("ACCOUNT_CLOSED");
  await set({ status: "open", mode: "overbooked", policy: "auto" });
  await fixture.charge("a", pure("0.1"));
  await ledgers.allocate({ account: fixture.teamAccount.id, epsilon: eps("1"), by });
  expect(await codeOf(set({ mode: "funded" }))).toBe("CONFLICT");
  await ledgers.setAccount({ account: fixture.teamAccount.id, mode: "overbooked", by });
  await ledgers.allocate({ account: fixture.adas.id, epsilon: eps("2.5"), by });
  // Promises do not make budget: the ledger refuses what is not there.
  expect(await codeOf(fixture.charge("b", pure("3")))).toBe("BUDGET_EXHAUSTED");
  await sound(fixture);
});

test("a cap counts what its holder reads of others, once, at full price, and refuses what does not fit", async () => {
  const fixture = await fixtureOf({ quota: "3", share: "1" });
  const { ledgers, people } = fixture.database;
  const carl = await people.createPrincipal({ kind: "user", name: "Carl", email: "carl@example.org", by });
  const cap = await ledgers.openAccount({
    ledger: fixture.ledger.id,
    parent: null,
    holder: { kind: "principal", id: carl.id },
    kind: "cap",
    epsilon: eps("0.5"),
    delta: del("1e-7"),
    by,
  });
  const [small, large] = [await fixture.charge("small", pure("0.3")), await fixture.charge("large", pure("0.4"))];
  const read = (charge: typeof small, reader = carl) =>
    ledgers.readUnderCaps({ charge: charge.charge.id, reader: reader.id });
  await read(small);
  await read(small);
  expect((await ledgers.balance(cap.id)).state.epsilon).toBe(eps("0.3"));
  expect(await codeOf(read(large))).toBe("QUOTA_EXHAUSTED");
  expect((await ledgers.balance(cap.id)).state.epsilon).toBe(eps("0.3"));
  // Readers without a cap, and what they paid themselves, cost nothing.
  await read(large, fixture.bob);
  expect((await ledgers.balance(fixture.bobs.id)).state.epsilon).toBe(0n);
  // What was read stays read: it cannot be withdrawn, and the account replays with it.
  expect(await codeOf(ledgers.withdraw({ account: cap.id, epsilon: eps("0.3"), by }))).toBe("QUOTA_UNAVAILABLE");
  await ledgers.allocate({ account: cap.id, epsilon: eps("0.3"), delta: 0n as never, by });
  await read(large);
  expect((await ledgers.balance(cap.id)).state.epsilon).toBe(eps("0.7"));
  expect((await ledgers.balance(fixture.ledger.id)).state.epsilon).toBe(eps("0.7"));
  await sound(fixture);
});
