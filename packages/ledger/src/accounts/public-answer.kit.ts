import { describe, expect, test } from "vitest";
import type { Account } from "../index.ts";
import { AHEAD, type Build, by, codeOf, eps, type Fixture, pastAhead, pure } from "../testing/fixture.kit.ts";
import type { ChargeId } from "../values/id.ts";

const words = { title: null, isIndexed: false, expiresAt: `${AHEAD}-01-01T00:00:00.000Z`, by };

export function publicAnswerKit(fixture: Build): void {
  describe("public answers", () => {
    test("a release that is public counts in every cap, once, for good, and in those that are opened later [M400]", async () => {
      const own = await fixture({ quota: "2", share: "0.9" });
      const { releases, ledgers } = own.database;
      const cap = capsOn(own);
      const [carls, teams] = [await cap("0.5", "Carl"), await cap("0.6", "team A")];
      const closed = await cap("0.5", "Dora");
      await ledgers.closeAccount({ account: closed.id, by });
      const [a, b] = [await released(own, "a", "0.1"), await released(own, "b", "0.2")];
      const publish = (charge: ChargeId, origins: readonly ChargeId[] = []) =>
        releases.publishAnswer({ charge, origins, ...words });
      const spent = async (...accounts: readonly Account[]) =>
        Promise.all(accounts.map(async ({ id }) => (await ledgers.balance(id)).state.epsilon));

      // One rests on the other: both count. The shares of those who paid, and the ledger, pay nothing more.
      const first = await publish(a, [b]);
      expect(await spent(carls, teams, closed)).toEqual([eps("0.3"), eps("0.3"), 0n]);
      expect(await spent(own.adas)).toEqual([eps("0.3")]);
      expect((await ledgers.balance(own.ledger.id)).state.epsilon).toBe(eps("0.3"));
      expect(await codeOf(releases.publicAnswer(first.secret))).toBe("done");
      const second = await publish(a, [b]);
      const third = await publish(b);
      expect(await spent(carls, teams)).toEqual([eps("0.3"), eps("0.3")]);
      expect(await codeOf(releases.publicAnswer(first.secret)), "its link is another now").toBe("NOT_FOUND");
      expect(await releases.publicAnswer(second.secret)).toMatchObject({ charge: a, title: null });
      expect(await codeOf(ledgers.withdraw({ account: carls.id, epsilon: eps("0.3"), by }))).toBe("QUOTA_UNAVAILABLE");

      for (const charge of [a, a, b]) await releases.endPublicAnswer({ charge, by });
      for (const { secret } of [second, third]) expect(await codeOf(releases.publicAnswer(secret))).toBe("NOT_FOUND");
      expect(await spent(carls, teams), "what was seen stays seen").toEqual([eps("0.3"), eps("0.3")]);

      expect(await codeOf(cap("0.2", "Emil"))).toBe("QUOTA_EXHAUSTED");
      expect(await codeOf(cap("0.2", "team B"))).toBe("QUOTA_EXHAUSTED");
      const later = [await cap("0.3", "Fay"), await cap("0.3", "team C")];
      expect(await spent(...later)).toEqual([eps("0.3"), eps("0.3")]);
      // No one read these: the audit says so.
      const lines = async (action: string) => (await own.database.audit.lines({ action })).items.length;
      expect(await Promise.all(["cap.read", "cap.public", "cap.begin"].map(lines))).toEqual([0, 4, 4]);
      // Its asker's new cap counts each once: asked for, and public.
      expect(await spent(await cap("0.3", own.ada.id))).toEqual([eps("0.3")]);
    });

    test("without room in one cap nothing is public and no cap has counted it; answers that are not there are not public", async () => {
      const own = await fixture({ quota: "2", share: "0.9" });
      const { releases, ledgers } = own.database;
      const cap = capsOn(own);
      const [wide, narrow] = [await cap("1", "Carl"), await cap("0.3", "team A")];
      await ledgers.freeze({ account: narrow.id, by });
      const charge = await released(own, "large", "0.4");
      const publish = () => releases.publishAnswer({ charge, origins: [], ...words });
      expect(await codeOf(publish())).toBe("QUOTA_EXHAUSTED");
      expect((await ledgers.balance(wide.id)).state.epsilon).toBe(0n);
      expect(await releases.linkOf(charge)).toBeNull();
      await ledgers.allocate({ account: narrow.id, epsilon: eps("0.1"), by }).catch(() => undefined);
      await ledgers.unfreeze({ account: narrow.id, by });
      await ledgers.allocate({ account: narrow.id, epsilon: eps("0.1"), by });
      await publish();
      expect((await ledgers.balance(narrow.id)).state.epsilon).toBe(eps("0.4"));
      const { charge: waiting } = await own.charge("waiting", pure("0.01"));
      const early = releases.publishAnswer({ charge: waiting.id, origins: [], ...words });
      expect(await codeOf(early)).toBe("CONFLICT");
    });

    test("whichever of many comes first, every cap has counted all that is public, and nothing twice [M400]", async () => {
      const own = await fixture({ quota: "2", share: "0.9" });
      const { releases, ledgers } = own.database;
      const cap = capsOn(own);
      const [carls, narrow] = [await cap("1", "Carl"), await cap("0.25", "Nan")];
      const charges = await Promise.all(["0.1", "0.1", "0.2"].map((epsilon, at) => released(own, `r${at}`, epsilon)));
      const [a = "" as ChargeId, b = a, c = a] = charges;
      const publish = (charge: ChargeId, origins: readonly ChargeId[] = []) =>
        codeOf(releases.publishAnswer({ charge, origins, ...words }));
      const [late] = await Promise.all([
        cap("1", "Late"),
        ...[publish(a), publish(a), publish(b, [a]), publish(c), publish(c, [a, b])],
        ...[releases.endPublicAnswer({ charge: a, by }), ledgers.readUnderCaps({ charge: a, reader: own.ada.id })],
        own.charge("between", pure("0.05")),
      ]);
      const rows = await own.store.read.selectFrom("public_answer").selectAll().execute();
      const prices = new Map([
        [a, "0.1"],
        [b, "0.1"],
        [c, "0.2"],
      ]);
      const known = await Promise.all(charges.map((charge) => releases.linkOf(charge)));
      const sum = known.reduce((total, link) => total + (link === null ? 0n : eps(prices.get(link.charge) ?? "0")), 0n);
      expect(rows.length).toBe(known.filter((link) => link !== null).length);
      for (const { id } of [carls, narrow, late]) expect((await ledgers.balance(id)).state.epsilon).toBe(sum);
      expect(sum <= eps("0.25"), "the narrowest decides").toBe(true);
    });

    test("a link is over by itself, and is kept as a hash alone", async () => {
      const own = await fixture();
      const charge = await released(own, "a", "0.1");
      const { secret } = await own.database.releases.publishAnswer({
        charge,
        origins: [],
        ...words,
        title: " By age ",
      });
      expect(secret).toMatch(/^pub_[0-9a-z]{32}$/);
      expect(await own.database.releases.publicAnswer(secret)).toMatchObject({ charge, title: "By age" });
      const rows = await own.store.read.selectFrom("public_answer").selectAll().execute();
      expect(JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
        secret.slice(4),
      );
      const later = await pastAhead(own);
      const refusals = await Promise.all(
        [later.releases.publicAnswer(secret), own.database.releases.publicAnswer("pub_")].map((asked) =>
          asked.catch((error: Error) => error.message),
        ),
      );
      expect(new Set(refusals).size, "one answer for all").toBe(1);
      const again = { charge, origins: [], ...words, expiresAt: "2020-01-01T00:00:00Z" };
      expect(await codeOf(own.database.releases.publishAnswer(again))).toBe("INVALID_PARAMETER");
    });
  });
}

/** Opens caps: of a new person or team by name, or of a person by id. */
const capsOn =
  ({ database: { people, ledgers }, ledger }: Fixture) =>
  async (epsilon: string, of: string): Promise<Account> => {
    const kind = of.startsWith("team ") ? "team" : "principal";
    const email = `${of.toLowerCase()}@example.org`;
    const { id } = of.startsWith("usr_")
      ? { id: of }
      : kind === "team"
        ? await people.createTeam({ name: of, by })
        : await people.createPrincipal({ kind: "user", name: of, email, by });
    const holder = { kind, id } as Account["holder"];
    return ledgers.openAccount({ ledger: ledger.id, parent: null, holder, kind: "cap", epsilon: eps(epsilon), by });
  };

/** A charge with its answers. */
async function released(own: Fixture, key: string, epsilon: string): Promise<ChargeId> {
  const { charge } = await own.charge(key, pure(epsilon));
  await own.database.releases.complete({ charge: charge.id, owner: "test", answers: [key] });
  return charge.id;
}
