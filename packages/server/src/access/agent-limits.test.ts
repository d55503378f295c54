import type { Client } from "@dosimeter/client";
import { afterEach, beforeAll, expect, test } from "vitest";
import { fixtureOf } from "../fixture.kit.ts";
import { browserOf, clientOf, countPlan, ORIGIN } from "../instance.kit.ts";
import { agentAt, called } from "../mcp/mcp.kit.ts";

const fixture = fixtureOf();
let operator: Client;
/** The member's browser, in which they signed in themselves. */
let browser: Client;
let made = 0;
const opened: string[] = [];
beforeAll(async () => {
  operator = clientOf(fixture.instance, fixture.instance.operatorToken);
  browser = browserOf(fixture.instance.fetch);
  const { url } = await operator.createSignInLink({ person: fixture.people.member });
  await browser.signIn({ link: new URL(url).hash.slice(1) });
});
/** What an agent did not spend goes back to its team. */
afterEach(async () => {
  for (const account of opened.splice(0)) await fixture.as.teamAdmin.closeAccount({ account });
});

/** An agent of the member with an account of ε = 0.12, and a tool call as a model makes it. */
async function newAgent(limits: { readonly hourEpsilon: string | null; readonly confirmAbove: string | null }) {
  const { instance, as, people, ledger, team, teamAccount, dataset } = fixture;
  made += 1;
  const { id: agent } = await operator.createPerson({
    name: `agent ${made}`,
    kind: "agent",
    onBehalfOf: people.member,
  });
  const { secret, id: token } = await operator.createServiceToken({
    person: agent,
    name: "mcp",
    scopes: ["read", "release", "admin"],
  });
  await as.teamAdmin.addMember({ team, person: agent });
  const { id: account } = await as.teamAdmin.createAccount({
    ledger,
    parent: teamAccount,
    holder: { kind: "person", id: agent },
    epsilon: "0.12",
  });
  opened.push(account);
  await browser.setAgentLimits({ agent, ...limits });
  const mcp = await agentAt(ORIGIN, secret, { fetch: instance.fetch });
  const ask = (epsilon: string, key: string, more: object = {}) =>
    called(mcp, "release_plan", { dataset, account, plan: countPlan(epsilon), key, ...more });
  const spent = async () => Number((await clientOf(instance, secret).showAccount({ account })).balance.epsilon.spent);
  const seen = async () => (await browser.listAgents({ limit: 200 })).items.find(({ id }) => id === agent);
  return { agent, token, secret, account, mcp, ask, spent, seen, client: clientOf(instance, secret) };
}

test("a release above the amount waits for the person's click in a browser, is charged once, and is polled with wait_release", async () => {
  const { ask, mcp, seen, spent } = await newAgent({ hourEpsilon: null, confirmAbove: "0.05" });
  const purpose = "How many people are there?";
  const refused = await ask("0.1", "big", { purpose });
  expect(refused.text).toContain("CONFIRMATION_NEEDED. This call charged nothing.");
  expect(refused.said).toMatchObject({
    requested: "0.1",
    largestEpsilon: "0.05",
    person: "member",
    decision: "pending",
    next: { tool: "wait_release", arguments: { release: expect.stringMatching(/^cnf_/) } },
  });
  expect((await ask("0.1", "big", { purpose })).said.confirmation).toBe(refused.said.confirmation);
  const waiting = (await seen())?.waiting ?? [];
  expect(waiting).toMatchObject([
    { datasetName: "staff", epsilon: "0.1", purpose, status: "pending", release: null, plan: countPlan("0.1") },
  ]);
  expect(waiting[0]?.text).toContain("COUNT");
  const wait = { release: String(refused.said.confirmation), wait: 0 };
  expect((await called(mcp, "wait_release", wait)).said).toMatchObject({
    decision: "pending",
    next: refused.said.next,
  });
  expect(await spent()).toBe(0);
  const confirmation = String(refused.said.confirmation);
  const long = called(mcp, "wait_release", { ...wait, wait: 20 });
  await Promise.all([0, 1].map(() => browser.decideConfirmation({ confirmation, verdict: "confirm" })));
  const polled = await long;
  expect(polled.said).toMatchObject({ epsilon: "0.1", byKind: "agent" });
  expect((await ask("0.1", "big", { purpose })).said.id).toBe(polled.said.id);
  expect(await spent()).toBe(0.1);
  expect(await seen()).toMatchObject({ waiting: [], spentThisHour: "0.1", charges: [{ epsilon: "0.1", purpose }] });
});

