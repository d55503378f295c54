import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, eps, type Fixture, pure } from "../testing/fixture.kit.ts";
import type { Delivery } from "./delivery.ts";

const told = async ({ database }: Fixture, person: Fixture["ada"]["id"]) =>
  (await database.outbox.notifications({ principal: person })).items.map(({ kind, facts }) => [kind, facts] as const);

const ask = ({ database, ada, adas, dataset }: Fixture) =>
  database.requests.make({
    by: ada.id,
    dataset: dataset.id,
    target: { account: adas.id },
    epsilon: eps("0.4"),
    note: "<b>ages</b>",
  });

async function withLead(fixture: Build, quota = "2"): Promise<Fixture & { readonly lead: Fixture["ada"] }> {
  const built = await fixture({ quota });
  const lead = await built.database.people.createPrincipal({
    kind: "user",
    name: "Lea",
    email: "lea@example.org",
    by,
  });
  await built.database.people.grantRole({ principal: lead.id, role: "teamAdmin", object: built.team.id, by });
  return { ...built, lead };
}

/** Everything that is due, of both channels. */
async function allDue({ database }: Pick<Fixture, "database">): Promise<readonly Delivery[]> {
  const all: Delivery[] = [];
  for (const channel of ["mail", "webhook"] as const) {
    const next = () => database.outbox.takeDue({ limit: 100, channel });
    for (let due = await next(); due.length > 0; due = await next()) all.push(...due);
  }
  return all;
}

/** What was written is a minute older. */
const aMinutePasses = ({ store }: Fixture) =>
  store.transact(async ({ db }) => {
    for (const { id, due_at } of await db.selectFrom("outbox").selectAll().where("ended_at", "is", null).execute()) {
      const before = new Date(Date.parse(due_at) - 61_000).toISOString();
      await db.updateTable("outbox").set({ due_at: before }).where("id", "=", id).execute();
    }
  });

