import { describe, expect, test } from "vitest";
import type { PrincipalId } from "../index.ts";
import { tableOrder } from "../stores/copy.ts";
import { type Build, by, codeOf, eps, type Fixture, pure, soon } from "../testing/fixture.kit.ts";

/** A person who may invite into the fixture's team, and the role that allows it. */
async function inviter({ database, team }: Fixture, role: "teamAdmin" | "platformAdmin" = "teamAdmin") {
  const { id } = await database.people.createPrincipal({ kind: "user", name: "Lea", by });
  const { id: other } = await database.people.createPrincipal({ kind: "user", name: "Max", by });
  const object = role === "teamAdmin" ? team.id : undefined;
  await database.people.grantRole({ principal: other, role, object, by });
  return { id, binding: (await database.people.grantRole({ principal: id, role, object, by })).id };
}

/** Ways in: passwords, identities of a provider, invitations. */
export function accessKit(fixture: Build): void {
  describe("access", () => {
    test("a new password ends every session but the one that set it", async () => {
      const { database, ada } = await fixture();
      const session = () =>
        database.people.createCredential({ kind: "session", principal: ada.id, expiresAt: soon(), by: ada.id });
      const [here, elsewhere] = [await session(), await session()];
      expect(await database.people.passwordOf(ada.id)).toBeNull();
      await database.people.setPassword({ principal: ada.id, hash: "h1", keep: here.credential.id, by: ada.id });
      await database.people.setPassword({ principal: ada.id, hash: "h2", keep: here.credential.id, by: ada.id });
      expect(await database.people.passwordOf(ada.id)).toBe("h2");
      expect((await database.people.authenticate("session", here.secret)).principal.id).toBe(ada.id);
      expect(await codeOf(database.people.authenticate("session", elsewhere.secret))).toBe("UNAUTHENTICATED");
    });

    test("a second factor takes each step and each recovery code once, however many ask at the same time, and keeps hashes", async () => {
      const { database, store, ada } = await fixture();
      const { people } = database;
      const of = { principal: ada.id, by: ada.id };
      const begun = { ...of, atSignIn: false };
      await people.beginSecondFactor({ ...begun, secret: "FIRST" });
      await people.beginSecondFactor({ ...begun, secret: "SECOND" });
      const confirmed = { ...of, step: 7, recovery: ["one", "two"] };
      expect(await codeOf(people.confirmSecondFactor({ ...confirmed, secret: "FIRST" }))).toBe("CONFLICT");
      await people.confirmSecondFactor({ ...confirmed, secret: "SECOND" });
      expect(await codeOf(people.beginSecondFactor({ ...begun, secret: "THIRD" }))).toBe("CONFLICT");
      const use = (step: number) => people.useSecondFactor({ principal: ada.id, secret: "SECOND", step });
      expect(await use(7), "the step that confirmed it").toBe(false);
      const tries = await Promise.all(Array.from({ length: 5 }, () => use(8)));
      expect(tries.filter((isTaken) => isTaken)).toHaveLength(1);
      const recover = () => people.useRecoveryCode({ principal: ada.id, code: "one" });
      const recoveries = await Promise.all(Array.from({ length: 5 }, recover));
      expect(recoveries.filter((isTaken) => isTaken)).toHaveLength(1);
      const [row] = await store.read.selectFrom("second_factor").select("recovery").execute();
      expect(row?.recovery).toBe(JSON.stringify([store.sha256("two")]));
      await people.endSecondFactor({ ...of, reason: "lost" });
      expect(await people.secondFactorOf(ada.id)).toBeNull();
      expect(await codeOf(people.endSecondFactor(of))).toBe("NOT_FOUND");
    });

    test("an identity belongs to one person, permanently", async () => {
      const { database, ada, bob } = await fixture();
      const identity = { issuer: "https://id.example", subject: "42" };
      expect(await database.people.principalByIdentity(identity)).toBeNull();
      await database.people.linkIdentity({ ...identity, principal: ada.id, by: ada.id });
      await database.people.linkIdentity({ ...identity, principal: ada.id, by: ada.id });
      expect(await codeOf(database.people.linkIdentity({ ...identity, principal: bob.id, by }))).toBe("CONFLICT");
      expect((await database.people.principalByIdentity(identity))?.id).toBe(ada.id);
      await database.people.disablePrincipal({ principal: ada.id, by });
      expect(await codeOf(database.people.principalByIdentity(identity))).toBe("UNAUTHENTICATED");
    });

    test("an invitation admits one person once, even when several people open it at the same time", async () => {
      const place = await fixture();
      const { database, team } = place;
      const { id: lea } = await inviter(place);
      const { secret } = await database.people.invite({ team: team.id, role: "teamAdmin", days: 7, by: lea });
      const carls = await Promise.all(
        Array.from({ length: 5 }, (_, n) => database.people.createPrincipal({ kind: "user", name: `Carl ${n}`, by })),
      );
      const clicks = await Promise.allSettled(
        carls.map(({ id }) => database.people.acceptInvitation({ secret: secret ?? "", by: id })),
      );
      expect(clicks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await database.people.members(team.id)).filter(({ until }) => until === null)).toHaveLength(3);
      expect(await database.people.invitations(team.id)).toEqual([]);
    });

    test("the secret of an invitation that was withdrawn, mailed again or of a closed team admits no one", async () => {
      const place = await fixture();
      const { database, team, bob } = place;
      const { id: lea } = await inviter(place);
      const take = (secret: string | null | undefined) =>
        codeOf(database.people.acceptInvitation({ secret: secret ?? "", by: bob.id }));
      const first = await database.people.invite({ team: team.id, role: "member", days: 7, by: lea });
      await database.people.endInvitation({ invitation: first.invitation.id, by });
      expect(await take(first.secret)).toBe("UNAUTHENTICATED");
      const mailed = await database.people.invite({
        team: team.id,
        role: "member",
        email: "C@x.org",
        days: 7,
        by: lea,
      });
      expect(mailed).toMatchObject({ secret: null, invitation: { email: "c@x.org" } });
      const one = await database.people.mintInvitation(mailed.invitation.id);
      const two = await database.people.mintInvitation(mailed.invitation.id);
      expect(await take(one?.secret)).toBe("UNAUTHENTICATED");
      await database.people.closeTeam({ team: team.id, by });
      expect(await take(two?.secret)).toBe("UNAUTHENTICATED");
      expect(await codeOf(database.people.addMember({ team: team.id, principal: bob.id, by }))).toBe("CONFLICT");
    });

    test("a newcomer joins by a link where the team's policy of now and the instance allow it", async () => {
      const place = await fixture();
      const { database, team } = place;
      const { id: lea } = await inviter(place);
      const link = async () =>
        (await database.people.invite({ team: team.id, role: "member", days: 7, by: lea })).secret ?? "";
      const [first, second] = [await link(), await link()];
      const join = (secret: string, mayLinksAdmit = true) =>
        database.people.joinByInvitation({ secret, name: "Nora", mayLinksAdmit });
      expect(await database.people.linksAdmit(team.id)).toBe("newcomers");
      await database.people.setLinksAdmit({ team: team.id, linksAdmit: "known", by: lea });
      expect(await codeOf(join(first))).toBe("CONFLICT");
      await database.people.setLinksAdmit({ team: team.id, linksAdmit: "newcomers", by: lea });
      expect(await codeOf(join(first, false))).toBe("CONFLICT");
      expect(await join(first)).toMatchObject({ name: "Nora", email: null });
      expect(await codeOf(join(first))).toBe("UNAUTHENTICATED");
      await database.people.setLinksAdmit({ team: team.id, linksAdmit: "known", by: lea });
      expect(await codeOf(join(second))).toBe("CONFLICT");
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("an address that a newcomer typed is a name to sign in with, and its owner comes in as another person by every way", async () => {
      const place = await fixture();
      const { database, team, store } = place;
      const { people, provisioning } = database;
      const { id: lea } = await inviter(place);
      const invited = async (email?: string) =>
        (await people.invite({ team: team.id, role: "member", days: 7, by: lea, ...(email && { email }) })).invitation;
      const typing = async (email: string, hash: string | null = "theirs") => {
        const { secret } = await people.invite({ team: team.id, role: "member", days: 7, by: lea });
        return people.joinByInvitation({
          secret: secret ?? "",
          name: "Mal",
          email,
          hash: hash ?? undefined,
          mayLinksAdmit: true,
        });
      };
      const signIns = async (email: string) => (await people.signInsOf(email)).map((one) => one?.id ?? null);
      const typed = { scim: await typing("s@x.org"), mailed: await typing("M@x.org"), admin: await typing("a@x.org") };
      for (const { email } of Object.values(typed)) expect(email).toBeNull();
      expect(await people.principalByEmail("s@x.org"), "a provider or a mail finds no one").toBeNull();
      expect(await signIns("m@X.org")).toEqual([null, typed.mailed.id]);
      expect(await codeOf(typing("b@x.org", null))).toBe("INVALID_PARAMETER");

      const said = { provider: "work", issuer: "https://id.example", id: null, externalId: null, isActive: true, by };
      const { person } = await provisioning.setUser({ ...said, userName: "s", name: "Sol", email: "s@x.org" });
      const minted = await people.mintInvitation((await invited("m@x.org")).id);
      const opened = await people.openInvitation({ secret: minted?.secret ?? "", mayLinksAdmit: true });
      expect(opened?.newcomer).toBe(true);
      const joined = { secret: minted?.secret ?? "", name: "Mia", hash: "hers", mayLinksAdmit: true };
      const mia = await people.joinByInvitation(joined);
      const ana = await people.createPrincipal({ kind: "user", name: "Ana", email: "a@x.org", by });
      expect(await signIns("s@x.org")).toEqual([person.id, typed.scim.id]);
      expect(await signIns("m@x.org")).toEqual([mia.id, typed.mailed.id]);
      expect(await signIns("a@x.org")).toEqual([ana.id, typed.admin.id]);
      expect(await people.passwordOf(person.id)).toBeNull();

      const late = await typing("a@x.org");
      expect(late.email, "whether someone has it is not said").toBeNull();
      await typing("a@x.org");
      const before = (await people.principals()).length;
      expect(await codeOf(typing("a@x.org"))).toBe("CONFLICT");
      expect(await people.principals()).toHaveLength(before);
      await people.disablePrincipal({ principal: late.id, by });
      await people.setPrincipal({ principal: typed.admin.id, email: "own@x.org", by });
      expect(await signIns("a@x.org")).toHaveLength(2);
      expect(await signIns("own@x.org")).toEqual([typed.admin.id]);
      expect(
        await store.read.selectFrom("outbox").selectAll().where("principal_id", "=", typed.scim.id).execute(),
      ).toEqual([]);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test.each(["role", "account"] as const)("an invitation ends with its inviter's %s", async (what) => {
      const place = await fixture();
      const { database, team, bob } = place;
      const { id: lea, binding } = await inviter(place);
      const link = await database.people.invite({ team: team.id, role: "teamAdmin", days: 7, by: lea });
      const mailed = await database.people.invite({
        team: team.id,
        role: "member",
        email: "c@x.org",
        days: 7,
        by: lea,
      });
      const unsent = await database.people.invite({
        team: team.id,
        role: "member",
        email: "d@x.org",
        days: 7,
        by: lea,
      });
      const minted = await database.people.mintInvitation(mailed.invitation.id);
      if (what === "role") await database.people.revokeRole({ binding, by });
      else await database.people.disablePrincipal({ principal: lea, by });
      expect(await database.people.invitations(team.id)).toEqual([]);
      const before = await database.people.principals();
      expect(await codeOf(database.people.acceptInvitation({ secret: link.secret ?? "", by: bob.id }))).toBe(
        "UNAUTHENTICATED",
      );
      expect(
        await codeOf(
          database.people.joinByInvitation({ secret: minted?.secret ?? "", name: "Cy", mayLinksAdmit: true }),
        ),
      ).toBe("UNAUTHENTICATED");
      expect(await database.people.principals()).toEqual(before);
      expect(await database.people.mintInvitation(unsent.invitation.id)).toBeNull();
      expect((await database.people.rolesOf(bob.id)).teamAdminOf).toEqual([]);
    });

    test("an invitation by a person without the right to invite admits no one", async () => {
      const { database, team, ada, bob } = await fixture();
      const invite = (who: PrincipalId, email?: string) =>
        database.people.invite({ team: team.id, role: "member", email, days: 7, by: who });
      const { secret } = await invite(ada.id);
      expect(await codeOf(database.people.acceptInvitation({ secret: secret ?? "", by: bob.id }))).toBe(
        "UNAUTHENTICATED",
      );
      expect(await database.people.mintInvitation((await invite(ada.id, "c@x.org")).invitation.id)).toBeNull();
    });

    test("invitations stay valid while another role of the inviter allows them", async () => {
      const place = await fixture();
      const { database, team, bob } = place;
      const { id: lea, binding } = await inviter(place, "platformAdmin");
      const elsewhere = await database.people.createTeam({ name: "elsewhere", by });
      const { secret } = await database.people.invite({ team: team.id, role: "member", days: 7, by: lea });
      await database.people.invite({ team: elsewhere.id, role: "member", days: 7, by: lea });
      await database.people.grantRole({ principal: lea, role: "teamAdmin", object: team.id, by });
      await database.people.revokeRole({ binding, by });
      expect(await database.people.invitations(elsewhere.id)).toEqual([]);
      expect(await database.people.acceptInvitation({ secret: secret ?? "", by: bob.id })).toMatchObject({
        team: { id: team.id },
      });
    });

    test("who is erased leaves no name, address or name at a provider anywhere, and everything that they spent", async () => {
      const place = await fixture();
      const { database, store, ada, adas, bob, team, charge } = place;
      const { people, provisioning } = database;
      const [name, email] = ['Ada O\'Quine "Q" 100%', "ada.quine@example.org"];
      await people.setPrincipal({ principal: ada.id, name, email, by });
      const { id: lea } = await inviter(place);
      await people.invite({ team: team.id, role: "member", email, days: 7, by: lea });
      const { invitation } = await people.invite({ team: team.id, role: "member", email, days: 7, by: lea });
      await people.endInvitation({ invitation: invitation.id, by: lea });
      await people.linkIdentity({ principal: ada.id, issuer: "https://id.example", subject: "quine-42", by });
      const said = {
        provider: "work",
        issuer: "https://id.example",
        id: null,
        externalId: "quine-ext",
        isActive: true,
        by,
      };
      await provisioning.setUser({ ...said, userName: "quine", name, email });
      const agent = await people.createPrincipal({ kind: "agent", name: "Quine's agent", onBehalfOf: ada.id, by });
      const token = { kind: "token", name: "quine's", expiresAt: soon(), by } as const;
      await people.createCredential({ ...token, principal: ada.id });
      const { credential } = await people.createCredential({ ...token, principal: agent.id });
      const click = { principal: agent.id, account: adas.id, dataset: place.dataset.id, credential: credential.id };
      const asked = { asked: { of: "Quine" }, epsilon: eps("0.1"), purpose: "Quine's ages" };
      for (const key of ["quine-asked", "quine-clicked"]) {
        const { id: confirmation } = await database.agents.askConfirmation({ ...click, ...asked, key });
        const verdict = { confirmation, verdict: "confirmed", by: ada.id } as const;
        if (key === "quine-clicked") await database.agents.decideConfirmation(verdict);
      }
      const { charge: running } = await charge("k", pure("0.5"));
      const none = { mostEpsilon: eps("1"), secondAbove: eps("0"), by };
      await database.declared.setRight({ account: adas.id, ...none });
      const declared = { events: pure("0.1"), relation: "add-or-remove-one" as const, purpose: "Quine's survey" };
      const stated = { principal: ada.id, account: adas.id, dataset: place.dataset.id, declared };
      for (const key of ["quine-refused", "quine-waits", "quine-approved"]) {
        expect(await codeOf(database.declared.charge({ ...stated, key }))).toBe("CONFIRMATION_NEEDED");
        const { id = "" } = (await database.declared.waiting(async () => true)).find((one) => one.key === key) ?? {};
        if (key !== "quine-waits")
          await database.declared.decide({ id, account: adas.id, by, isApproved: key === "quine-approved" });
      }
      const dear = { ...stated, key: "made", declared };
      expect(await codeOf(database.declared.charge(dear))).toBe("CONFIRMATION_NEEDED");
      const { id = "" } = (await database.declared.waiting(async () => true)).find(({ key }) => key === "made") ?? {};
      await database.declared.decide({ id, account: adas.id, by, isApproved: false });
      await database.declared.setRight({ account: adas.id, ...none, secondAbove: eps("1") });
      const cheap = { ...declared, events: pure("0.01"), purpose: "a count" };
      await database.declared.charge({ ...dear, declared: cheap });
      await people.removeMember({ team: team.id, principal: ada.id, by: ada.id });
      const spent = await database.ledgers.balance(adas.id);
      expect(await codeOf(people.erasePrincipal({ principal: ada.id, by }))).toBe("CONFLICT");
      await people.disablePrincipal({ principal: ada.id, by });
      await people.erasePrincipal({ principal: ada.id, by: bob.id });
      expect(await people.principal(ada.id)).toMatchObject({ name: "Erased", email: null });
      await database.releases.complete({ charge: running.id, owner: running.leaseOwner, answers: [1] });
      expect((await database.releases.chargeOf(running.id)).status, "what ran is answered").toBe("released");
      expect(await database.ledgers.balance(adas.id)).toEqual(spent);
      const rows = await Promise.all(tableOrder.map((table) => store.read.selectFrom(table).selectAll().execute()));
      const all = JSON.stringify(rows, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
      expect(all).not.toMatch(/quine/i);
      expect((await database.audit.verify()).problems).toEqual([]);
      await people.restorePrincipal({ principal: ada.id, by });
      expect(await database.declared.waiting(async () => true), "nothing of it waits").toEqual([]);
      const lines = await database.audit.lines({ action: "principal.erase" });
      expect(lines.items.map(({ actor, subject }) => [actor, subject])).toEqual(
        [agent, ada].map(({ id }) => [bob.id, id]),
      );
    });

    test("a key that someone else is called, or used as well, goes from what is said of its own charge alone", async () => {
      const place = await fixture();
      const { database, store, ada, adas, bob, bobs, dataset, team } = place;
      const { people, declared } = database;
      const { id: lea } = await inviter(place);
      await people.grantRole({ principal: lea, role: "datasetAdmin", object: dataset.id, by });
      await database.outbox.setWebhook({ principal: lea, url: "https://hooks.example/lea" });
      const program = { events: pure("0.1"), relation: "add-or-remove-one" as const, purpose: "a model" };
      for (const [one, account] of [[ada, adas] as const, [bob, bobs] as const]) {
        await declared.setRight({ account: account.id, mostEpsilon: eps("1"), secondAbove: eps("0"), by });
        const stated = { principal: one.id, account: account.id, dataset: dataset.id, declared: program };
        expect(await codeOf(declared.charge({ ...stated, key: bob.name }))).toBe("CONFIRMATION_NEEDED");
      }
      const told = async () => {
        const { read } = store;
        const shown = await read.selectFrom("notification").selectAll().where("principal_id", "=", lea).execute();
        const sent = await read.selectFrom("outbox").selectAll().where("principal_id", "=", lea).execute();
        const letters = sent.map(({ message }) => JSON.parse(message)).filter(({ kind }) => kind === "programWaits");
        return [
          ...shown.filter(({ kind }) => kind === "programWaits").map(({ facts }) => JSON.parse(facts)),
          ...letters.flatMap(({ others = [], facts }) => [
            facts,
            ...others.map((one: (typeof letters)[0]) => one.facts),
          ]),
        ].map(({ person, key }) => `${person} ${key}`);
      };
      const [hers, his] = [`${ada.name} ${bob.name}`, `${bob.name} ${bob.name}`];
      expect(await told(), "on the page, and in one letter to a webhook").toEqual([hers, his, hers, his]);
      await people.disablePrincipal({ principal: ada.id, by });
      await people.erasePrincipal({ principal: ada.id, by });
      expect(await told()).toEqual(["Erased Erased", his, "Erased Erased", his]);
      await people.restorePrincipal({ principal: ada.id, by });
      await people.addMember({ team: team.id, principal: ada.id, by });
      await database.ledgers.unfreeze({ account: adas.id, by });
      const waiting = async () => (await declared.waiting(async () => true)).map(({ principal }) => principal);
      expect(await waiting()).toEqual([bob.id]);
      const again = { principal: ada.id, account: adas.id, dataset: dataset.id, declared: program, key: bob.name };
      expect(await codeOf(declared.charge(again))).toBe("CONFIRMATION_NEEDED");
      expect((await waiting()).toSorted(), "stated again, it waits and is seen").toEqual([ada.id, bob.id].toSorted());
      await declared.approve({ ...again, by });
      expect((await declared.charge(again)).charge.principal).toBe(ada.id);
    });

    test("of what someone kept, goes with the name what no one else sees, and every draft", async () => {
      const { database, store, ada, adas, bob, dataset, team } = await fixture();
      const { people, drafts, dashboards } = database;
      const on = { dataset: dataset.id, account: adas.id, upload: null };
      const typed = { name: "of Eve", content: '{"where":"name = Eve"}' };
      const draftOf = (owner: typeof ada.id, kind: "plan" | "unfinishedPlan", of: typeof team.id | null) =>
        drafts.createDraft({ by: owner, kind, ...on, ...typed, team: of });
      const [shared, bobs] = [await draftOf(ada.id, "plan", team.id), await draftOf(bob.id, "plan", team.id)];
      await draftOf(ada.id, "unfinishedPlan", null);
      const declared = { kind: "declaration", dataset: null, account: null, team: null } as const;
      await drafts.createDraft({ by: ada.id, ...declared, ...typed, upload: { file: "fil_1", digest: "d1" } });
      await drafts.commentDraft({ draft: shared.id, by: bob.id, text: "Why?" });
      await drafts.commentDraft({ draft: bobs.id, by: ada.id, text: "Because." });
      const page = { by: ada.id, name: "Mine", team: null, readers: [], items: [] };
      await dashboards.createDashboard(page);
      const seen = [
        await dashboards.createDashboard({ ...page, readers: [bob.id] }),
        await dashboards.createDashboard({ ...page, team: team.id }),
        await dashboards.createDashboard({ ...page, by: bob.id }),
      ];
      await people.disablePrincipal({ principal: ada.id, by });
      await people.erasePrincipal({ principal: ada.id, by });
      const ids = async (table: "draft" | "dashboard") =>
        (await store.read.selectFrom(table).select("id").orderBy("id").execute()).map(({ id }) => id);
      expect(await ids("draft")).toEqual([bobs.id]);
      expect(await ids("dashboard")).toEqual(seen.map(({ id }) => id).toSorted());
      const said = await store.read.selectFrom("draft_comment").select("text").execute();
      expect(said).toEqual([{ text: "Because." }]);
    });

    test("a person whose name is Erased is erased as well, and again after they were let back in", async () => {
      const { database, store, ada, team } = await fixture();
      const { people } = database;
      const subjects = async () =>
        (await store.read.selectFrom("identity").select("subject").execute()).map((row) => row.subject);
      const erasable = () => people.erasable({ until: "3000" });
      await people.removeMember({ team: team.id, principal: ada.id, by: ada.id });
      for (const subject of ["first", "second"]) {
        await people.setPrincipal({ principal: ada.id, name: "Erased", by });
        await people.linkIdentity({ principal: ada.id, issuer: "https://id.example", subject, by });
        await people.disablePrincipal({ principal: ada.id, by });
        expect(await erasable()).toEqual([ada.id]);
        await people.erasePrincipal({ principal: ada.id, by });
        expect(await subjects()).not.toContain(subject);
        expect(await erasable(), "once").toEqual([]);
        await people.restorePrincipal({ principal: ada.id, by });
      }
    });

    test("what has the name of someone who is erased keeps it", async () => {
      const place = await fixture();
      const { database, store, ada, team } = place;
      const { people } = database;
      const { id: lea } = await inviter(place);
      await people.setPrincipal({ principal: ada.id, name: team.name, by });
      await people.removeMember({ team: team.id, principal: ada.id, by: ada.id });
      await people.disablePrincipal({ principal: ada.id, by });
      await people.erasePrincipal({ principal: ada.id, by });
      const told = store.read.selectFrom("notification").select("facts").where("principal_id", "=", lea);
      const facts = (await told.execute()).map((row) => JSON.parse(row.facts) as unknown);
      expect(facts).toContainEqual({ what: "left", person: "Erased", team: team.name });
    });

    test("a person invited again after leaving gets the old account with everything spent", async () => {
      const place = await fixture();
      const { database, team, ada, adas, charge } = place;
      const { id: lea } = await inviter(place);
      await charge("k", pure("0.5"));
      await database.people.removeMember({ team: team.id, principal: ada.id, by: ada.id });
      const { secret } = await database.people.invite({ team: team.id, role: "member", days: 1, by: lea });
      await database.people.acceptInvitation({ secret: secret ?? "", by: ada.id });
      await database.ledgers.unfreeze({ account: adas.id, by });
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.5"));
      expect(await codeOf(charge("k2", pure("0.6")))).toBe("QUOTA_EXHAUSTED");
    });
  });
}