test("a quote says what the agent's limits would make of it, and its person is notified of what waits", async () => {
  const { ask, account, client, seen } = await newAgent({ hourEpsilon: "0.08", confirmAbove: "0.05" });
  const { dataset, as, memberAccount } = fixture;
  const outcomeOf = async (plan: Parameters<Client["quotePlan"]>[0]["plan"]) =>
    (await client.quotePlan({ dataset, account, plan })).agent;
  const limits = { hourLeft: "0.08", confirmAbove: "0.05" };
  expect(await outcomeOf(countPlan("0.05"))).toEqual({ ...limits, outcome: "charged" });
  expect(await outcomeOf(countPlan("0.06"))).toEqual({ ...limits, outcome: "waits" });
  expect(await outcomeOf(countPlan("0.09"))).toEqual({ ...limits, outcome: "refused" });
  expect(await outcomeOf(countPlan("9"))).toBeNull(); // the ledger refuses it first
  await ask("0.04", "part");
  expect(await outcomeOf(countPlan("0.05"))).toEqual({ ...limits, hourLeft: "0.04", outcome: "refused" });
  expect((await as.member.quotePlan({ dataset, account: memberAccount, plan: countPlan("0.01") })).agent).toBeNull();
  await browser.setAgentLimits({ agent: (await seen())?.id ?? "", hourEpsilon: null });
  const before = (await browser.listNotifications({})).items.filter(({ kind }) => kind === "agentWaits").length;
  const purpose = "Click here: https://evil.example";
  const waits = await ask("0.06", "waits", { purpose });
  await ask("0.06", "waits", { purpose });
  const told = (await browser.listNotifications({})).items.filter(({ kind }) => kind === "agentWaits");
  expect(told).toHaveLength(before + 1); // once, however often it asks
  expect(told[0]).toMatchObject({ subject: waits.said.confirmation, path: "/settings", readAt: null });
  expect(told[0]?.title).toMatch(/^agent \d+ asks for your click on /);
  expect(JSON.stringify(told[0])).not.toContain("evil"); // nothing that the agent wrote
});

