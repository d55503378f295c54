import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, soon } from "../testing/fixture.kit.ts";

/** People and groups that a provider keeps here. */
export function provisioningKit(fixture: Build): void {
  describe("provisioning", () => {
    const provider = "work";
    const user = { provider, id: null, externalId: null, email: null, isActive: true, by };

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
      expect((await people.principal(agent.id)).disabledAt).not.toBeNull();
      expect((await database.ledgers.account(adas.id)).status).toBe("frozen");
      expect(await provisioning.users(provider)).toEqual([]);
      expect(await codeOf(provisioning.deleteUser({ provider, id: ada.id, by }))).toBe("NOT_FOUND");
      const again = await provisioning.setUser({ ...set, userName: "ADA@example.org" });
      expect(again.person).toMatchObject({ id: ada.id, disabledAt: null });
      expect((await people.principal(agent.id)).disabledAt, "must be given back by hand").not.toBeNull();
    });

    test("whom an admin removed stays removed, whatever the provider says", async () => {
      const { database } = await fixture();
      const { people, provisioning } = database;
      const bea = { ...user, userName: "bea", name: "Bea", email: "bea@example.org" };
      const { person } = await provisioning.setUser(bea);
      await people.disablePrincipal({ principal: person.id, by });
      const set = { ...bea, id: person.id };
      expect((await provisioning.setUser(set)).person.disabledAt).not.toBeNull();
      await provisioning.setUser({ ...set, isActive: false });
      expect((await provisioning.setUser(set)).person.disabledAt).not.toBeNull();
      await people.restorePrincipal({ principal: person.id, by });
      await provisioning.setUser({ ...set, isActive: false });
      expect((await provisioning.setUser(set)).person.disabledAt).toBeNull();
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
      expect((await provisioning.users(provider)).map(({ userName }) => userName)).toEqual(["cy"]);
      expect(await provisioning.users("other")).toEqual([]);
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
      const renamed = await provisioning.setGroup({ ...set, id: group.id, name: "epis", members: [two ?? ""] });
      expect(renamed.affected).toEqual([two]);
      const names = { provider, principal: two ?? ada.id };
      expect(await provisioning.groupNamesOf(names)).toEqual(new Set(["epis"]));
      expect(await codeOf(provisioning.setGroup({ ...set, name: "epis" }))).toBe("CONFLICT");
      expect(await codeOf(provisioning.setGroup({ ...set, members: [ada.id] }))).toBe("INVALID_PARAMETER");
      expect(await codeOf(provisioning.setGroup({ ...set, provider: "other", id: group.id }))).toBe("NOT_FOUND");
      expect((await provisioning.dropGroup({ provider, id: group.id, by })).affected).toEqual([two]);
      expect(await provisioning.groups(provider)).toEqual([]);
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
