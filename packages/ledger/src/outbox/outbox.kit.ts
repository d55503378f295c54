import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, eps, type Fixture, pure } from "../testing/fixture.kit.ts";

const both = ["mail", "webhook"] as const;

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
      const due = await database.outbox.takeDue({ limit: 50, channels: both });
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
      const first = await outbox.takeDue({ limit: 100, channels: both });
      expect(first.length).toBeGreaterThan(0);
      expect(await outbox.takeDue({ limit: 100, channels: both })).toEqual([]);
      for (const { id } of first) await outbox.endDelivery({ id, outcome: "delivered" });
      expect(await outbox.nextDue()).toBeNull();
    });

    test("a failed delivery comes again later, under the same id", async () => {
      const all = await withLead(fixture);
      await ask(all);
      const { outbox } = all.database;
      const [first] = await outbox.takeDue({ limit: 1, channels: both });
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
      expect(
        (await database.outbox.takeDue({ limit: 100, channels: both })).filter(
          ({ principal }) => principal === lead.id,
        ),
      ).toHaveLength(
        before, // notifications from before the preference
      );
      expect((await database.outbox.preferences(lead.id)).requestMade.mail).toBe(false);
    });

    test("a webhook gets its owner's notifications, and a message of someone else cannot be marked", async () => {
      const all = await withLead(fixture);
      const { database, lead, ada } = all;
      const { secret } = (await database.outbox.setWebhook({ principal: lead.id, url: "https://x.example/h" })) ?? {};
      expect((await database.outbox.webhook(lead.id))?.secret).toBe(secret);
      await ask(all);
      expect((await database.outbox.takeDue({ limit: 100, channels: both })).map(({ channel }) => channel)).toContain(
        "webhook",
      );
      const [newest] = (await database.outbox.notifications({ principal: lead.id })).items;
      const theirs = { principal: ada.id, notification: newest?.id ?? "" };
      expect(await codeOf(database.outbox.markRead(theirs))).toBe("NOT_FOUND");
      await database.outbox.markRead({ principal: lead.id, notification: null });
      expect(await database.outbox.unread(lead.id)).toBe(0);
    });
  });
}
