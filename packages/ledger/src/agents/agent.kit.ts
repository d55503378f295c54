import { type EpsilonAmount, formatEpsilon } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, eps, type Fixture, gaussian, lapsed, pure, soon } from "../testing/fixture.kit.ts";
import type { Confirmation } from "./confirmation.ts";

/** An AI agent of Ada with an account of its own and a token. */
async function agentOf(fixture: Fixture) {
  const { database, ada, ledger, team, teamAccount, dataset } = fixture;
  const { people, ledgers } = database;
  const agent = await people.createPrincipal({ kind: "agent", name: "helper", onBehalfOf: ada.id, by });
  await people.addMember({ team: team.id, principal: agent.id, by });
  const account = await ledgers.openAccount({
    ledger: ledger.id,
    parent: teamAccount.id,
    holder: { kind: "principal", id: agent.id },
    epsilon: eps("1"),
    by,
  });
  const { credential } = await people.createCredential({
    kind: "token",
    principal: agent.id,
    name: "t",
    expiresAt: soon(),
    by,
  });
  const charge = (key: string, events = pure("0.1"), purpose: string | null = null, asked = `plan ${key}`) =>
    ledgers.charge({
      principal: agent.id,
      account: account.id,
      dataset: dataset.id,
      key,
      request: { plan: asked },
      events,
      adjacency: "addRemove",
      lease: { owner: "test", seconds: 60 },
      purpose,
    });
  const ask = (key: string, epsilon: string | null, asked = `plan ${key}`): Promise<Confirmation> =>
    database.agents.askConfirmation({
      principal: agent.id,
      account: account.id,
      dataset: dataset.id,
      key,
      asked: { plan: asked },
      epsilon: epsilon === null ? null : eps(epsilon),
      credential: credential.id,
      purpose: "to see",
    });
  const limit = (hour: string | null, above: string | null = null) =>
    database.agents.setAgentLimits({
      agent: agent.id,
      hourEpsilon: hour === null ? null : eps(hour),
      confirmAbove: above === null ? null : eps(above),
      by: ada.id,
    });
  const decide = (confirmation: string, verdict: "confirmed" | "refused" = "confirmed", person = ada.id) =>
    database.agents.decideConfirmation({ confirmation, verdict, by: person });
  return { agent, account, credential, charge, ask, limit, decide };
}

