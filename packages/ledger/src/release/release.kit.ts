import { describe, expect, test } from "vitest";
import { type Build, codeOf, eps, pure } from "../testing/fixture.kit.ts";
import type { ListedRelease } from "./list.ts";
import type { Release } from "./release.ts";

const listed = ({ id, charge, ledger, account, principal, dataset, at }: Release): ListedRelease => ({
  ...{ id, charge, ledger, account, principal, dataset, at },
});

export function releaseKit(fixture: Build): void {
  describe("releases", () => {
    const answers = { rows: [{ value: 41, interval: [39, 43] }] };

    test("answers are stored once with sentence and receipt, and can be read again for free [I10, I25]", async () => {
      const { database, charge, ledger, adas, ada } = await fixture();
      const { charge: charged } = await charge("k", pure("0.1"));
      expect(await database.releases.releaseOf(charged.id)).toBeNull();
      const first = await database.releases.complete({ charge: charged.id, owner: "test", answers });
      const again = await database.releases.complete({ charge: charged.id, owner: "another", answers: "other" });
      expect(again).toEqual(first);
      expect(first).toMatchObject({
        answers,
        sentence: ledger.sentence,
        principal: ada.id,
        receipt: { entry: 2, entryHash: charged.entryHash, epsilon: "0.1", delta: "0" },
      });
      expect(await database.releases.releaseOf(charged.id)).toEqual(first);
      expect((await charge("k", pure("0.1"))).charge.status).toBe("released");
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.1"));
      expect((await database.releases.releases({ principals: [ada.id] })).items).toEqual([listed(first)]);
    });

    test("a reader is given their own releases, those of their datasets and those below their teams and accounts", async () => {
      const { database, charge, ada, bob, bobs, team, dataset } = await fixture();
      const release = async (key: string, account?: typeof bobs) => {
        const { charge: charged } = await charge(key, pure("0.1"), account);
        return listed(await database.releases.complete({ charge: charged.id, owner: "test", answers }));
      };
      const [adas, other] = [await release("a"), await release("b", bobs)];
      const nobody = { principals: ["usr_nobody" as typeof ada.id], datasets: [], leads: [], teams: [] };
      // By pages of one from the newest, and all at once by index: the same.
      const seen = async (reader: object) => {
        const filter = { reader: { ...nobody, ...reader } };
        const { items } = await database.releases.releases(filter);
        const one = await database.releases.releases({ ...filter, limit: 1 });
        const rest = one.next === null ? [] : (await database.releases.releases({ ...filter, after: one.next })).items;
        expect([...one.items, ...rest]).toEqual(items);
        return items;
      };
      expect(await seen({})).toEqual([]);
      expect(await seen({ principals: [ada.id] })).toEqual([adas]);
      expect(await seen({ principals: [bob.id] })).toEqual([other]);
      expect(await seen({ principals: [bob.id, ada.id] })).toEqual([other, adas]);
      expect(await seen({ datasets: [dataset.id] })).toEqual([other, adas]);
      expect(await seen({ leads: [team.id] })).toEqual([other, adas]);
      expect(await seen({ teams: [team.id] })).toEqual([]); // a member reads what the team's own account bought
      const of = async (filter: object) => {
        const all = await database.releases.releases(filter);
        expect((await database.releases.releases({ ...filter, limit: 1 })).items).toEqual(all.items.slice(0, 1));
        return all.items;
      };
      expect(await of({ account: bobs.id })).toEqual([other]);
      expect(await of({ account: bobs.id, principals: [ada.id] })).toEqual([]);
      expect(await of({ dataset: dataset.id })).toEqual([other, adas]);
      expect(await of({ dataset: "dat_none" })).toEqual([]);
      expect(await of({ dataset: dataset.id, reader: { ...nobody, principals: [ada.id] } })).toEqual([adas]);
    });

    test("a release is called and described by people next to its answers, which stay; the audit keeps that, not the words", async () => {
      const { database, charge, ada, bob } = await fixture();
      const { charge: charged } = await charge("k", pure("0.1"));
      const release = await database.releases.complete({ charge: charged.id, owner: "test", answers });
      const { labelRelease, labelsOf, shortAnswers } = database.releases;
      expect((await labelsOf([charged.id])).size).toBe(0);
      const label = { charge: charged.id, by: ada.id };
      expect(await labelRelease({ ...label, title: " Income, first look " })).toEqual({
        title: "Income, first look",
        note: null,
      });
      await labelRelease({ ...label, by: bob.id, note: "for the board\nof May" });
      expect((await labelsOf([charged.id])).get(charged.id)).toEqual({
        title: "Income, first look",
        note: "for the board\nof May",
      });
      expect(await labelRelease({ ...label, title: null, note: "" })).toEqual({ title: null, note: null });
      expect(await codeOf(labelRelease({ ...label, title: "x".repeat(201) }))).toBe("INVALID_PARAMETER");
      expect(await codeOf(labelRelease({ ...label, note: "x".repeat(2001) }))).toBe("INVALID_PARAMETER");
      expect(await codeOf(labelRelease({ ...label, charge: "chg_0" as never, title: "x" }))).toBe("NOT_FOUND");
      expect(await database.releases.releaseOf(charged.id)).toEqual(release);
      const { items } = await database.audit.lines({ action: "release.label" });
      expect(items.map(({ actor, detail }) => [actor, detail])).toEqual(
        [ada.id, bob.id, ada.id].map((actor) => [actor, { charge: charged.id }]),
      );
      expect((await database.audit.verify()).problems).toEqual([]);
      const longest = JSON.stringify(answers).length;
      expect((await shortAnswers({ charges: [charged.id], longest })).get(charged.id)).toEqual(answers);
      expect((await shortAnswers({ charges: [charged.id], longest: longest - 1 })).size).toBe(0);
    });

    test("a line without events commits with its answers, once; a line with noise does not", async () => {
      const { database, ada, adas, dataset } = await fixture();
      const free = (key: string, events: ReturnType<typeof pure> = []) =>
        database.ledgers.charge({
          principal: ada.id,
          account: adas.id,
          dataset: dataset.id,
          key,
          request: { plan: 1 },
          events,
          adjacency: "addRemove",
          lease: { owner: "test", seconds: 60 },
          reusesOnly: true,
          answers: {
            answers,
            reuses: [{ row: "s1", kind: "same", savedEpsilon: eps("0.1"), savedMu2: null }],
          },
        });
      expect(await codeOf(free("paid", pure("0.1")))).toBe("INVALID_PARAMETER");
      const [first, second] = await Promise.all([free("k"), free("l")]);
      const { charge, release } = first;
      expect(charge).toMatchObject({ status: "released", key: "k" });
      expect(release).toMatchObject({ answers, receipt: { entryHash: charge.entryHash, epsilon: "0", delta: "0" } });
      expect(await database.releases.releaseOf(charge.id)).toEqual(release);
      expect(await database.releases.complete({ charge: charge.id, owner: "thief", answers: "other" })).toEqual(
        release,
      );
      expect(await free("k")).toMatchObject({ charge: { id: charge.id }, repeated: true, release: null });
      expect((await database.releases.releases({})).items).toEqual(
        [second.release, release].map((one) => one && listed(one)),
      );
      expect(await database.releases.pending()).toEqual([]);
      expect(await database.reuse.savings(dataset.id)).toMatchObject({ answers: 2, epsilon: "0.2" });
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(0n);
      expect((await database.audit.verify()).problems).toEqual([]);
    });

    test("only the holder of the lease can complete", async () => {
      const { database, charge } = await fixture();
      const { charge: charged } = await charge("k", pure("0.1"));
      expect(await codeOf(database.releases.complete({ charge: charged.id, owner: "thief", answers }))).toBe(
        "CONFLICT",
      );
      expect(await database.releases.pending()).toHaveLength(1);
    });

    test("recovery takes only leases that ran out, once", async () => {
      const { database, ada, adas, dataset, charge } = await fixture();
      await charge("kept", pure("0.1"));
      const short = await database.ledgers.charge({
        principal: ada.id,
        account: adas.id,
        dataset: dataset.id,
        key: "lost",
        request: { plan: 1 },
        events: pure("0.1"),
        adjacency: "addRemove",
        lease: { owner: "dead", seconds: 0.02 },
      });
      await new Promise((resolve) => setTimeout(resolve, 40));
      const recover = async (owner: string) => {
        const lease = { owner, seconds: 60 };
        const pending = await database.releases.pending();
        const taken = await Promise.all(pending.map(({ id }) => database.releases.claim({ charge: id, lease })));
        return taken.filter((charge) => charge !== null);
      };
      const taken = await recover("next");
      expect(taken).toMatchObject([
        { id: short.charge.id, tries: 2, leaseOwner: "next", request: { plan: 1 }, events: pure("0.1") },
      ]);
      expect(await recover("third")).toEqual([]);
      expect(await codeOf(database.releases.complete({ charge: short.charge.id, owner: "dead", answers }))).toBe(
        "CONFLICT",
      );
      const renewed = (owner: string) =>
        database.releases.renew({ charge: short.charge.id, lease: { owner, seconds: 600 } });
      expect(await renewed("dead")).toBeNull();
      expect(await renewed("next")).toMatchObject({ tries: 2, leaseOwner: "next" });
      expect(
        await database.releases.claim({ charge: short.charge.id, lease: { owner: "third", seconds: 9 } }),
      ).toBeNull();
      await database.releases.complete({ charge: short.charge.id, owner: "next", answers });
      // No lease is lost of what is answered.
      for (const owner of ["dead", "next"]) expect(await renewed(owner)).toMatchObject({ status: "released" });
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.2"));
    });
  });
}