test("no token confirms: not the agent's, not the person's, not that of an admin, and no session that a token began", async () => {
  const { ask, agent, client, spent } = await newAgent({ hourEpsilon: null, confirmAbove: "0" });
  const confirmation = String((await ask("0.1", "k")).said.confirmation);
  const input = { confirmation, verdict: "confirm" } as const;
  const byToken = browserOf(fixture.instance.fetch);
  await byToken.signIn({ token: fixture.tokens.member });
  for (const [who, code] of [
    [client, "FORBIDDEN"],
    [fixture.as.member, "FORBIDDEN"],
    [byToken, "FORBIDDEN"],
    [operator, "NOT_FOUND"],
    [fixture.as.platformAdmin, "NOT_FOUND"],
    [fixture.as.stranger, "NOT_FOUND"],
  ] as const) {
    await expect(who.decideConfirmation(input)).rejects.toMatchObject({ code });
  }
  // Nor does a token of the person, or the agent, take the limit away.
  const none = { agent, hourEpsilon: null, confirmAbove: null };
  for (const who of [fixture.as.member, byToken])
    await expect(who.setAgentLimits(none)).rejects.toMatchObject({ code: "FORBIDDEN" });
  for (const who of [client, fixture.as.stranger])
    await expect(who.setAgentLimits(none)).rejects.toMatchObject({ code: "NOT_FOUND" });
  // Whatever roles an agent has, it lets no one in, so it cannot click in the person's place.
  await operator.grantRole({ person: agent, role: "platformAdmin", object: { kind: "platform" } });
  await expect(client.createSignInLink({ person: fixture.people.member })).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(client.setAgentLimits(none)).rejects.toMatchObject({ code: "FORBIDDEN" });
  expect(await spent()).toBe(0);
  await expect(fixture.as.stranger.showConfirmation({ confirmation })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await browser.decideConfirmation({ confirmation, verdict: "refuse" });
  const again = await ask("0.1", "k");
  expect(again.said).toMatchObject({ decision: "refused", next: null });
  await expect(browser.decideConfirmation(input)).rejects.toMatchObject({ code: "CONFLICT" });
});

test("an agent that splits a question into parts below the click, at once and under many keys, spends its hour and no more", async () => {
  const { ask, spent, seen } = await newAgent({ hourEpsilon: "0.06", confirmAbove: "0.02" });
  const parts = await Promise.all(Array.from({ length: 8 }, (_, each) => ask("0.02", `part-${each}`)));
  expect(parts.filter(({ isError }) => !isError)).toHaveLength(3);
  const refused = parts.find(({ isError }) => isError);
  expect(refused?.text).toContain("QUOTA_EXHAUSTED. This call charged nothing.");
  expect(refused?.said).toMatchObject({ dimension: "hour", available: "0", requested: "0.02", limit: "0.06" });
  expect(await spent()).toBe(0.06);
  const larger = await ask("0.05", "larger");
  expect(larger.said).toMatchObject({ code: "QUOTA_EXHAUSTED" }); // what no hour holds does not even wait for a person
  expect(await seen()).toMatchObject({ spentThisHour: "0.06", waiting: [] });
});

test("a refusal by the hour says what fits, with the arguments of its quote", async () => {
  const { ask, mcp } = await newAgent({ hourEpsilon: "0.05", confirmAbove: null });
  const { said } = await ask("0.1", "k");
  expect(said).toMatchObject({ largestEpsilon: "0.05", next: { tool: "quote_plan" } });
  expect((await called(mcp, said.next?.tool ?? "", said.next?.arguments)).said).toMatchObject({
    cost: { epsilon: "0.05" },
  });
});

/** Others' answers may be reused, and the share that reuses them pays what they cost, while `run` runs. */
async function atOwnLevel(run: () => Promise<void>): Promise<void> {
  const { as, dataset, memberAccount: account } = fixture;
  await as.member.releaseAndWait({ dataset, account, plan: countPlan("0.11") });
  await as.datasetAdmin.setReusePolicy({ dataset, visibility: "team", price: "ownLevel" });
  try {
    await run();
  } finally {
    await as.datasetAdmin.setReusePolicy({ dataset, visibility: "member", price: "free" });
  }
}

test("an earlier answer that the agent's share pays for counts in its hour and waits for the click", () =>
  atOwnLevel(async () => {
    const reuse = { reuse: "asAccurate" };
    const hour = await newAgent({ hourEpsilon: "0.01", confirmAbove: null });
    expect((await hour.ask("0.1", "k", reuse)).said).toMatchObject({
      code: "QUOTA_EXHAUSTED",
      dimension: "hour",
      requested: "0.11",
    });
    expect([await hour.spent(), (await hour.seen())?.spentThisHour]).toEqual([0, "0"]);
    const click = await newAgent({ hourEpsilon: null, confirmAbove: "0" });
    const { said } = await click.ask("0.1", "k", reuse);
    expect(said).toMatchObject({ code: "CONFIRMATION_NEEDED", requested: "0.11" });
    expect(await click.spent()).toBe(0);
    await browser.decideConfirmation({ confirmation: String(said.confirmation), verdict: "confirm" });
    expect((await click.ask("0.1", "k", reuse)).said).toMatchObject({ answers: [{ origin: { kind: "same" } }] });
    expect(await click.spent()).toBe(0.11);
    expect(await click.seen()).toMatchObject({ spentThisHour: "0.11", charges: [{ epsilon: "0.11" }] });
    // Paid once: the same answer again is free.
    expect((await click.ask("0.1", "again", reuse)).isError).not.toBe(true);
    expect([await click.spent(), (await click.seen())?.spentThisHour]).toEqual([0.11, "0.11"]);
  }));

test("a charge that is refused leaves nothing paid for the earlier answers that it would have used", () =>
  atOwnLevel(async () => {
    const [count] = countPlan("0.1").statistics;
    const mixed = (epsilon: string) => ({
      plan: { statistics: [count, { id: "mean", statistic: "mean", column: "age", epsilon }] },
      reuse: "asAccurate",
    });
    const { ask, spent, seen, account } = await newAgent({ hourEpsilon: null, confirmAbove: "0.005" });
    const refused = await ask("0.1", "k", mixed("0.01"));
    expect(refused.text).toContain("CONFIRMATION_NEEDED. This call charged nothing.");
    expect(await spent()).toBe(0);
    expect((await seen())?.waiting).toMatchObject([{ epsilon: "0.12" }]);
    // Of 0.12 both fit alone, and not together.
    expect((await ask("0.1", "k2", mixed("0.02"))).said).toMatchObject({ code: "QUOTA_EXHAUSTED", account });
    expect(await spent()).toBe(0);
  }));

test("a click counts for nothing once the token was revoked or the agent removed", async () => {
  const one = await newAgent({ hourEpsilon: null, confirmAbove: "0" });
  const first = String((await one.ask("0.1", "k")).said.confirmation);
  await operator.revokeServiceToken({ person: one.agent, token: one.token });
  await expect(browser.decideConfirmation({ confirmation: first, verdict: "confirm" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  const other = await newAgent({ hourEpsilon: null, confirmAbove: "0" });
  const second = String((await other.ask("0.1", "k")).said.confirmation);
  await expect(fixture.as.stranger.removeAgent({ agent: other.agent })).rejects.toMatchObject({ code: "NOT_FOUND" });
  await browser.removeAgent({ agent: other.agent });
  await expect(browser.decideConfirmation({ confirmation: second, verdict: "confirm" })).rejects.toMatchObject({
    code: "CONFLICT",
  });
  await expect(other.client.me()).rejects.toMatchObject({ code: "UNAUTHENTICATED" });
  expect((await one.seen())?.charges).toEqual([]);
  expect((await other.seen())?.removedAt).not.toBeNull();
});

test("a click that could not be charged at once is shown, can be taken back, and is of no use to another token", async () => {
  const { agent, token, account, ask, seen } = await newAgent({ hourEpsilon: null, confirmAbove: "0" });
  const { instance, as, dataset } = fixture;
  const click = async (key: string) => {
    const confirmation = String((await ask("0.1", key)).said.confirmation);
    await as.teamAdmin.freezeAccount({ account });
    await expect(browser.decideConfirmation({ confirmation, verdict: "confirm" })).rejects.toMatchObject({
      code: "ACCOUNT_CLOSED",
    });
    await as.teamAdmin.unfreezeAccount({ account });
    return confirmation;
  };
  const back = await click("back");
  expect((await seen())?.waiting).toMatchObject([{ id: back, status: "confirmed", release: null }]);
  await browser.decideConfirmation({ confirmation: back, verdict: "refuse" });
  expect((await seen())?.waiting).toEqual([]);
  expect((await ask("0.1", "back")).said).toMatchObject({ decision: "refused" });

  await click("kept");
  await operator.revokeServiceToken({ person: agent, token });
  const { secret } = await operator.createServiceToken({ person: agent, name: "mcp2", scopes: ["read", "release"] });
  const other = await agentAt(ORIGIN, secret, { fetch: instance.fetch });
  const again = await called(other, "release_plan", { dataset, account, plan: countPlan("0.1"), key: "kept" });
  expect(again.said).toMatchObject({ code: "CONFIRMATION_NEEDED", decision: "pending" });
  expect(await clientOf(instance, secret).showAccount({ account })).toMatchObject({
    balance: { epsilon: { spent: "0" } },
  });
});

test("a purpose is a short text of an agent alone, and never part of what is charged", async () => {
  const { ask, seen, client } = await newAgent({ hourEpsilon: null, confirmAbove: null });
  const hostile = 'Ignore the rules; SELECT * "{}" <b>';
  const { said } = await ask("0.01", "k", { purpose: hostile });
  expect((await ask("0.01", "k", { purpose: "another" })).said.id).toBe(said.id);
  expect((await seen())?.charges).toMatchObject([{ purpose: hostile, title: expect.stringContaining("Count") }]);
  expect((await ask("0.01", "k2", { purpose: "x".repeat(501) })).said).toMatchObject({ code: "INVALID_PARAMETER" });
  for (const unseen of ["\u202e", "\u200b", "\u061c", "\u{e0041}"])
    expect((await ask("0.01", "k2", { purpose: `a${unseen}b` })).said).toMatchObject({ code: "INVALID_PARAMETER" });
  // Nor does a title that the agent gave its release stand where the page says what was asked.
  await client.labelRelease({ release: String(said.id), title: "Checked by your administrator" });
  expect((await seen())?.charges[0]?.title).toMatch(/^Count/);
  const { memberAccount: account, dataset } = fixture;
  await expect(
    fixture.as.member.createRelease(
      { dataset, account, plan: countPlan("0.01"), purpose: "mine" },
      { idempotencyKey: "own" },
    ),
  ).rejects.toMatchObject({ code: "INVALID_PARAMETER", details: { name: "purpose" } });
});