export function agentKit(fixture: Build): void {
  describe("AI agents", () => {
    test("an agent spends at most its limit within an hour, over all its charges, and what it spends for is kept", async () => {
      const built = await fixture({ quota: "4" });
      const { database, store } = built;
      const { agent, charge, limit } = await agentOf(built);
      await charge("before", pure("0.1"), " ages \n by region ");
      await limit("0.35");
      await charge("a", pure("0.2"));
      await expect(charge("b", pure("0.1"))).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: { dimension: "hour", available: "0.05", requested: "0.1", largestEpsilon: "0.05", limit: "0.35" },
      });
      await charge("a", pure("0.2")); // the same key is not counted twice
      await charge("c", pure("0.05"));
      expect(await database.agents.spentThisHour(agent.id)).toBe(BigInt(eps("0.35")));
      expect(await codeOf(charge("d", pure("0.001")))).toBe("QUOTA_EXHAUSTED");
      // An hour later the first two are no longer counted.
      const old = new Date(Date.now() - 3_600_001).toISOString();
      await store.transact(({ db }) =>
        db.updateTable("agent_charge").set({ at: old }).where("epsilon", ">", eps("0.05")).execute(),
      );
      expect(await database.agents.spentThisHour(agent.id)).toBe(BigInt(eps("0.05")));
      await charge("d", pure("0.3"));
      const listed = await database.agents.agentCharges({ agent: agent.id, limit: 10 });
      expect(listed.map(({ epsilon }) => epsilon)).toEqual([eps("0.3"), eps("0.05"), eps("0.2"), eps("0.1")]);
      expect(listed.at(-1)?.purpose).toBe("ages by region");
    });

    test("charges that arrive together never pass the limit", async () => {
      const built = await fixture({ quota: "4" });
      const { agent, charge, limit } = await agentOf(built);
      await limit("0.5");
      const all = await Promise.allSettled(Array.from({ length: 20 }, (_, each) => charge(`k${each}`, pure("0.1"))));
      expect(all.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
      expect(await built.database.agents.spentThisHour(agent.id)).toBe(BigInt(eps("0.5")));
    });

    test("what has no price in ε is refused within an hour's limit, and fills the hour where it came before", async () => {
      const built = await fixture({ rule: "tight", quota: "4" });
      const { charge, limit, ask, decide } = await agentOf(built);
      await limit("0.5");
      await expect(charge("g", gaussian("20"))).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: { dimension: "hour", requested: null },
      });
      await limit(null, "0.5");
      expect(await codeOf(charge("g", gaussian("20")))).toBe("CONFIRMATION_NEEDED");
      await decide((await ask("g", null)).id);
      await charge("g", gaussian("20"));
      await limit("0.5");
      expect(await codeOf(charge("after", pure("0.01")))).toBe("QUOTA_EXHAUSTED");
    });

    test("above what it may spend by itself an agent waits for its person, and what was confirmed is charged once", async () => {
      const built = await fixture({ quota: "4" });
      const { database, ada, bob } = built;
      const { agent, account, charge, ask, limit, decide } = await agentOf(built);
      await limit(null, "0.2");
      await charge("small", pure("0.2"));
      await expect(charge("big", pure("0.3"))).rejects.toMatchObject({
        code: "CONFIRMATION_NEEDED",
        details: { requested: "0.3", available: "0.2", largestEpsilon: "0.2" },
      });
      const asked = await ask("big", "0.3");
      expect(await ask("big", "0.3")).toEqual(asked);
      expect(await database.agents.openConfirmations({ agents: [agent.id] })).toEqual([asked]);
      expect(await codeOf(charge("big", pure("0.3")))).toBe("CONFIRMATION_NEEDED");
      expect(await codeOf(decide(asked.id, "confirmed", agent.id))).toBe("NOT_FOUND");
      expect(await codeOf(decide(asked.id, "confirmed", bob.id))).toBe("NOT_FOUND");
      await Promise.all([decide(asked.id), decide(asked.id)]);
      // Another plan, a higher price and another key are not what was confirmed.
      expect(await codeOf(charge("big", pure("0.3"), null, "another"))).toBe("CONFIRMATION_NEEDED");
      expect(await codeOf(charge("big", pure("0.4")))).toBe("CONFIRMATION_NEEDED");
      expect(await codeOf(charge("big2", pure("0.3"), null, "plan big"))).toBe("CONFIRMATION_NEEDED");
      expect(await codeOf(ask("big", "0.3", "another"))).toBe("IDEMPOTENCY_CONFLICT");
      const charged = await Promise.all(Array.from({ length: 5 }, () => charge("big", pure("0.3"))));
      expect(new Set(charged.map((one) => one.charge.id)).size).toBe(1);
      expect((await database.ledgers.balance(account.id)).state.epsilon).toBe(eps("0.5"));
      expect(await codeOf(decide(asked.id, "refused"))).toBe("CONFLICT");
      expect(await database.agents.openConfirmations({ agents: [agent.id] })).toEqual([]);
      expect(ada.id).not.toBe(agent.id);
    });

    test("what was refused stays refused; a higher price asks again", async () => {
      const built = await fixture({ quota: "4" });
      const { charge, ask, limit, decide } = await agentOf(built);
      await limit(null, "0");
      await decide((await ask("no", "0.1")).id, "refused");
      expect(await ask("no", "0.1")).toMatchObject({ status: "refused" });
      expect(await codeOf(charge("no"))).toBe("CONFIRMATION_NEEDED");
      await decide((await ask("more", "0.1")).id);
      expect(await ask("more", "0.2")).toMatchObject({ status: "pending" });
      expect(await codeOf(charge("more"))).toBe("CONFIRMATION_NEEDED");
    });

    test("a click is taken back until it is charged, ends with its token, and pays for what the person read", async () => {
      const built = await fixture({ quota: "4" });
      const { database } = built;
      const { agent, credential, charge, ask, limit, decide } = await agentOf(built);
      await limit(null, "0.05");
      const back = await ask("back", "0.1");
      await decide(back.id);
      expect(await database.agents.openConfirmations({ agents: [agent.id] })).toMatchObject([
        { id: back.id, status: "confirmed" },
      ]);
      await decide(back.id, "refused");
      expect(await codeOf(charge("back"))).toBe("CONFIRMATION_NEEDED");
      expect(await codeOf(decide(back.id))).toBe("CONFLICT");

      await decide((await ask("said", "0.1")).id);
      await charge("said", pure("0.1"), "something else");
      expect(await database.agents.agentCharges({ agent: agent.id, limit: 1 })).toMatchObject([{ purpose: "to see" }]);

      const clicked = await ask("token", "0.1");
      await decide(clicked.id);
      await database.people.endCredential({ credential: credential.id, by });
      expect(await codeOf(charge("token"))).toBe("CONFIRMATION_NEEDED");
      expect(await database.agents.openConfirmations({ agents: [agent.id] })).toEqual([]);
      expect(await ask("token", "0.1"), "asked again, it waits again").toMatchObject({
        id: clicked.id,
        status: "pending",
      });
    });

    test("a click does not count after the token has ended, the agent was removed, or the question has expired", async () => {
      const built = await fixture({ quota: "4" });
      const { database, store } = built;
      const { agent, credential, charge, ask, limit, decide } = await agentOf(built);
      await limit(null, "0.05");
      const [late, ended, removed, clicked] = await Promise.all(["l", "e", "r", "c"].map((key) => ask(key, "0.1")));
      await decide(clicked?.id ?? "");
      const past = async (id = "") => {
        const expires_at = await lapsed(async (at) => at);
        await store.transact(({ db }) =>
          db.updateTable("confirmation").set({ expires_at }).where("id", "=", id).execute(),
        );
        return expires_at;
      };
      const kept = await store.read.selectFrom("confirmation").selectAll().execute();
      await past(late?.id);
      expect(await codeOf(decide(late?.id ?? ""))).toBe("CONFLICT");
      await past(clicked?.id);
      expect(await codeOf(charge("c"))).toBe("CONFIRMATION_NEEDED");
      // As the audit vouches for it.
      await store.transact(async ({ db }) => {
        for (const { id, expires_at } of kept)
          await db.updateTable("confirmation").set({ expires_at }).where("id", "=", id).execute();
      });
      await database.people.endCredential({ credential: credential.id, by });
      expect(await codeOf(decide(ended?.id ?? ""))).toBe("CONFLICT");
      await database.people.disablePrincipal({ principal: agent.id, by });
      expect(await codeOf(decide(removed?.id ?? ""))).toBe("CONFLICT");
      expect(await codeOf(charge("c"))).toBe("FORBIDDEN");
    });

    test("small charges below the click add up to the hour's limit and no further", async () => {
      const built = await fixture({ quota: "4" });
      const { account, charge, limit } = await agentOf(built);
      await limit("0.3", "0.05");
      const codes: string[] = [];
      for (let each = 0; each < 10; each += 1) codes.push(await codeOf(charge(`part${each}`, pure("0.05"))));
      expect(codes.filter((code) => code === "QUOTA_EXHAUSTED")).toHaveLength(4);
      expect((await built.database.ledgers.balance(account.id)).state.epsilon).toBe(eps("0.3"));
    });

    test("an agent sets no limits, people have none and state no purpose, and what waits is bounded", async () => {
      const built = await fixture({ quota: "4" });
      const { database, ada, adas, dataset } = built;
      const { agent, ask } = await agentOf(built);
      const none = { hourEpsilon: null, confirmAbove: null };
      expect(await codeOf(database.agents.setAgentLimits({ agent: agent.id, ...none, by: agent.id }))).toBe(
        "FORBIDDEN",
      );
      expect(await codeOf(database.agents.setAgentLimits({ agent: ada.id, ...none, by }))).toBe("CONFLICT");
      const own = database.ledgers.charge({
        principal: ada.id,
        account: adas.id,
        dataset: dataset.id,
        key: "own",
        request: {},
        events: pure("0.1"),
        adjacency: "addRemove",
        lease: { owner: "test", seconds: 60 },
        purpose: "why not",
      });
      expect(await codeOf(own)).toBe("INVALID_PARAMETER");
      for (let each = 0; each < 20; each += 1) await ask(`w${each}`, "0.1");
      expect(await codeOf(ask("w20", "0.1"))).toBe("CONFLICT");
    });

    test("a person gives their agent of their own quota and takes back what they gave, and raises no one's", async () => {
      const built = await fixture({ quota: "4", share: "1.5" });
      const { database, ada, bob, adas, bobs, ledger, team, teamAccount } = built;
      const { agent, account, charge } = await agentOf(built);
      const { agents, ledgers, people } = database;
      const quotas = async () =>
        Promise.all(
          [adas, account, teamAccount].map(async ({ id }) => formatEpsilon((await ledgers.account(id)).quota.epsilon)),
        );
      const move = (epsilon: string, more: object = {}) =>
        agents.moveShare({
          agent: agent.id,
          from: adas.id,
          to: account.id,
          epsilon: eps(epsilon),
          by: ada.id,
          ...more,
        });
      const back = (epsilon: string, more: object = {}) => move(epsilon, { from: account.id, to: adas.id, ...more });
      const given = async () => {
        const [share, ...others] = await agents.sharesOf({ agent: agent.id, person: ada.id });
        expect([share?.own.id, share?.account.id, others]).toEqual([adas.id, account.id, []]);
        return formatEpsilon(share?.given.epsilon ?? eps("9"));
      };
      expect(await quotas()).toEqual(["1.5", "1", "4"]);
      await move("0.5");
      await move("0.25");
      expect([await quotas(), await given()]).toEqual([["0.75", "1.75", "4"], "0.75"]);
      await back("0.25");
      expect([await quotas(), await given()]).toEqual([["1", "1.5", "4"], "0.5"]);

      const before = await quotas();
      const refused = async (moved: Promise<void>, code: string, why: string) =>
        expect(await codeOf(moved), why).toBe(code);
      await refused(move("1.25"), "QUOTA_UNAVAILABLE", "more than the person has");
      await refused(back("0.75"), "QUOTA_UNAVAILABLE", "what the team gave the agent, and not the person");
      await refused(move("0.1", { by: agent.id }), "FORBIDDEN", "the agent itself");
      await refused(back("0.1", { by: agent.id }), "FORBIDDEN", "the agent itself");
      await refused(move("0.1", { by: bob.id }), "FORBIDDEN", "someone else's agent");
      await refused(move("0.1", { by: bob.id, from: bobs.id }), "FORBIDDEN", "from someone else");
      await refused(move("0.1", { by }), "FORBIDDEN", "the operator");
      await refused(move("0.1", { from: bobs.id }), "NOT_FOUND", "someone else's quota");
      await refused(move("0.1", { to: bobs.id }), "NOT_FOUND", "to someone else");
      await refused(move("0.1", { from: teamAccount.id }), "NOT_FOUND", "the team's quota");
      await refused(back("0.1", { to: bobs.id }), "NOT_FOUND", "the agent's quota to someone else");
      await refused(move("0.1", { to: adas.id }), "NOT_FOUND", "to themselves");
      await refused(move("0.1", { agent: ada.id }), "FORBIDDEN", "a person is no agent");

      const holder = { kind: "principal", id: agent.id } as const;
      const elsewhere = await ledgers.openAccount({ ledger: ledger.id, parent: null, holder, epsilon: eps("0.5"), by });
      await refused(move("0.1", { to: elsewhere.id }), "CONFLICT", "an account that the team does not fund");
      await refused(back("0.1", { from: elsewhere.id }), "CONFLICT", "quota that is not the team's");

      // Limits of the person's account are no limits where their agent's has none.
      const limits = (of: typeof adas, set: { expiresAt?: string | null; queryEpsilon?: EpsilonAmount | null }) =>
        ledgers.setAccount({ account: of.id, ...set, by });
      const [sooner, later] = [soon(), new Date(Date.parse(soon()) + 86_400_000).toISOString()];
      await limits(adas, { expiresAt: sooner, queryEpsilon: eps("0.1") });
      await refused(move("0.1"), "CONFLICT", "it ends later");
      await limits(account, { expiresAt: later, queryEpsilon: eps("0.1") });
      await refused(move("0.1"), "CONFLICT", "it ends later");
      await limits(account, { expiresAt: sooner, queryEpsilon: eps("0.2") });
      await refused(move("0.1"), "CONFLICT", "it takes larger charges");
      await limits(account, { queryEpsilon: null });
      await refused(move("0.1"), "CONFLICT", "it takes any charge");
      await limits(account, { queryEpsilon: eps("0.1") });
      await move("0.1");
      await back("0.1");

      for (const frozen of [adas, account]) {
        await ledgers.freeze({ account: frozen.id, by });
        await refused(move("0.1"), "ACCOUNT_CLOSED", "a frozen account");
        await refused(back("0.1"), "ACCOUNT_CLOSED", "a frozen account");
        await ledgers.unfreeze({ account: frozen.id, by });
      }
      expect([await quotas(), await given()]).toEqual([before, "0.5"]);

      // What is spent stays spent; of a removed agent the rest is taken back, and nothing is given to it.
      for (let each = 0; each < 12; each += 1) await charge(`k${each}`, pure("0.1"));
      await refused(back("0.4"), "QUOTA_UNAVAILABLE", "it is spent");
      await people.disablePrincipal({ principal: agent.id, by: ada.id });
      await refused(move("0.1"), "ACCOUNT_CLOSED", "a removed agent");
      await back("0.3");
      expect([await quotas(), await given()]).toEqual([["1.3", "1.2", "4"], "0.2"]);

      await people.removeMember({ team: team.id, principal: ada.id, by });
      await refused(back("0"), "NOT_FOUND", "who has left the team");
      expect((await database.audit.verify()).problems).toEqual([]);
    });
  });
}