/** The transaction of an event writes its notifications, one for each reader. */
export function outboxKit(fixture: Build): void {
  describe("outbox", () => {
    test("the people who decide get notice of a request, the requester of the decision, and both wait to be mailed", async () => {
      const all = await withLead(fixture, "4");
      const { database, lead, ada } = all;
      const { id, version } = await ask(all);
      const [made] = await told(all, lead.id);
      expect(made).toMatchObject(["requestMade", { requester: "Ada", epsilon: "0.4", note: "<b>ages</b>" }]);
      await database.requests.approve({ request: id, version, by: lead.id, epsilon: eps("0.1"), note: "a part" });
      expect((await told(all, ada.id))[0]).toMatchObject([
        "requestDecided",
        { outcome: "partlyApproved", amount: "0.1", note: "a part" },
      ]);
      // The quota that the approval moved gets no second notification.
      expect((await told(all, ada.id)).filter(([kind]) => kind === "requestDecided")).toHaveLength(1);
      const due = await allDue(all);
      expect(due.map(({ address, message }) => [address, (message as { kind: string }).kind])).toEqual(
        expect.arrayContaining([
          ["lea@example.org", "requestMade"],
          ["ada@example.org", "requestDecided"],
        ]),
      );
    });

    test("a refused operation notifies no one", async () => {
      const all = await withLead(fixture);
      const { database, lead } = all;
      const { id, version } = await ask(all);
      const before = await told(all, all.ada.id);
      const over = database.requests.approve({ request: id, version: version + 5, by: lead.id });
      expect(await codeOf(over)).toBe("CONFLICT");
      expect(await told(all, all.ada.id)).toEqual(before);
    });

    test("a taken message is not taken again within its lease, and a delivered one never comes back", async () => {
      const all = await withLead(fixture);
      await ask(all);
      const { outbox } = all.database;
      const first = await allDue(all);
      expect(first.length).toBeGreaterThan(0);
      expect(await allDue(all)).toEqual([]);
      for (const { id } of first) await outbox.endDelivery({ id, outcome: "delivered" });
      expect(await outbox.backlog()).toBe(0);
    });

    test("of each address one is taken at a time, and none of those where something is being sent", async () => {
      const { database } = await withLead(fixture);
      const { outbox } = database;
      const put = (address: string) => outbox.putMail({ address, message: { kind: "link" }, principal: null });
      await allDue({ database });
      for (let n = 0; n < 50; n += 1) await put("slow@example.org");
      await put("ada@example.org");
      const taken = await outbox.takeDue({ channel: "mail", limit: 20 });
      expect(taken.map(({ address }) => address)).toEqual(["slow@example.org", "ada@example.org"]);
      await put("ada@example.org");
      const next = await outbox.takeDue({ channel: "mail", limit: 20, except: ["slow@example.org"] });
      expect(next.map(({ address }) => address)).toEqual(["ada@example.org"]);
    });

    test("a person gets one mail of a kind a minute, which counts those that waited", async () => {
      const all = await withLead(fixture);
      const { database, lead, ada } = all;
      for (const { id } of await allDue(all)) await database.outbox.endDelivery({ id, outcome: "delivered" });
      const page = async () =>
        (await database.outbox.notifications({ principal: ada.id })).items.filter(({ kind }) => kind === "membership");
      const before = (await page()).length;
      const base = { principal: ada.id, by: lead.id };
      for (const name of ["A", "B", "C"]) {
        const { id: team } = await database.people.createTeam({ by: lead.id, name });
        await database.people.addMember({ ...base, team });
      }
      const adas = async () => (await allDue(all)).filter(({ address }) => address === "ada@example.org");
      expect(await adas(), "she got one just before").toEqual([]);
      await aMinutePasses(all);
      const due = await adas();
      expect(due.map(({ message }) => message)).toMatchObject([{ kind: "membership", facts: { team: "A" }, more: 2 }]);
      expect(await page(), "on the page each is its own").toHaveLength(before + 3);
      for (const { id } of due) await database.outbox.endDelivery({ id, outcome: "delivered" });
      const { id: team } = await database.people.createTeam({ by: lead.id, name: "D" });
      await database.people.addMember({ ...base, team });
      expect(await adas()).toEqual([]);
      await aMinutePasses(all);
      const later = await adas();
      expect(
        later.map(({ message }) => message),
        "what was tried takes no more",
      ).toMatchObject([{ facts: { team: "D" } }]);
    });

    test("who left a team gets no news of the account below it, and those who stay do", async () => {
      const all = await withLead(fixture);
      const { database, lead, ada, adas, bob, bobs, team } = all;
      const news = async (person: Fixture["ada"]["id"]) =>
        (await told(all, person)).filter(([kind]) => kind === "quotaChanged").length;
      await database.people.removeMember({ team: team.id, principal: ada.id, by: lead.id });
      const before = [await news(ada.id), await news(bob.id)];
      for (const { id } of [adas, bobs])
        await database.ledgers.withdraw({ account: id, epsilon: eps("0.1"), by: lead.id });
      expect([await news(ada.id), await news(bob.id)]).toEqual([before[0], (before[1] ?? 0) + 1]);
    });

    test("a webhook is news to the person whose it is, in the audit too, and ends with the person", async () => {
      const all = await withLead(fixture);
      const { database, ada } = all;
      await database.outbox.setWebhook({ principal: ada.id, url: "https://thief.example/h" });
      expect(await told(all, ada.id)).toContainEqual(["security", { what: "webhook" }]);
      await database.people.disablePrincipal({ principal: ada.id, by });
      await database.people.restorePrincipal({ principal: ada.id, by });
      expect(await database.outbox.webhook(ada.id)).toBeNull();
      const { items } = await database.audit.lines({ limit: 100 });
      expect(items.map(({ action }) => action)).toEqual(expect.arrayContaining(["webhook.set", "webhook.end"]));
    });

    test("what of one kind waits for one person's webhook is one delivery, which lists it, 50 at most", async () => {
      const all = await withLead(fixture);
      const { database, lead, ada } = all;
      const { outbox, people } = database;
      await outbox.setWebhook({ principal: ada.id, url: "https://x.example/h" });
      await outbox.setPreference({ principal: ada.id, kind: "membership", app: true, mail: false, webhook: true });
      await allDue(all);
      const names = Array.from({ length: 53 }, (_, k) => `Team ${k}`);
      for (const name of names) {
        const { id: team } = await people.createTeam({ by: lead.id, name });
        await people.addMember({ principal: ada.id, by: lead.id, team });
      }
      const due = (await allDue(all)).filter(({ channel }) => channel === "webhook");
      interface Message {
        readonly notification: string;
        readonly facts: { readonly team: string };
        readonly others?: readonly Message[];
      }
      const messages = due.map(({ message }) => message as unknown as Message);
      expect(messages.map(({ others = [] }) => others.length)).toEqual([49, 2]);
      const listed = messages.flatMap(({ others = [], ...first }) => [first, ...others]);
      expect(listed.map(({ facts }) => facts.team)).toEqual(names);
      const { items } = await outbox.notifications({ principal: ada.id });
      expect(listed.map(({ notification }) => notification)).toEqual(expect.arrayContaining(items.map(({ id }) => id)));
    });

    test("a failed delivery comes again later, under the same id", async () => {
      const all = await withLead(fixture);
      await ask(all);
      const { outbox } = all.database;
      const [first] = await outbox.takeDue({ limit: 1, channel: "mail" });
      await outbox.endDelivery({ id: first?.id ?? "", outcome: "failed" });
      const due = await all.store.read
        .selectFrom("outbox")
        .selectAll()
        .where("id", "=", first?.id ?? "")
        .executeTakeFirstOrThrow();
      expect(due).toMatchObject({ tries: 1n, ended_at: null });
      expect(Date.parse(due.due_at)).toBeGreaterThan(Date.now());
    });

    test("the holder and the people above are notified once for each level and quota", async () => {
      const all = await withLead(fixture);
      const { charge, lead } = all;
      const levels = async (person: Fixture["ada"]["id"]) =>
        (await told(all, person)).flatMap(([kind, facts]) => (kind === "threshold" ? [facts.level] : []));
      await charge("a", pure("0.4"));
      expect(await levels(all.ada.id)).toEqual([]);
      await charge("b", pure("0.1"));
      await charge("b", pure("0.1"));
      for (const key of ["b1", "b2"]) await charge(key, pure("0.01"));
      expect(await levels(all.ada.id)).toEqual(["50"]);
      await charge("c", pure("0.48"));
      expect(await levels(all.ada.id)).toEqual(["95", "50"]);
      expect(await levels(lead.id)).toEqual(["50"]);
    });

    test("a kind of notification that a person turned off is neither mailed nor unread", async () => {
      const all = await withLead(fixture);
      const { database, lead } = all;
      const quiet = { principal: lead.id, app: false, mail: false, webhook: false };
      await database.outbox.setPreference({ ...quiet, kind: "requestMade" });
      expect(await codeOf(database.outbox.setPreference({ ...quiet, kind: "weather" }))).toBe("INVALID_PARAMETER");
      const before = await database.outbox.unread(lead.id);
      await ask(all);
      expect(await database.outbox.unread(lead.id)).toBe(before);
      expect((await allDue(all)).filter(({ principal }) => principal === lead.id)).toHaveLength(
        before, // notifications from before the preference
      );
      expect((await database.outbox.preferences(lead.id)).requestMade.mail).toBe(false);
    });

    test("a password link is news to its person once, mailed or not, and one that waits is not mailed once they set a password", async () => {
      const all = await withLead(fixture);
      const { people } = all.database;
      const { id: principal } = all.lead;
      const link = { principal, expiresAt: new Date(Date.now() + 60_000).toISOString(), by };
      const mailed = { ...link, address: "lea@example.org" };
      const news = async () => (await told(all, principal)).filter(([, { what }]) => what === "passwordLink").length;
      await people.createPasswordLink(link);
      expect(await news()).toBe(1);
      await people.mailPasswordLink(mailed);
      expect(await news()).toBe(2);
      const { secret } = await people.createPasswordLink(mailed); // as for an attempt to send it
      expect(await news()).toBe(2);
      const letter = await all.store.read
        .selectFrom("outbox")
        .select("id")
        .where("message", "like", '%"kind":"passwordLink"%')
        .executeTakeFirstOrThrow();
      await people.setPassword({ principal, hash: "x", by: principal });
      expect(await codeOf(people.passwordLinkOf(secret))).toBe("UNAUTHENTICATED");
      expect((await allDue(all)).map(({ id }) => id)).not.toContain(letter.id);
    });

    test("a webhook gets its owner's notifications, and a message of someone else cannot be marked", async () => {
      const all = await withLead(fixture);
      const { database, lead, ada } = all;
      const { secret } = (await database.outbox.setWebhook({ principal: lead.id, url: "https://x.example/h" })) ?? {};
      expect((await database.outbox.webhook(lead.id))?.secret).toBe(secret);
      await ask(all);
      expect((await allDue(all)).map(({ channel }) => channel)).toContain("webhook");
      const [newest] = (await database.outbox.notifications({ principal: lead.id })).items;
      const theirs = { principal: ada.id, notification: newest?.id ?? "" };
      expect(await codeOf(database.outbox.markRead(theirs))).toBe("NOT_FOUND");
      await database.outbox.markRead({ principal: lead.id, notification: null });
      expect(await database.outbox.unread(lead.id)).toBe(0);
    });
  });
}
