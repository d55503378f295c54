import { isDeepStrictEqual } from "node:util";
import { present } from "@dosimeter/core/internal";
import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, soon } from "../testing/fixture.kit.ts";

/** People and groups that a provider keeps here. */
export function provisioningKit(fixture: Build): void {
  describe("provisioning", () => {
    const provider = "work";
    const issuer = "https://id.example";
    const all = { from: 0, count: 100 };
    const user = { provider, issuer, id: null, externalId: null, email: null, isActive: true, by };

    test("what a provider ends is ended at once, and what it names again is the same person with what they spent", async () => {
      const { database, ada, adas } = await fixture();
      const { people, provisioning } = database;
      await people.setPrincipal({ principal: ada.id, email: "ada@example.org", by });
      const set = { ...user, userName: "Ada@Example.org", name: "Ada Byron", email: "ada@example.org" };
      const { person } = await provisioning.setUser(set);
      expect(person).toMatchObject({ id: ada.id, name: "Ada Byron" });
      const secrets = await Promise.all(
        (["token", "session"] as const).map((kind) =>
          people.createCredential({ kind, principal: ada.id, expiresAt: soon(), by }),
        ),
      );
      const agent = await people.createPrincipal({ kind: "agent", name: "helper", onBehalfOf: ada.id, by });
      await provisioning.deleteUser({ provider, id: ada.id, by });
      for (const { credential, secret } of secrets)
        expect(await codeOf(people.authenticate(credential.kind === "token" ? "token" : "session", secret))).toBe(
          "UNAUTHENTICATED",
        );
      expect((await people.principal(agent.id)).removedAt).not.toBeNull();
      expect((await database.ledgers.account(adas.id)).status).toBe("frozen");
      expect(await provisioning.users({ provider, ...all })).toEqual({ total: 0, items: [] });
      expect(await codeOf(provisioning.deleteUser({ provider, id: ada.id, by }))).toBe("NOT_FOUND");
      const again = await provisioning.setUser({ ...set, userName: "ADA@example.org" });
      expect(again.person).toMatchObject({ id: ada.id, removedAt: null });
      expect((await people.principal(agent.id)).removedAt, "must be given back by hand").not.toBeNull();
    });

    test("whom an admin removed stays removed, whatever the provider says", async () => {
      const { database } = await fixture();
      const { people, provisioning } = database;
      const bea = { ...user, userName: "bea", name: "Bea", email: "bea@example.org" };
      const { person } = await provisioning.setUser(bea);
      await people.disablePrincipal({ principal: person.id, by });
      const set = { ...bea, id: person.id };
      expect((await provisioning.setUser(set)).person.removedAt).not.toBeNull();
      await provisioning.setUser({ ...set, isActive: false });
      expect((await provisioning.setUser(set)).person.removedAt).not.toBeNull();
      await people.restorePrincipal({ principal: person.id, by });
      await provisioning.setUser({ ...set, isActive: false });
      expect((await provisioning.setUser(set)).person.removedAt).toBeNull();
    });

    test("whom an admin removed is not brought back after an erasure, by any of their names, until an admin lets them in", async () => {
      const { database } = await fixture();
      const { people, provisioning } = database;
      const identity = { issuer: "https://else.example", subject: "bea-1" };
      const bea = { ...user, userName: "Bea", externalId: "b1", name: "Bea", email: "bea@example.org" };
      const { person } = await provisioning.setUser(bea);
      await people.linkIdentity({ ...identity, principal: person.id, by });
      await people.disablePrincipal({ principal: person.id, by });
      await people.erasePrincipal({ principal: person.id, by });
      const brought = (given: Partial<typeof bea>) =>
        codeOf(provisioning.setUser({ ...user, userName: "new", externalId: null, name: "New", ...given }));
      const names = [{ userName: "BEA" }, { externalId: "b1" }, { email: "Bea@example.org" }];
      expect(await Promise.all(names.map(brought))).toEqual(["CONFLICT", "CONFLICT", "CONFLICT"]);
      const asked = [
        { identity },
        { identity: { ...identity, issuer: "https://else.example/" } },
        { email: "bea@example.org" },
        { identity: { ...identity, subject: "bea-2" }, email: "dee@example.org" },
        { email: null },
      ];
      const banned = () => Promise.all(asked.map((one) => people.isBanned(one)));
      expect(await banned()).toEqual([true, true, true, false, false]);
      expect(await codeOf(people.linkIdentity({ ...identity, principal: person.id, by }))).toBe("CONFLICT");
      await people.restorePrincipal({ principal: person.id, by });
      expect(await banned()).toEqual([false, false, false, false, false]);
      expect(await brought(bea)).toBe("done");
    });

    test("whom the provider itself removed it may bring again after an erasure", async () => {
      const { database } = await fixture();
      const { people, provisioning } = database;
      const set = { ...user, userName: "cy", externalId: "c1", name: "Cy", email: "cy@example.org" };
      const { person } = await provisioning.setUser(set);
      await provisioning.deleteUser({ provider, id: person.id, by });
      await people.erasePrincipal({ principal: person.id, by });
      const { person: again } = await provisioning.setUser(set);
      expect(again.id).not.toBe(person.id);
    });

    test("a name or an address in use, another provider's person and the last admin are refused, and nothing changes", async () => {
      const { database } = await fixture();
      const { people, provisioning } = database;
      const { person } = await provisioning.setUser({ ...user, userName: "cy", name: "Cy", email: "cy@example.org" });
      const code = (given: Partial<Parameters<typeof provisioning.setUser>[0]>) =>
        codeOf(provisioning.setUser({ ...user, userName: "dee", name: "Dee", ...given }));
      expect(await code({ userName: "CY" })).toBe("CONFLICT");
      expect(await code({ email: "Cy@example.org" })).toBe("CONFLICT");
      expect(await code({ provider: "other", email: "cy@example.org" })).toBe("CONFLICT");
      expect(await code({ provider: "other", id: person.id })).toBe("NOT_FOUND");
      expect(await code({ email: "no address" })).toBe("INVALID_PARAMETER");
      await people.grantRole({ principal: person.id, role: "platformAdmin", by });
      expect(await codeOf(provisioning.deleteUser({ provider, id: person.id, by }))).toBe("CONFLICT");
      expect((await provisioning.users({ provider, ...all })).items.map(({ userName }) => userName)).toEqual(["cy"]);
      expect((await provisioning.users({ provider: "other", ...all })).total).toBe(0);
    });

    test("a provider takes over no admin and no one of another issuer, and moves no address that it did not bring", async () => {
      const { database, ada, bob } = await fixture();
      const { people, provisioning } = database;
      await people.setPrincipal({ principal: ada.id, email: "ada@example.org", by });
      await people.setPrincipal({ principal: bob.id, email: "bob@example.org", by });
      await people.linkIdentity({ principal: ada.id, issuer: "https://else.example", subject: "a", by });
      await people.grantRole({ principal: bob.id, role: "platformAdmin", by });
      const set = (name: string, more: object = {}) =>
        provisioning.setUser({ ...user, userName: name, name, email: `${name}@example.org`, ...more });
      for (const name of ["ada", "bob"])
        await expect(set(name)).rejects.toThrow(/^someone here has this user name or address, or had it/);
      await people.linkIdentity({ principal: bob.id, issuer: `${issuer}/`, subject: "b", by });
      expect((await set("bob")).person.id, "who signs in at this issuer").toBe(bob.id);
      const moved = { id: bob.id, email: "evil@example.org" };
      expect((await set("bob", moved)).person.email).toBe("bob@example.org");
      const { person } = await set("cy");
      expect((await set("cy", { id: person.id, email: "cyd@example.org" })).person.email).toBe("cyd@example.org");
      await expect(set("cy", { id: person.id, email: "ada@example.org" })).rejects.toThrow(/^someone here has/);
    });

    test("a user name given to another is a new person, with the address", async () => {
      const { database } = await fixture();
      const { people, provisioning } = database;
      const set = (externalId: string | null) =>
        provisioning.setUser({ ...user, userName: "jo", name: "Jo", email: "jo@example.org", externalId });
      const { person } = await set("1");
      const gone = () => provisioning.deleteUser({ provider, id: person.id, by });
      for (const externalId of ["1", null, "1"]) {
        await gone();
        expect((await set(externalId)).person.id).toBe(person.id);
      }
      await gone();
      const other = await set("2");
      expect(other.person).toMatchObject({ email: "jo@example.org", removedAt: null });
      expect(other.person.id).not.toBe(person.id);
      expect(await people.principal(person.id)).toMatchObject({ email: null });
      expect((await people.principal(person.id)).removedAt).not.toBeNull();
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("people and groups are found by what their provider calls them, and listed in parts", async () => {
      const { database } = await fixture();
      const { provisioning } = database;
      for (const name of ["Ana", "Bea", "Cy", "Dee"])
        await provisioning.setUser({
          ...user,
          userName: name,
          externalId: `ext-${name}`,
          name,
          email: `${name}@example.org`,
        });
      await provisioning.setUser({ ...user, provider: "other", userName: "Ana", externalId: "ext-Ana", name: "Other" });
      const page = await provisioning.users({ provider, from: 1, count: 2 });
      expect([page.total, page.items.map(({ userName }) => userName)]).toEqual([4, ["Bea", "Cy"]]);
      const named = async (key: Parameters<typeof provisioning.users>[0]["key"]) =>
        (await provisioning.users({ provider, ...present({ key }), ...all })).items.map(({ userName }) => userName);
      const id = page.items[0]?.person.id ?? "";
      expect(await named({ userName: "aNA" })).toEqual(["Ana"]);
      expect(await named({ externalId: "ext-Cy" })).toEqual(["Cy"]);
      expect(await named({ email: "DEE@example.org" })).toEqual(["Dee"]);
      expect(await named({ ids: [id, "usr_x"] })).toEqual(["Bea"]);
      expect(await named({ ids: [] })).toEqual([]);
      const set = { provider, id: null, externalId: "g", members: [id], by };
      await provisioning.setGroup({ ...set, name: "Epi" });
      const { group } = await provisioning.setGroup({ ...set, name: "Two", externalId: null });
      const groups = async (key: Parameters<typeof provisioning.groups>[0]["key"], withMembers = true) =>
        (await provisioning.groups({ provider, ...present({ key }), withMembers, ...all })).items.map(
          ({ name, members }) => [name, members.length],
        );
      expect(await groups({ displayName: "ePI" })).toEqual([["Epi", 1]]);
      expect(await groups({ externalId: "g" })).toEqual([["Epi", 1]]);
      expect(await groups({ ids: [group.id] })).toEqual([["Two", 1]]);
      expect(await groups(undefined, false)).toHaveLength(2);
      expect((await groups(undefined, false)).map(([, members]) => members)).toEqual([0, 0]);
    });

    test("a group tells whom a change is about, and its members are the provider's", async () => {
      const { database, ada } = await fixture();
      const { provisioning } = database;
      const [one, two] = await Promise.all(
        ["one", "two"].map(async (name) => (await provisioning.setUser({ ...user, userName: name, name })).person.id),
      );
      const set = { provider, id: null, name: "epi", externalId: "e1", members: [one ?? ""], by };
      const { group, affected } = await provisioning.setGroup(set);
      expect(affected).toEqual([one]);
      const changed = await provisioning.setGroup({ ...set, id: group.id, members: [two ?? ""] });
      expect(new Set(changed.affected)).toEqual(new Set([one, two]));
      const repeated = await provisioning.setGroup({ ...set, id: group.id, members: [two ?? ""] });
      expect(repeated.affected, "also if nothing changed").toEqual([two]);
      const renamed = await provisioning.setGroup({ ...set, id: group.id, name: "epis", members: [two ?? ""] });
      expect(renamed.affected).toEqual([two]);
      const names = { provider, principal: two ?? ada.id };
      expect(await provisioning.groupNamesOf(names)).toEqual(new Set(["epis"]));
      expect(await codeOf(provisioning.setGroup({ ...set, name: "epis" }))).toBe("CONFLICT");
      expect(await codeOf(provisioning.setGroup({ ...set, members: [ada.id] }))).toBe("INVALID_PARAMETER");
      expect(await codeOf(provisioning.setGroup({ ...set, provider: "other", id: group.id }))).toBe("NOT_FOUND");
      expect((await provisioning.dropGroup({ provider, id: group.id, by })).affected).toEqual([two]);
      expect((await provisioning.groups({ provider, withMembers: true, ...all })).total).toBe(0);
    });

    test("of two changes computed from the same reading, the second is refused and changes nothing", async () => {
      const { database } = await fixture();
      const { provisioning } = database;
      const { person } = await provisioning.setUser({ ...user, userName: "one", name: "One" });
      const set = { provider, id: null, name: "epi", externalId: null, members: [], by };
      const { group } = await provisioning.setGroup(set);
      const isStill = (now: object) => isDeepStrictEqual(now, group);
      const patched = (members: readonly string[]) =>
        codeOf(provisioning.setGroup({ ...set, id: group.id, members, isStill }));
      expect((await Promise.all([patched([person.id]), patched([person.id])])).toSorted()).toEqual([
        "CONFLICT",
        "done",
      ]);
      const { person: read } = await provisioning.setUser({ ...user, id: person.id, userName: "one", name: "Two" });
      const stale = { ...user, id: person.id, userName: "one", name: "Three", isStill: () => false };
      expect(await codeOf(provisioning.setUser(stale))).toBe("CONFLICT");
      expect(await database.people.principal(person.id)).toEqual(read);
    });

    test("the service of a provider is one, stays when its maker is removed, and is another after it was removed itself", async () => {
      const { database, ada } = await fixture();
      const { people, provisioning } = database;
      const made = () => provisioning.serviceOf({ provider, name: "Work (SCIM)", by: ada.id });
      const first = await made();
      await people.disablePrincipal({ principal: ada.id, by });
      expect(await made()).toMatchObject({ id: first.id, kind: "service" });
      await people.disablePrincipal({ principal: first.id, by });
      const second = await made();
      expect(second.id).not.toBe(first.id);
      expect(await provisioning.providerOf(second.id)).toBe(provider);
      expect(await provisioning.providerOf(first.id)).toBeNull();
    });
  });
}
