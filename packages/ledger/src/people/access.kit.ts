import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, eps, pure, soon } from "../town.kit.ts";

/** Ways in: passwords, identities of a provider, invitations. */
export function accessKit(town: Build): void {
  describe("access", () => {
    test("a new password ends every session but the one that set it", async () => {
      const { books, ada } = await town();
      const session = () =>
        books.people.createCredential({ kind: "session", principal: ada.id, expiresAt: soon(), by: ada.id });
      const [here, elsewhere] = [await session(), await session()];
      expect(await books.people.passwordOf(ada.id)).toBeNull();
      await books.people.setPassword({ principal: ada.id, hash: "h1", keep: here.credential.id, by: ada.id });
      await books.people.setPassword({ principal: ada.id, hash: "h2", keep: here.credential.id, by: ada.id });
      expect(await books.people.passwordOf(ada.id)).toBe("h2");
      expect((await books.people.authenticate("session", here.secret)).principal.id).toBe(ada.id);
      expect(await codeOf(books.people.authenticate("session", elsewhere.secret))).toBe("UNAUTHENTICATED");
    });

    test("an identity belongs to one person, for good", async () => {
      const { books, ada, bob } = await town();
      const identity = { issuer: "https://id.example", subject: "42" };
      expect(await books.people.principalByIdentity(identity)).toBeNull();
      await books.people.linkIdentity({ ...identity, principal: ada.id, by: ada.id });
      await books.people.linkIdentity({ ...identity, principal: ada.id, by: ada.id });
      expect(await codeOf(books.people.linkIdentity({ ...identity, principal: bob.id, by }))).toBe("CONFLICT");
      expect((await books.people.principalByIdentity(identity))?.id).toBe(ada.id);
      await books.people.disablePrincipal({ principal: ada.id, by });
      expect(await codeOf(books.people.principalByIdentity(identity))).toBe("UNAUTHENTICATED");
    });

    test("an invitation lets one person in, once, however many click it", async () => {
      const { books, team } = await town();
      const { secret } = await books.people.invite({ team: team.id, role: "teamAdmin", days: 7, by });
      const carls = await Promise.all(
        Array.from({ length: 5 }, (_, n) => books.people.createPrincipal({ kind: "user", name: `Carl ${n}`, by })),
      );
      const clicks = await Promise.allSettled(
        carls.map(({ id }) => books.people.acceptInvitation({ secret: secret ?? "", by: id })),
      );
      expect(clicks.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      expect((await books.people.members(team.id)).filter(({ until }) => until === null)).toHaveLength(3);
      expect(await books.people.invitations(team.id)).toEqual([]);
    });

    test("taken back, mailed anew or of a closed team, the old secret lets nobody in", async () => {
      const { books, team, bob } = await town();
      const take = (secret: string | null | undefined) =>
        codeOf(books.people.acceptInvitation({ secret: secret ?? "", by: bob.id }));
      const first = await books.people.invite({ team: team.id, role: "member", days: 7, by });
      await books.people.endInvitation({ invitation: first.invitation.id, by });
      expect(await take(first.secret)).toBe("UNAUTHENTICATED");
      const mailed = await books.people.invite({ team: team.id, role: "member", email: "C@x.org", days: 7, by });
      expect(mailed).toMatchObject({ secret: null, invitation: { email: "c@x.org" } });
      const one = await books.people.mintInvitation(mailed.invitation.id);
      const two = await books.people.mintInvitation(mailed.invitation.id);
      expect(await take(one?.secret)).toBe("UNAUTHENTICATED");
      await books.people.closeTeam({ team: team.id, by });
      expect(await take(two?.secret)).toBe("UNAUTHENTICATED");
      expect(await codeOf(books.people.addMember({ team: team.id, principal: bob.id, by }))).toBe("CONFLICT");
    });

    test("invited again after leaving, one finds the account with everything that was spent", async () => {
      const { books, team, ada, adas, charge } = await town();
      await charge("k", pure("0.5"));
      await books.people.removeMember({ team: team.id, principal: ada.id, by: ada.id });
      const { secret } = await books.people.invite({ team: team.id, role: "member", days: 1, by });
      await books.people.acceptInvitation({ secret: secret ?? "", by: ada.id });
      expect((await books.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.5"));
      expect(await codeOf(charge("k2", pure("0.6")))).toBe("QUOTA_EXHAUSTED");
    });
  });
}
