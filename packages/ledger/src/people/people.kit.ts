import { describe, expect, test } from "vitest";
import { openLedgerDatabase } from "../index.ts";
import { type Build, by, codeOf, eps, lapsed, pastAhead, pure, soon } from "../testing/fixture.kit.ts";
import type { PrincipalId } from "../values/id.ts";

export function peopleKit(fixture: Build): void {
  describe("people", () => {
    test("a secret authenticates its principal until it is ended, and only for its own kind of sign-in", async () => {
      const { database, ada } = await fixture();
      const { credential, secret } = await database.people.createCredential({
        kind: "token",
        principal: ada.id,
        name: "cli",
        scopes: ["release"],
        expiresAt: soon(),
        by,
      });
      const seen = await database.people.authenticate("token", secret);
      expect(seen.principal.id).toBe(ada.id);
      expect(seen.credential.scopes).toEqual(["release"]);
      expect(await codeOf(database.people.authenticate("session", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(database.people.authenticate("token", `${secret}x`))).toBe("UNAUTHENTICATED");
      await database.people.endCredential({ credential: credential.id, by: ada.id });
      expect(await codeOf(database.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
    });

    test("no secret is stored, only its SHA-256", async () => {
      const { database, ada, store } = await fixture();
      const { secret } = await database.people.createCredential({
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
      const { database, ada } = await fixture();
      const until = (expiresAt: string) =>
        database.people.createCredential({ kind: "token", principal: ada.id, expiresAt, by });
      const { secret } = await lapsed(until);
      expect(await codeOf(database.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(until(new Date(Date.now() - 1).toISOString()))).toBe("INVALID_PARAMETER");
    });

    test("a sign-in link works once, even when several people open it at the same time", async () => {
      const { database, ada } = await fixture();
      const { secret } = await database.people.createCredential({
        kind: "link",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      const clicks = await Promise.allSettled(Array.from({ length: 20 }, () => database.people.redeemLink(secret)));
      expect(clicks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });

    test("a refresh token gives the next pair; shown again later, or by another program, it ends all that its code gave", async () => {
      const { database, ada, store } = await fixture();
      const later = await openLedgerDatabase({ ...store, now: () => new Date(Date.now() + 50_000).toISOString() });
      const about = { principal: ada.id, name: "helper", scopes: ["read"], bound: "right", by };
      const enter = async () => {
        const { secret } = await database.people.createCode({ ...about, expiresAt: soon() });
        return database.people.useCode({ secret, bound: "right", program: "it" });
      };
      const next = ({ refresh }: Awaited<ReturnType<typeof enter>>, at = database, program = "it") =>
        at.people.useRefresh({ secret: refresh.secret, program, next: `after ${refresh.secret}` });
      const isLive = async (pair: Awaited<ReturnType<typeof enter>>) =>
        (await codeOf(database.people.authenticate("token", pair.token.secret))) === "done";
      const first = await enter();
      const second = await next(first);
      const twice = await next(first);
      expect([await isLive(first), await isLive(second), await isLive(twice)], "two ask at once").toEqual(
        Array(3).fill(true),
      );
      expect(twice.refresh, "no second line of tokens").toEqual(second.refresh);
      expect(twice.token.secret).not.toBe(second.token.secret);
      expect(second.refresh.credential.expiresAt).toBe(first.refresh.credential.expiresAt);
      const listed = await database.people.tokens(ada.id);
      expect(listed, "one line").toMatchObject([{ name: "helper", expiresAt: first.refresh.credential.expiresAt }]);
      expect(await codeOf(next(first, later)), "stolen").toBe("UNAUTHENTICATED");
      expect([await isLive(first), await isLive(second), await isLive(twice)]).toEqual(Array(3).fill(false));
      expect(await codeOf(next(second))).toBe("UNAUTHENTICATED");
      expect(await database.people.tokens(ada.id)).toEqual([]);

      const other = await enter();
      expect(await codeOf(next(other, database, "another"))).toBe("UNAUTHENTICATED");
      expect([await isLive(other), await codeOf(next(other))]).toEqual([false, "UNAUTHENTICATED"]);
      const revoked = await enter();
      const kept = await next(revoked);
      const [line] = await database.people.tokens(ada.id);
      await database.people.endCredential({ credential: line?.id ?? "", by });
      for (const pair of [revoked, kept])
        expect([await isLive(pair), await codeOf(next(pair))]).toEqual([false, "UNAUTHENTICATED"]);
      const over = await enter();
      expect(await codeOf(next(over, await pastAhead({ store }))), "its time is over").toBe("UNAUTHENTICATED");
      expect(await codeOf(database.people.redeemLink(over.refresh.secret)), "it signs no one in").toBe(
        "UNAUTHENTICATED",
      );
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("a new password by a link ends the tokens of their AI agents too, and not those of services", async () => {
      const { database, ada } = await fixture();
      const tokenOf = async (kind: "agent" | "service") => {
        const { id } = await database.people.createPrincipal({ kind, name: kind, onBehalfOf: ada.id, by });
        return database.people.createCredential({ kind: "token", principal: id, name: "t", expiresAt: soon(), by });
      };
      const [agents, services] = [await tokenOf("agent"), await tokenOf("service")];
      const { secret } = await database.people.createPasswordLink({ principal: ada.id, expiresAt: soon(), by });
      await database.people.resetPassword({ secret, hash: "h" });
      expect(await codeOf(database.people.authenticate("token", agents.secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(database.people.authenticate("token", services.secret))).toBe("done");
    });

    test("a code gives its token once, within a minute, to who shows what it is bound to; nothing of it is stored but hashes", async () => {
      const { database, ada, store } = await fixture();
      const code = { principal: ada.id, name: "helper", scopes: ["read"], bound: "right", expiresAt: soon(), by };
      const make = async () => (await database.people.createCode(code)).secret;
      const use = (secret: string, bound = "right", at = database) =>
        at.people.useCode({ secret, bound, program: "it" });
      const secret = await make();
      const tries = await Promise.allSettled(Array.from({ length: 5 }, () => use(secret)));
      const [made] = tries.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      expect(tries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect(made?.token.credential).toMatchObject({ name: "helper", scopes: ["read"], expiresAt: code.expiresAt });
      expect(await codeOf(database.people.authenticate("token", made?.token.secret ?? "")), "it was shown again").toBe(
        "UNAUTHENTICATED",
      );
      expect(JSON.stringify(await store.read.selectFrom("credential").selectAll().execute())).not.toContain(secret);
      const late = await pastAhead({ store });
      expect(await codeOf(use(await make(), "right", late))).toBe("UNAUTHENTICATED");
      const wrong = await make();
      expect([await codeOf(use(wrong, "wrong")), await codeOf(use(wrong))]).toEqual(Array(2).fill("UNAUTHENTICATED"));
      expect(await codeOf(database.people.redeemLink(await make())), "it signs no one in").toBe("UNAUTHENTICATED");
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("disabling a person ends all their sessions and secrets, and spent amounts stay", async () => {
      const { database, ada, charge, adas } = await fixture();
      const { secret } = await database.people.createCredential({
        kind: "token",
        principal: ada.id,
        expiresAt: soon(),
        by,
      });
      await charge("k", pure("0.25"));
      expect((await database.people.disablePrincipal({ principal: ada.id, by })).removedAt).not.toBeNull();
      expect(await codeOf(database.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await codeOf(charge("k2", pure("0.25")))).toBe("FORBIDDEN");
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.25"));
    });

    test("what is approved in advance is for people and services: what an AI agent asks waits for a person", async () => {
      const { database, ada, bob, team, teamAccount, ledger, dataset } = await fixture({ quota: "4" });
      await database.people.grantRole({ principal: bob.id, role: "teamAdmin", object: team.id, by });
      const rule = { ledger: ledger.id, parent: teamAccount.id, most: eps("0.1"), room: eps("1"), by: bob.id };
      const { id } = await database.requests.createPreApproval(rule);
      const asks = async (kind: "service" | "agent") => {
        const own = await database.people.createPrincipal({ kind, name: kind, onBehalfOf: ada.id, by });
        await database.people.addMember({ team: team.id, principal: own.id, by });
        const target = { holder: { kind: "principal", id: own.id }, parent: teamAccount.id } as const;
        return database.requests.make({ by: own.id, dataset: dataset.id, target, epsilon: eps("0.1"), note: "" });
      };
      const asked = await asks("agent");
      expect(asked).toMatchObject({ status: "submitted", decider: null });
      expect((await database.requests.preApproval(id)).room).toBe(eps("1"));
      expect(await asks("service")).toMatchObject({ status: "approved", decider: bob.id });
      const { id: request, version } = asked;
      const other = await database.people.createPrincipal({ kind: "agent", name: "b", onBehalfOf: bob.id, by });
      await database.people.grantRole({ principal: other.id, role: "teamAdmin", object: team.id, by });
      expect(await codeOf(database.requests.approve({ request, version, by: other.id }))).toBe("FORBIDDEN");
      expect(await codeOf(database.requests.createPreApproval({ ...rule, by: other.id }))).toBe("FORBIDDEN");
      expect(await database.requests.approve({ request, version, by: bob.id })).toMatchObject({ status: "approved" });
    });

    test("removing a person ends their roles, secrets and services at once", async () => {
      const { database, store, ada, bob, team, dataset, adas, charge } = await fixture();
      const agent = await database.people.createPrincipal({
        kind: "agent",
        name: "hers",
        onBehalfOf: ada.id,
        by,
      });
      const key = { kind: "token", principal: agent.id, expiresAt: soon(), by } as const;
      const { secret } = await database.people.createCredential(key);
      await database.people.setPassword({ principal: ada.id, hash: "h", by: ada.id });
      for (const principal of [ada.id, bob.id])
        await database.people.grantRole({ principal, role: "teamAdmin", object: team.id, by });
      await charge("k", pure("0.25"));
      const asked = { by: ada.id, dataset: dataset.id, target: { account: adas.id }, epsilon: eps("0.1"), note: "" };
      const { id: request } = await database.requests.make(asked);
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
      expect((await database.people.principal(agent.id)).removedAt).not.toBeNull();
      expect(await codeOf(database.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      expect(await database.people.passwordOf(ada.id)).toBeNull();
      expect(await database.people.rolesOf(ada.id)).toMatchObject({ teamAdminOf: [], memberOf: [] });
      expect((await database.requests.request(request)).status).toBe("withdrawn");
      expect((await database.ledgers.account(adas.id)).status).toBe("frozen");
      expect(await codeOf(database.people.restorePrincipal({ principal: agent.id, by }))).toBe("CONFLICT");
      await database.people.restorePrincipal({ principal: ada.id, by });
      expect((await database.people.restorePrincipal({ principal: agent.id, by })).removedAt).toBeNull();
      expect(await codeOf(database.people.authenticate("token", secret))).toBe("UNAUTHENTICATED");
      await database.people.addMember({ team: team.id, principal: ada.id, by });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      await database.ledgers.unfreeze({ account: adas.id, by });
      expect(await codeOf(charge("k3", pure("0.8")))).toBe("QUOTA_EXHAUSTED");
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.25"));
    });

    test("a name and an address change, and an address is one person's, also of who was removed", async () => {
      const { database, ada, bob, team } = await fixture();
      const set = (what: { name?: string; email?: string | null }) =>
        database.people.setPrincipal({ principal: ada.id, ...what, by });
      expect(await set({ name: " Ada L. ", email: "A@New.org" })).toMatchObject({ name: "Ada L.", email: "a@new.org" });
      expect(await set({ email: null })).toMatchObject({ name: "Ada L.", email: null });
      expect(await codeOf(set({ email: "bob@example.org" }))).toBe("CONFLICT");
      await database.people.disablePrincipal({ principal: bob.id, by });
      await expect(set({ email: "bob@example.org" })).rejects.toThrow("Bob, who was removed, can be let back in");
      const given = { principal: bob.id, by };
      expect(await codeOf(database.people.grantRole({ ...given, role: "auditor" }))).toBe("CONFLICT");
      expect(await codeOf(database.people.addMember({ ...given, team: team.id }))).toBe("CONFLICT");
    });

    test("another address ends links and, by an admin, sessions, nothing else, and the old address gets a message", async () => {
      const { database, ada, bob } = await fixture();
      await database.people.setPassword({ principal: ada.id, hash: "her own", by: ada.id });
      const make = async (kind: "link" | "session", principal: PrincipalId, address?: string) => {
        const mailed = address === undefined ? {} : { address };
        return (await database.people.createCredential({ kind, principal, expiresAt: soon(), by, ...mailed })).secret;
      };
      const [hers, his, session] = [
        await make("link", ada.id, "ada@example.org"),
        await make("link", bob.id),
        await make("session", ada.id),
      ];
      const spare = await make("link", ada.id);
      const set = (what: object) => database.people.setPrincipal({ principal: ada.id, ...what, by: ada.id });
      await set({ name: "Ada L.", email: "Ada@Example.org " });
      expect((await database.people.redeemLink(spare)).id, "it is the same address").toBe(ada.id);
      await set({ email: "ada@new.example" });
      expect(await codeOf(database.people.redeemLink(hers))).toBe("UNAUTHENTICATED");
      expect((await database.people.redeemLink(his)).id).toBe(bob.id);
      expect((await database.people.authenticate("session", session)).principal.id).toBe(ada.id);
      expect(await codeOf(make("link", ada.id, "ada@example.org"))).toBe("CONFLICT");
      const token = { kind: "token", principal: ada.id, scopes: ["read"], expiresAt: soon(), by } as const;
      const { secret } = await database.people.createCredential(token);
      await database.people.setPrincipal({ principal: ada.id, email: "ada@third.example", by });
      expect(await codeOf(database.people.authenticate("session", session))).toBe("UNAUTHENTICATED");
      expect((await database.people.authenticate("token", secret)).principal.id).toBe(ada.id);
      expect(await database.people.passwordOf(ada.id)).toBe("her own");
      await database.people.setPrincipal({ principal: ada.id, email: null, by });
      const another = await make("session", ada.id);
      await database.people.setPrincipal({ principal: ada.id, email: "ada@first.example", by });
      const { principal } = await database.people.authenticate("session", another);
      expect(principal.id, "a first address leaves the session").toBe(ada.id);
      const next = () => database.outbox.takeDue({ limit: 50, channel: "mail" });
      const due = [...(await next()), ...(await next()), ...(await next())]; // one of each address at a time
      const security = due.filter(({ message }) => (message as { kind: string }).kind === "security");
      expect(security.map(({ address }) => address)).toEqual(
        expect.arrayContaining(["ada@example.org", "ada@new.example"]),
      );
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("of two admins of a team who leave at once, one stays", async () => {
      const { database, ada, bob, team } = await fixture();
      for (const { id } of [ada, bob])
        await database.people.addMember({ team: team.id, principal: id, role: "teamAdmin", by });
      const leave = ({ id: principal }: { id: PrincipalId }) =>
        database.people.removeMember({ team: team.id, principal, by });
      expect((await Promise.all([ada, bob].map((who) => codeOf(leave(who))))).toSorted()).toEqual(["CONFLICT", "done"]);
      const [left] = await database.people.roleBindings(team.id);
      expect(await codeOf(database.people.revokeRole({ binding: left?.id ?? "", by }))).toBe("CONFLICT");
      await database.people.closeTeam({ team: team.id, by });
      expect(await database.people.roleBindings(team.id)).toEqual([]);
      expect((await database.people.members(team.id)).every(({ until }) => until !== null)).toBe(true);
    });

    test("of two admins of the platform who remove each other at once, one stays; only the operator takes the last one", async () => {
      const { database } = await fixture();
      const admin = async (kind: "user" | "service", name: string, demo = false) => {
        const { id } = await database.people.createPrincipal({ kind, name, demo, by });
        await database.people.grantRole({ principal: id, role: "platformAdmin", by });
        return id;
      };
      const operator = await admin("service", "operator");
      const [one, two] = [await admin("user", "One"), await admin("user", "Two")];
      await admin("user", "Of the demo", true);
      const once = ["CONFLICT", "done"];
      const both = async (act: (whom: PrincipalId, who: PrincipalId) => Promise<unknown>) =>
        (await Promise.all([codeOf(act(one, two)), codeOf(act(two, one))])).toSorted();

      expect(await both((principal, who) => database.people.disablePrincipal({ principal, by: who }))).toEqual(once);
      for (const principal of [one, two]) {
        await database.people.restorePrincipal({ principal, by });
        await database.people.grantRole({ principal, role: "platformAdmin", by });
      }
      const bindings = await database.people.roleBindings();
      const bindingOf = (whom: PrincipalId) => bindings.find(({ principal }) => principal === whom)?.id ?? "";
      expect(await both((whom, who) => database.people.revokeRole({ binding: bindingOf(whom), by: who }))).toEqual(
        once,
      );

      const isAdmin = async (id: PrincipalId) => (await database.people.rolesOf(id)).platformAdmin;
      const last = (await isAdmin(one)) ? one : two;
      const bot = await database.people.createPrincipal({ kind: "service", name: "bot", onBehalfOf: last, by });
      await database.people.grantRole({ principal: bot.id, role: "platformAdmin", by });
      expect(await codeOf(database.people.disablePrincipal({ principal: last, by: bot.id }))).toBe("CONFLICT");
      expect((await database.people.principal(bot.id)).removedAt, "nothing of it stands").toBeNull();
      await database.people.disablePrincipal({ principal: last, by: operator });
      expect([await isAdmin(last), await isAdmin(bot.id), await isAdmin(operator)]).toEqual([false, false, true]);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("leaving a team and coming back changes no spent amount", async () => {
      const { database, ada, team, charge, adas } = await fixture();
      await charge("k", pure("0.75"));
      await database.people.removeMember({ team: team.id, principal: ada.id, by });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("FORBIDDEN");
      await database.people.addMember({ team: team.id, principal: ada.id, by });
      expect(await database.people.members(team.id)).toHaveLength(3);
      expect(await codeOf(charge("k2b", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      await database.ledgers.unfreeze({ account: adas.id, by });
      expect(await codeOf(charge("k3", pure("0.3")))).toBe("QUOTA_EXHAUSTED");
      await charge("k4", pure("0.25"));
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("1"));
    });

    test("roles are relations, with a beginning and an end", async () => {
      const { database, ada, team, dataset } = await fixture();
      await database.people.grantRole({ principal: ada.id, role: "teamAdmin", object: team.id, by });
      await database.people.grantRole({ principal: ada.id, role: "auditor", by });
      const binding = await database.people.grantRole({
        principal: ada.id,
        role: "datasetAdmin",
        object: dataset.id,
        by,
      });
      expect(
        (await database.people.grantRole({ principal: ada.id, role: "datasetAdmin", object: dataset.id, by })).id,
      ).toBe(binding.id);
      expect(await database.people.rolesOf(ada.id)).toEqual({
        platformAdmin: false,
        auditor: true,
        auditorOf: [],
        datasetAdminOf: [dataset.id],
        teamAdminOf: [team.id],
        memberOf: [team.id],
      });
      await database.people.revokeRole({ binding: binding.id, by });
      expect((await database.people.rolesOf(ada.id)).datasetAdminOf).toEqual([]);
      expect(
        await codeOf(database.people.grantRole({ principal: ada.id, role: "teamAdmin", object: dataset.id, by })),
      ).toBe("INVALID_PARAMETER");
      expect(
        await codeOf(database.people.grantRole({ principal: ada.id, role: "platformAdmin", object: team.id, by })),
      ).toBe("INVALID_PARAMETER");
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
      const { database } = await fixture();
      expect(await codeOf(database.people.createTeam({ name: teamName, by }))).toBe(code);
    });

    test("two teams may have one name: a conflict would reveal that another team exists", async () => {
      const { database } = await fixture();
      const [one, two] = [
        await database.people.createTeam({ name: "same", by }),
        await database.people.createTeam({ name: " same ", by }),
      ];
      expect(two.name).toBe(one.name);
      expect(two.id).not.toBe(one.id);
    });

    test("an e-mail address belongs to one principal", async () => {
      const { database, ada } = await fixture();
      expect(
        await codeOf(database.people.createPrincipal({ kind: "user", name: "Eve", email: "ADA@example.org", by })),
      ).toBe("CONFLICT");
      expect((await database.people.principalByEmail("Ada@Example.org"))?.id).toBe(ada.id);
      expect(await database.people.principalByEmail("nobody@example.org")).toBeNull();
    });

    describe("a service counts as one analyst with the person for whom it acts", () => {
      const serviceOf = async ({ database, ada }: Awaited<ReturnType<Build>>) =>
        (await database.people.createPrincipal({ kind: "service", name: "Nightly", by, onBehalfOf: ada.id })).id;

      test("it acts for its creator or a named person, and a service of a service for the same person", async () => {
        const { database, ada, bob } = await fixture();
        const made = (options: object) =>
          database.people.createPrincipal({ kind: "agent", name: "x", by: ada.id, ...options });
        const first = await made({});
        const second = await made({ by: first.id });
        const third = await made({ onBehalfOf: bob.id });
        const behind = await database.people.analystsBehind();
        expect([first, second, third].map(({ id }) => behind.get(id))).toEqual([ada.id, ada.id, bob.id]);
        expect(await codeOf(made({ onBehalfOf: first.id }))).toBe("INVALID_PARAMETER");
        expect(await codeOf(made({ kind: "user", onBehalfOf: bob.id }))).toBe("INVALID_PARAMETER");
        expect((await database.audit.verify()).problems).toEqual([]);
      });

      test("it does not count as a second person for a raise", async () => {
        const there = await fixture();
        const { database, ada, dataset, ledger } = there;
        const service = await serviceOf(there);
        for (const principal of [ada.id, service])
          await database.people.grantRole({ by, principal, role: "datasetAdmin", object: dataset.id });
        const raise = { ledger: ledger.id, epsilon: eps("6"), delta: ledger.quota.delta, reason: "more", by: service };
        const alone = await database.ledgers.proposeAmendment(raise);
        expect(alone, "nobody else could decide").toMatchObject({ status: "effective" });
        const lead = await database.people.createPrincipal({ kind: "user", name: "Lead", by });
        await database.people.grantRole({ by, principal: lead.id, role: "datasetAdmin", object: dataset.id });
        const { id } = await database.ledgers.proposeAmendment({ ...raise, epsilon: eps("7") });
        for (const act of [database.ledgers.secondAmendment, database.ledgers.rejectAmendment])
          expect(await codeOf(act({ amendment: id, by: ada.id }))).toBe("FORBIDDEN");
        expect(await database.ledgers.secondAmendment({ amendment: id, by: lead.id })).toMatchObject({
          status: "effective",
        });
      });

      test("it cannot decide a request of its person", async () => {
        const there = await fixture();
        const { database, ada, adas, team, dataset } = there;
        const service = await serviceOf(there);
        await database.people.grantRole({ by, principal: service, role: "teamAdmin", object: team.id });
        const { id, version } = await database.requests.make({
          by: ada.id,
          dataset: dataset.id,
          target: { account: adas.id },
          epsilon: eps("0.1"),
          note: "",
        });
        expect(await codeOf(database.requests.approve({ request: id, version, by: service }))).toBe("FORBIDDEN");
      });

      test("it learns nothing beyond its person's cap, in every order of opening accounts", async () => {
        const there = await fixture();
        const { database, ada, bob, ledger } = there;
        const open = (holder: PrincipalId, kind: "share" | "cap") =>
          codeOf(
            database.ledgers.openAccount({
              ledger: ledger.id,
              parent: null,
              holder: { kind: "principal", id: holder },
              epsilon: eps("0.1"),
              kind,
              by,
            }),
          );
        const service = await serviceOf(there);
        expect(await open(service, "share"), "shares of one person add up").toBe("done");
        expect(await open(ada.id, "cap")).toBe("CONFLICT");
        expect(await open(bob.id, "cap")).toBe("done");
        const bobs = (await database.people.createPrincipal({ kind: "service", name: "Bob's", by: bob.id })).id;
        expect(await open(bobs, "share")).toBe("CONFLICT");
      });
    });
  });
}
