import { describe, expect, test } from "vitest";
import { openLedgerDatabase } from "../index.ts";
import { type Build, by, codeOf, eps, lapsed, pure, soon } from "../testing/fixture.kit.ts";
import type { PrincipalId } from "../values/id.ts";

export function peopleKit(fixture: Build): void {
  describe("people", () => {
    test("a secret opens its account until it is ended, and only in its own way", async () => {
      const { ledgerDatabase, ada } = await fixture();
      const { credential, secret } = await ledgerDatabase.people.createCredential({
        kind: "token",
        principal: ada.id,
        name: "cli",
        scopes: ["release"],
        expiresAt: soon(),
        by,
      });
      const seen = await ledgerDatabase.people.authenticate("token", secret);
      expect(seen.principal.id).toBe(ada.id);
      expect(seen.credential.scopes).toEqual(["release"]);
      expect(await codeOf(ledgerDatabase.people.authenticate("session", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(ledgerDatabase.people.authenticate("token", `${secret}x`))).toBe("UNAUTHENTICATED");
      await ledgerDatabase.people.endCredential({ credential: credential.id, by: ada.id });
      expect(await codeOf(ledgerDatabase.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
    });

    test("no secret is stored, only its SHA-256", async () => {
      const { ledgerDatabase, ada, store } = await fixture();
      const { secret } = await ledgerDatabase.people.createCredential({
        kind: "session",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      const rows = await store.read.selectFrom("credential").selectAll().execute();
      const lines = await store.read.selectFrom("audit").selectAll().execute();
      const text = JSON.stringify([rows, lines], (_, value) => (typeof value === "bigint" ? String(value) : value));
      expect(text).not.toContain(secret);
      expect(rows[0]?.secret_hash).toBe(store.sha256(secret));
    });

    test("a secret expires", async () => {
      const { ledgerDatabase, ada } = await fixture();
      const until = (expiresAt: string) =>
        ledgerDatabase.people.createCredential({ kind: "token", principal: ada.id, expiresAt, by });
      const { secret } = await lapsed(until);
      expect(await codeOf(ledgerDatabase.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(until(new Date(Date.now() - 1).toISOString()))).toBe("INVALID_PARAMETER");
    });

    test("a sign-in link works once, however many click it at once", async () => {
      const { ledgerDatabase, ada } = await fixture();
      const { secret } = await ledgerDatabase.people.createCredential({
        kind: "link",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      const clicks = await Promise.allSettled(
        Array.from({ length: 20 }, () => ledgerDatabase.people.redeemLink(secret)),
      );
      expect(clicks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test("disabling someone ends every way in, and what was spent stays", async () => {
      const { ledgerDatabase, ada, charge, adas } = await fixture();
      const { secret } = await ledgerDatabase.people.createCredential({
        kind: "token",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      await charge("k", pure("0.25"));
      expect((await ledgerDatabase.people.disablePrincipal({ principal: ada.id, by })).disabledAt).not.toBeNull();
      expect(await codeOf(ledgerDatabase.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(charge("k2", pure("0.25")))).toBe("FORBIDDEN");
      expect((await ledgerDatabase.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.25"));
    });

    test("removing someone ends all they hold, and what acts for them, at once", async () => {
      const { ledgerDatabase, store, ada, bob, team, dataset, adas, charge } = await fixture();
      const agent = await ledgerDatabase.people.createPrincipal({
        kind: "agent",
        name: "hers",
        onBehalfOf: ada.id,
        by,
      });
      const key = { kind: "token", principal: agent.id, expiresAt: soon(), by } as const;
      const { secret } = await ledgerDatabase.people.createCredential(key);
      await ledgerDatabase.people.setPassword({ principal: ada.id, hash: "h", by: ada.id });
      for (const principal of [ada.id, bob.id])
        await ledgerDatabase.people.grantRole({ principal, role: "teamAdmin", object: team.id, by });
      await charge("k", pure("0.25"));
      const asked = { by: ada.id, dataset: dataset.id, target: { account: adas.id }, epsilon: eps("0.1"), note: "" };
      const { id: request } = await ledgerDatabase.requests.make(asked);
      let commits = 0;
      const counted = await openLedgerDatabase({
        ...store,
        transact: (body) => {
          commits += 1;
          return store.transact(body);
        },
      });
      commits = 0;
      await counted.people.disablePrincipal({ principal: ada.id, by });
      expect(commits, "a crash cannot leave a service alive").toBe(1);
      expect((await ledgerDatabase.people.principal(agent.id)).disabledAt).not.toBeNull();
      expect(await codeOf(ledgerDatabase.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await ledgerDatabase.people.passwordOf(ada.id)).toBeNull();
      expect(await ledgerDatabase.people.rolesOf(ada.id)).toMatchObject({ teamAdminOf: [], memberOf: [] });
      expect((await ledgerDatabase.requests.request(request)).status).toBe("withdrawn");
      expect((await ledgerDatabase.ledgers.account(adas.id)).status).toBe("frozen");
      expect(await codeOf(ledgerDatabase.people.restorePrincipal({ principal: agent.id, by }))).toBe("CONFLICT");
      await ledgerDatabase.people.restorePrincipal({ principal: ada.id, by });
      expect((await ledgerDatabase.people.restorePrincipal({ principal: agent.id, by })).disabledAt).toBeNull();
      expect(await codeOf(ledgerDatabase.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      await ledgerDatabase.people.addMember({ team: team.id, principal: ada.id, by });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      await ledgerDatabase.ledgers.unfreeze({ account: adas.id, by });
      expect(await codeOf(charge("k3", pure("0.8")))).toBe("QUOTA_EXHAUSTED");
      expect((await ledgerDatabase.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.25"));
    });

    test("a name and an address change, and an address is one person's, also of who was removed", async () => {
      const { ledgerDatabase, ada, bob, team } = await fixture();
      const set = (what: { name?: string; email?: string | null }) =>
        ledgerDatabase.people.setPrincipal({ principal: ada.id, ...what, by });
      expect(await set({ name: " Ada L. ", email: "A@New.org" })).toMatchObject({ name: "Ada L.", email: "a@new.org" });
      expect(await set({ email: null })).toMatchObject({ name: "Ada L.", email: null });
      expect(await codeOf(set({ email: "bob@example.org" }))).toBe("CONFLICT");
      await ledgerDatabase.people.disablePrincipal({ principal: bob.id, by });
      await expect(set({ email: "bob@example.org" })).rejects.toThrow("Bob, who was removed, can be let back in");
      const given = { principal: bob.id, by };
      expect(await codeOf(ledgerDatabase.people.grantRole({ ...given, role: "auditor" }))).toBe("CONFLICT");
      expect(await codeOf(ledgerDatabase.people.addMember({ ...given, team: team.id }))).toBe("CONFLICT");
    });

    test("another address ends the sign-in links, of no other kind and of nobody else, and the old one is told", async () => {
      const { ledgerDatabase, ada, bob } = await fixture();
      const make = async (kind: "link" | "session", principal: PrincipalId, address?: string) => {
        const mailed = address === undefined ? {} : { address };
        return (await ledgerDatabase.people.createCredential({ kind, principal, expiresAt: soon(), by, ...mailed }))
          .secret;
      };
      const [hers, his, session] = [
        await make("link", ada.id, "ada@example.org"),
        await make("link", bob.id),
        await make("session", ada.id),
      ];
      const spare = await make("link", ada.id);
      const set = (what: object) => ledgerDatabase.people.setPrincipal({ principal: ada.id, ...what, by: ada.id });
      await set({ name: "Ada L.", email: "Ada@Example.org " });
      expect((await ledgerDatabase.people.redeemLink(spare)).id, "it is the same address").toBe(ada.id);
      await set({ email: "ada@new.example" });
      expect(await codeOf(ledgerDatabase.people.redeemLink(hers))).toBe("UNAUTHENTICATED");
      expect((await ledgerDatabase.people.redeemLink(his)).id).toBe(bob.id);
      expect((await ledgerDatabase.people.authenticate("session", session)).principal.id).toBe(ada.id);
      expect(await codeOf(make("link", ada.id, "ada@example.org"))).toBe("CONFLICT");
      const due = await ledgerDatabase.outbox.takeDue({ limit: 50, channels: ["mail"] });
      const security = due.filter(({ message }) => (message as { kind: string }).kind === "security");
      expect(security.map(({ address }) => address)).toEqual(["ada@example.org"]);
      expect((await ledgerDatabase.audit.verify()).problems).toEqual([]);
    });

    test("of two admins of a team who leave at once, one stays", async () => {
      const { ledgerDatabase, ada, bob, team } = await fixture();
      for (const { id } of [ada, bob])
        await ledgerDatabase.people.addMember({ team: team.id, principal: id, role: "teamAdmin", by });
      const leave = ({ id: principal }: { id: PrincipalId }) =>
        ledgerDatabase.people.removeMember({ team: team.id, principal, by });
      expect((await Promise.all([ada, bob].map((who) => codeOf(leave(who))))).toSorted()).toEqual([
        "CONFLICT",
        "nothing was thrown",
      ]);
      const [left] = await ledgerDatabase.people.roleBindings(team.id);
      expect(await codeOf(ledgerDatabase.people.revokeRole({ binding: left?.id ?? "", by }))).toBe("CONFLICT");
      await ledgerDatabase.people.closeTeam({ team: team.id, by });
      expect(await ledgerDatabase.people.roleBindings(team.id)).toEqual([]);
      expect((await ledgerDatabase.people.members(team.id)).every(({ until }) => until !== null)).toBe(true);
    });

    test("of two admins of the platform who remove each other at once, one stays; only the operator takes the last one", async () => {
      const { ledgerDatabase } = await fixture();
      const admin = async (kind: "user" | "service", name: string, demo = false) => {
        const { id } = await ledgerDatabase.people.createPrincipal({ kind, name, demo, by });
        await ledgerDatabase.people.grantRole({ principal: id, role: "platformAdmin", by });
        return id;
      };
      const operator = await admin("service", "operator");
      const [one, two] = [await admin("user", "One"), await admin("user", "Two")];
      await admin("user", "Of the demo", true);
      const once = ["CONFLICT", "nothing was thrown"];
      const both = async (act: (whom: PrincipalId, who: PrincipalId) => Promise<unknown>) =>
        (await Promise.all([codeOf(act(one, two)), codeOf(act(two, one))])).toSorted();

      expect(await both((principal, who) => ledgerDatabase.people.disablePrincipal({ principal, by: who }))).toEqual(
        once,
      );
      for (const principal of [one, two]) {
        await ledgerDatabase.people.restorePrincipal({ principal, by });
        await ledgerDatabase.people.grantRole({ principal, role: "platformAdmin", by });
      }
      const bindings = await ledgerDatabase.people.roleBindings();
      const bindingOf = (whom: PrincipalId) => bindings.find(({ principal }) => principal === whom)?.id ?? "";
      expect(
        await both((whom, who) => ledgerDatabase.people.revokeRole({ binding: bindingOf(whom), by: who })),
      ).toEqual(once);

      const isAdmin = async (id: PrincipalId) => (await ledgerDatabase.people.rolesOf(id)).platformAdmin;
      const last = (await isAdmin(one)) ? one : two;
      const bot = await ledgerDatabase.people.createPrincipal({ kind: "service", name: "bot", onBehalfOf: last, by });
      await ledgerDatabase.people.grantRole({ principal: bot.id, role: "platformAdmin", by });
      expect(await codeOf(ledgerDatabase.people.disablePrincipal({ principal: last, by: bot.id }))).toBe("CONFLICT");
      expect((await ledgerDatabase.people.principal(bot.id)).disabledAt, "nothing of it stands").toBeNull();
      await ledgerDatabase.people.disablePrincipal({ principal: last, by: operator });
      expect([await isAdmin(last), await isAdmin(bot.id), await isAdmin(operator)]).toEqual([false, false, true]);
      expect((await ledgerDatabase.audit.verify()).problems).toEqual([]);
    });

    test("leaving a team and coming back changes nothing that was spent", async () => {
      const { ledgerDatabase, ada, team, charge, adas } = await fixture();
      await charge("k", pure("0.75"));
      await ledgerDatabase.people.removeMember({ team: team.id, principal: ada.id, by });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("FORBIDDEN");
      await ledgerDatabase.people.addMember({ team: team.id, principal: ada.id, by });
      expect(await ledgerDatabase.people.members(team.id)).toHaveLength(3);
      expect(await codeOf(charge("k2b", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      await ledgerDatabase.ledgers.unfreeze({ account: adas.id, by });
      expect(await codeOf(charge("k3", pure("0.3")))).toBe("QUOTA_EXHAUSTED");
      await charge("k4", pure("0.25"));
      expect((await ledgerDatabase.ledgers.balance(adas.id)).state.epsilon).toBe(eps("1"));
    });

    test("roles are relations, with a beginning and an end", async () => {
      const { ledgerDatabase, ada, team, dataset } = await fixture();
      await ledgerDatabase.people.grantRole({ principal: ada.id, role: "teamAdmin", object: team.id, by });
      await ledgerDatabase.people.grantRole({ principal: ada.id, role: "auditor", by });
      const binding = await ledgerDatabase.people.grantRole({
        principal: ada.id,
        role: "datasetAdmin",
        object: dataset.id,
        by,
      });
      expect(
        (await ledgerDatabase.people.grantRole({ principal: ada.id, role: "datasetAdmin", object: dataset.id, by })).id,
      ).toBe(binding.id);
      expect(await ledgerDatabase.people.rolesOf(ada.id)).toEqual({
        platformAdmin: false,
        auditor: true,
        auditorOf: [],
        datasetAdminOf: [dataset.id],
        teamAdminOf: [team.id],
        memberOf: [team.id],
      });
      await ledgerDatabase.people.revokeRole({ binding: binding.id, by });
      expect((await ledgerDatabase.people.rolesOf(ada.id)).datasetAdminOf).toEqual([]);
      expect(
        await codeOf(ledgerDatabase.people.grantRole({ principal: ada.id, role: "teamAdmin", object: dataset.id, by })),
      ).toBe("INVALID_PARAMETER");
      expect(
        await codeOf(
          ledgerDatabase.people.grantRole({ principal: ada.id, role: "platformAdmin", object: team.id, by }),
        ),
      ).toBe("INVALID_PARAMETER");
    });

    test("the demo ends when a real user exists", async () => {
      const { ledgerDatabase, ada, bob } = await fixture();
      expect(await ledgerDatabase.people.hasRealUsers()).toBe(true);
      for (const { id } of [ada, bob]) await ledgerDatabase.people.disablePrincipal({ principal: id, by });
      await ledgerDatabase.people.createPrincipal({ kind: "user", name: "Demo", demo: true, by });
      expect(await ledgerDatabase.people.hasRealUsers()).toBe(false);
    });

    test.each([
      ["", "INVALID_PARAMETER"],
      ["   ", "INVALID_PARAMETER"],
      ["a\u0000b", "INVALID_PARAMETER"],
      ["x".repeat(201), "INVALID_PARAMETER"],
      ["\u200b", "INVALID_PARAMETER"],
      ["a\ud800", "INVALID_PARAMETER"],
      ["\u202egnp.exe", "INVALID_PARAMETER"],
    ])("a team named %j is refused", async (teamName, code) => {
      const { ledgerDatabase } = await fixture();
      expect(await codeOf(ledgerDatabase.people.createTeam({ name: teamName, by }))).toBe(code);
    });

    test("two teams may have one name: a conflict would tell that somebody else's team exists", async () => {
      const { ledgerDatabase } = await fixture();
      const [one, two] = [
        await ledgerDatabase.people.createTeam({ name: "same", by }),
        await ledgerDatabase.people.createTeam({ name: " same ", by }),
      ];
      expect(two.name).toBe(one.name);
      expect(two.id).not.toBe(one.id);
    });

    test("an e-mail address belongs to one principal", async () => {
      const { ledgerDatabase, ada } = await fixture();
      expect(
        await codeOf(
          ledgerDatabase.people.createPrincipal({ kind: "user", name: "Eve", email: "ADA@example.org", by }),
        ),
      ).toBe("CONFLICT");
      expect((await ledgerDatabase.people.principalByEmail("Ada@Example.org"))?.id).toBe(ada.id);
      expect(await ledgerDatabase.people.principalByEmail("nobody@example.org")).toBeNull();
    });

    describe("a service is one analyst with whoever it acts for", () => {
      const serviceOf = async ({ ledgerDatabase, ada }: Awaited<ReturnType<Build>>) =>
        (await ledgerDatabase.people.createPrincipal({ kind: "service", name: "Nightly", by, onBehalfOf: ada.id })).id;

      test("its maker, unless it says somebody else; a service's service acts for the same person", async () => {
        const { ledgerDatabase, ada, bob } = await fixture();
        const made = (options: object) =>
          ledgerDatabase.people.createPrincipal({ kind: "agent", name: "x", by: ada.id, ...options });
        const first = await made({});
        const second = await made({ by: first.id });
        const third = await made({ onBehalfOf: bob.id });
        const behind = await ledgerDatabase.people.analystsBehind();
        expect([first, second, third].map(({ id }) => behind.get(id))).toEqual([ada.id, ada.id, bob.id]);
        expect(await codeOf(made({ onBehalfOf: first.id }))).toBe("INVALID_PARAMETER");
        expect(await codeOf(made({ kind: "user", onBehalfOf: bob.id }))).toBe("INVALID_PARAMETER");
        expect((await ledgerDatabase.audit.verify()).problems).toEqual([]);
      });

      test("is no second person for a raise", async () => {
        const there = await fixture();
        const { ledgerDatabase, ada, dataset, ledger } = there;
        const service = await serviceOf(there);
        for (const principal of [ada.id, service])
          await ledgerDatabase.people.grantRole({ by, principal, role: "datasetAdmin", object: dataset.id });
        const raise = { ledger: ledger.id, epsilon: eps("6"), delta: ledger.quota.delta, reason: "more", by: service };
        const alone = await ledgerDatabase.ledgers.proposeAmendment(raise);
        expect(alone, "nobody else could decide").toMatchObject({ status: "effective" });
        const lead = await ledgerDatabase.people.createPrincipal({ kind: "user", name: "Lead", by });
        await ledgerDatabase.people.grantRole({ by, principal: lead.id, role: "datasetAdmin", object: dataset.id });
        const { id } = await ledgerDatabase.ledgers.proposeAmendment({ ...raise, epsilon: eps("7") });
        for (const act of [ledgerDatabase.ledgers.secondAmendment, ledgerDatabase.ledgers.rejectAmendment])
          expect(await codeOf(act({ amendment: id, by: ada.id }))).toBe("FORBIDDEN");
        expect(await ledgerDatabase.ledgers.secondAmendment({ amendment: id, by: lead.id })).toMatchObject({
          status: "effective",
        });
      });

      test("decides nothing that its person asked for", async () => {
        const there = await fixture();
        const { ledgerDatabase, ada, adas, team, dataset } = there;
        const service = await serviceOf(there);
        await ledgerDatabase.people.grantRole({ by, principal: service, role: "teamAdmin", object: team.id });
        const { id, version } = await ledgerDatabase.requests.make({
          by: ada.id,
          dataset: dataset.id,
          target: { account: adas.id },
          epsilon: eps("0.1"),
          note: "",
        });
        expect(await codeOf(ledgerDatabase.requests.approve({ request: id, version, by: service }))).toBe("FORBIDDEN");
      });

      test("learns nothing beyond its person's cap, whichever account was there first", async () => {
        const there = await fixture();
        const { ledgerDatabase, ada, bob, ledger } = there;
        const open = (holder: PrincipalId, kind: "share" | "cap") =>
          codeOf(
            ledgerDatabase.ledgers.openAccount({
              ledger: ledger.id,
              parent: null,
              holder: { kind: "principal", id: holder },
              epsilon: eps("0.1"),
              kind,
              by,
            }),
          );
        const service = await serviceOf(there);
        expect(await open(service, "share"), "shares of one person add up").toBe("nothing was thrown");
        expect(await open(ada.id, "cap")).toBe("CONFLICT");
        expect(await open(bob.id, "cap")).toBe("nothing was thrown");
        const bobs = (await ledgerDatabase.people.createPrincipal({ kind: "service", name: "Bob's", by: bob.id })).id;
        expect(await open(bobs, "share")).toBe("CONFLICT");
      });
    });
  });
}
