import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { formatEpsilon, type PrivacyError } from "@dosimeter/core";
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
  soon,
  type Town,
  type TownOptions,
} from "../testing/fixture.kit.ts";

const folder = mkdtempSync(join(tmpdir(), "tree-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const townOf = async (options: TownOptions = {}): Promise<Town> =>
  buildTown(await sqliteStore(join(folder, `${files++}.sqlite`)), options);

const quotas = async ({ books, ledger }: Town) =>
  Object.fromEntries(
    (await books.ledgers.accounts(ledger.id)).map(({ id, quota }) => [id, formatEpsilon(quota.epsilon)]),
  );
const sound = async (town: Town) => {
  expect((await town.books.audit.verify()).problems).toEqual([]);
  await town.books.close();
};

test("a transfer moves free quota between siblings, and between branches through what funds both", async () => {
  const town = await townOf({ quota: "2", share: "0.75" });
  const { ledgers, people } = town.books;
  await town.charge("a", pure("0.5"));
  await ledgers.transfer({ from: town.adas.id, to: town.bobs.id, epsilon: eps("0.25"), by });
  expect(await quotas(town)).toMatchObject({ [town.adas.id]: "0.5", [town.bobs.id]: "1" });
  expect(await codeOf(ledgers.transfer({ from: town.adas.id, to: town.bobs.id, epsilon: 1n as never, by }))).toBe(
    "QUOTA_UNAVAILABLE",
  );
  const other = await people.createTeam({ name: "law", by });
  const laws = await ledgers.openAccount({
    ledger: town.ledger.id,
    parent: null,
    holder: { kind: "team", id: other.id },
    epsilon: eps("1"),
    by,
  });
  // bob (1) → up through the team (2) → down to the other team (1)
  await ledgers.transfer({ from: town.bobs.id, to: laws.id, epsilon: eps("0.4"), by });
  expect(await quotas(town)).toMatchObject({ [town.bobs.id]: "0.6", [town.teamAccount.id]: "1.6", [laws.id]: "1.4" });
  // to an ancestor and back: a withdrawal and an allocation
  await ledgers.transfer({ from: town.bobs.id, to: town.teamAccount.id, epsilon: eps("0.1"), by });
  await ledgers.transfer({ from: town.teamAccount.id, to: town.bobs.id, epsilon: eps("0.2"), by });
  expect(await quotas(town)).toMatchObject({ [town.bobs.id]: "0.7", [town.teamAccount.id]: "1.6" });
  expect(await codeOf(ledgers.transfer({ from: laws.id, to: laws.id, epsilon: eps("0.1"), by }))).toBe(
    "INVALID_PARAMETER",
  );
  expect(await codeOf(ledgers.transfer({ from: laws.id, to: town.bobs.id, epsilon: eps("9"), by }))).toBe(
    "QUOTA_UNAVAILABLE",
  );
  await sound(town);
});

test("a recall takes what is free, with cascade from the bottom up, and says what it could not take", async () => {
  const town = await townOf({ quota: "2", share: "0.75" });
  const { ledgers } = town.books;
  await town.charge("a", pure("0.5"));
  const plain = await ledgers.recall({ account: town.teamAccount.id, epsilon: eps("1.8"), by });
  expect([plain.recalled.epsilon, plain.shortfall.epsilon]).toEqual([eps("0.5"), eps("1.3")]);
  const deep = await ledgers.recall({ account: town.teamAccount.id, epsilon: eps("1.3"), cascade: true, by });
  expect([deep.recalled.epsilon, deep.shortfall.epsilon]).toEqual([eps("1"), eps("0.3")]);
  // What Ada spent is all that is left, on her account and above it.
  expect(await quotas(town)).toEqual({ [town.teamAccount.id]: "0.5", [town.adas.id]: "0.5", [town.bobs.id]: "0" });
  const { state } = await ledgers.balance(town.teamAccount.id);
  expect(state.epsilon).toBe(eps("0.5"));
  await sound(town);
});

test("an account past its date takes no charge even before it is closed, and closing twice changes nothing", async () => {
  const town = await townOf();
  const { ledgers } = town.books;
  await ledgers.setAccount({ account: town.teamAccount.id, expiresAt: soon(), by });
  await town.charge("in time", pure("0.1"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(soon()) + 1 });
  onTestFinished(() => void vi.useRealTimers());
  const late = (await town.charge("late", pure("0.1")).catch((error: unknown) => error)) as PrivacyError;
  expect([late.code, late.message]).toEqual(["ACCOUNT_CLOSED", expect.stringMatching(/expired/)]);
  expect(await ledgers.expireDue()).toEqual([town.teamAccount.id]);
  expect(await ledgers.expireDue()).toEqual([]);
  const all = await ledgers.accounts(town.ledger.id);
  expect(all.map(({ status }) => status)).toEqual(["closed", "closed", "closed"]);
  expect(await quotas(town)).toEqual({ [town.teamAccount.id]: "0.1", [town.adas.id]: "0.1", [town.bobs.id]: "0" });
  expect((await ledgers.balance(town.ledger.id)).state.epsilon).toBe(eps("0.1"));
  expect(await codeOf(ledgers.setAccount({ account: town.adas.id, expiresAt: null, by }))).toBe("ACCOUNT_CLOSED");
  expect(await codeOf(ledgers.setAccount({ account: town.adas.id, expiresAt: "2001-01-01", by }))).not.toBe(
    "nothing was thrown",
  );
  await sound(town);
});

test("a clock that is set back opens nothing that has ended, forgets nothing, and spoils no chain", async () => {
  const town = await townOf();
  const { ledgers } = town.books;
  const hours = (n: number) => new Date(Date.now() + n * 3_600_000).toISOString();
  await ledgers.setAccount({ account: town.adas.id, expiresAt: hours(1), by });
  await town.charge("in time", pure("0.1"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(hours(2)) });
  try {
    expect(await codeOf(town.charge("late", pure("0.1")))).toBe("ACCOUNT_CLOSED");
    expect(await ledgers.expireDue()).toEqual([town.adas.id]);
    vi.setSystemTime(hours(-9000));
    expect(await codeOf(town.charge("late", pure("0.1")))).toBe("ACCOUNT_CLOSED");
    expect((await town.charge("in time", pure("0.1"))).repeated).toBe(true);
    await ledgers.allocate({ account: town.bobs.id, epsilon: eps("0.1"), by });
  } finally {
    vi.useRealTimers();
  }
  expect((await ledgers.balance(town.ledger.id)).state.epsilon).toBe(eps("0.1"));
  await sound(town);
});

test.each(["addition", "tight"] as const)("one charge takes at most the account's limit, under %s", async (rule) => {
  const town = await townOf({ rule, epsilon: "5", delta: "1e-5" });
  const { ledgers } = town.books;
  await ledgers.setAccount({ account: town.adas.id, queryEpsilon: eps("0.2"), by });
  const quoted = await ledgers.quote({ account: town.adas.id, events: pure("0.3") });
  expect(quoted).toMatchObject({ admitted: false, refusals: [{ node: town.adas.id, dimension: "query" }] });
  if (!quoted.admitted) expect(quoted.largestEpsilon).toBe(eps("0.2"));
  const refused = (await town.charge("big", pure("0.3")).catch((error: unknown) => error)) as PrivacyError;
  expect([refused.code, refused.details.dimension]).toEqual(["QUOTA_EXHAUSTED", "query"]);
  await town.charge("fits", pure("0.2"));
  if (rule === "tight") {
    expect(await codeOf(town.charge("loud", gaussian("3")))).toBe("QUOTA_EXHAUSTED");
    await town.charge("quiet", gaussian("20"));
  }
  await ledgers.setAccount({ account: town.adas.id, queryEpsilon: null, by });
  await town.charge("big", pure("0.3"));
  await sound(town);
});

test("a purpose below a person is spent from by that person, below a team it holds people", async () => {
  const town = await townOf({ quota: "3", share: "1" });
  const { ledgers, people } = town.books;
  const open = (parent: string, holder: Parameters<typeof ledgers.openAccount>[0]["holder"], epsilon = "0.4") =>
    ledgers.openAccount({ ledger: town.ledger.id, parent: parent as never, holder, epsilon: eps(epsilon), by });
  const paper = await open(town.adas.id, { kind: "purpose", id: "paper 2026" });
  expect(paper.holder).toEqual({ kind: "purpose", id: "paper 2026" });
  expect(await ledgers.maySpend({ account: paper.id, principal: town.ada.id })).toBe(true);
  expect(await ledgers.maySpend({ account: paper.id, principal: town.bob.id })).toBe(false);
  // Ada's own account now has something below it: only leaves are charged.
  expect(await ledgers.maySpend({ account: town.adas.id, principal: town.ada.id })).toBe(false);
  expect(await codeOf(town.charge("a", pure("0.1")))).toBe("FORBIDDEN");
  await town.charge("b", pure("0.1"), { ...town.adas, id: paper.id });
  expect(await codeOf(open(paper.id, { kind: "principal", id: town.bob.id }, "0.1"))).toBe("INVALID_PARAMETER");
  expect(await codeOf(open(town.adas.id, { kind: "principal", id: town.bob.id }, "0.1"))).toBe("INVALID_PARAMETER");
  const survey = await open(town.teamAccount.id, { kind: "purpose", id: "survey" });
  const bobs = await open(survey.id, { kind: "principal", id: town.bob.id }, "0.3");
  await ledgers.charge({
    principal: town.bob.id,
    account: bobs.id,
    dataset: town.dataset.id,
    key: "c",
    request: {},
    events: pure("0.2"),
    adjacency: "addRemove",
    lease: { owner: "t", seconds: 60 },
  });
  expect(await codeOf(ledgers.close({ account: town.adas.id, by }))).toBe("CONFLICT");
  await ledgers.close({ account: paper.id, by });
  expect(await ledgers.maySpend({ account: town.adas.id, principal: town.ada.id })).toBe(true);
  // Leaving the team ends it all, whatever the accounts say.
  await people.removeMember({ team: town.team.id, principal: town.bob.id, by });
  expect(await ledgers.maySpend({ account: bobs.id, principal: town.bob.id })).toBe(false);
  await sound(town);
});

test("every team on the path must have the spender, whoever asks", async () => {
  const town = await townOf({ quota: "2", share: "0.5" });
  const { ledgers, people } = town.books;
  const inner = await people.createTeam({ name: "inner", by });
  const inners = await ledgers.openAccount({
    ledger: town.ledger.id,
    parent: town.teamAccount.id,
    holder: { kind: "team", id: inner.id },
    epsilon: eps("0.5"),
    by,
  });
  const eve = await people.createPrincipal({ kind: "user", name: "Eve", email: "eve@example.org", by });
  await people.addMember({ team: inner.id, principal: eve.id, by });
  const eves = await ledgers.openAccount({
    ledger: town.ledger.id,
    parent: inners.id,
    holder: { kind: "principal", id: eve.id },
    epsilon: eps("0.5"),
    by,
  });
  const charge = () =>
    ledgers.charge({
      principal: eve.id,
      account: eves.id,
      dataset: town.dataset.id,
      key: "eve",
      request: {},
      events: pure("0.1"),
      adjacency: "addRemove",
      lease: { owner: "t", seconds: 60 },
    });
  expect(await ledgers.maySpend({ account: eves.id, principal: eve.id })).toBe(false);
  expect(await codeOf(charge())).toBe("FORBIDDEN");
  await people.addMember({ team: town.team.id, principal: eve.id, by });
  expect(await ledgers.maySpend({ account: eves.id, principal: eve.id })).toBe(true);
  await charge();
  await sound(town);
});

test("a frozen ledger takes no charge, and promises more than there is only where that was chosen", async () => {
  const town = await townOf({ epsilon: "2", quota: "2", share: "1" });
  const { ledgers } = town.books;
  const set = (settings: object) => ledgers.setLedger({ ledger: town.ledger.id, by, ...settings });
  await set({ status: "frozen" });
  expect(await codeOf(town.charge("a", pure("0.1")))).toBe("ACCOUNT_CLOSED");
  await set({ status: "open", mode: "overbooked", policy: "auto" });
  await town.charge("a", pure("0.1"));
  await ledgers.allocate({ account: town.teamAccount.id, epsilon: eps("1"), by });
  expect(await codeOf(set({ mode: "funded" }))).toBe("CONFLICT");
  await ledgers.setAccount({ account: town.teamAccount.id, mode: "overbooked", by });
  await ledgers.allocate({ account: town.adas.id, epsilon: eps("2.5"), by });
  // Promises do not make budget: the ledger refuses what is not there.
  expect(await codeOf(town.charge("b", pure("3")))).toBe("BUDGET_EXHAUSTED");
  await sound(town);
});

test("a cap counts what its holder reads of others, once, at full price, and refuses what does not fit", async () => {
  const town = await townOf({ quota: "3", share: "1" });
  const { ledgers, people } = town.books;
  const carl = await people.createPrincipal({ kind: "user", name: "Carl", email: "carl@example.org", by });
  const cap = await ledgers.openAccount({
    ledger: town.ledger.id,
    parent: null,
    holder: { kind: "principal", id: carl.id },
    kind: "cap",
    epsilon: eps("0.5"),
    delta: del("1e-7"),
    by,
  });
  const [small, large] = [await town.charge("small", pure("0.3")), await town.charge("large", pure("0.4"))];
  const read = (charge: typeof small, reader = carl) =>
    ledgers.readUnderCaps({ charge: charge.charge.id, reader: reader.id });
  await read(small);
  await read(small);
  expect((await ledgers.balance(cap.id)).state.epsilon).toBe(eps("0.3"));
  expect(await codeOf(read(large))).toBe("QUOTA_EXHAUSTED");
  expect((await ledgers.balance(cap.id)).state.epsilon).toBe(eps("0.3"));
  // Readers without a cap, and what they paid themselves, cost nothing.
  await read(large, town.bob);
  expect((await ledgers.balance(town.bobs.id)).state.epsilon).toBe(0n);
  // What was read stays read: it cannot be withdrawn, and the account replays with it.
  expect(await codeOf(ledgers.withdraw({ account: cap.id, epsilon: eps("0.3"), by }))).toBe("QUOTA_UNAVAILABLE");
  await ledgers.allocate({ account: cap.id, epsilon: eps("0.3"), delta: 0n as never, by });
  await read(large);
  expect((await ledgers.balance(cap.id)).state.epsilon).toBe(eps("0.7"));
  expect((await ledgers.balance(town.ledger.id)).state.epsilon).toBe(eps("0.7"));
  await sound(town);
});
