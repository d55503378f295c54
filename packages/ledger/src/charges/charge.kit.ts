import { formatEpsilon } from "@dosimeter/core";
import { describe, expect, test } from "vitest";
import { type Build, balancesOf, by, codeOf, del, eps, gaussian, pure } from "../testing/fixture.kit.ts";

export function chargeKit(fixture: Build): void {
  describe("charges", () => {
    test("tenths add up exactly, on the account and on everything above it", async () => {
      const { database, charge, adas } = await fixture();
      await charge("a", pure("0.1"));
      await charge("b", pure("0.2"));
      const balances = await balancesOf(database, adas.id);
      expect(balances.map(({ state }) => formatEpsilon(state.epsilon ?? eps("0")))).toEqual(["0.3", "0.3", "0.3"]);
      expect(balances.map(({ used }) => used)).toEqual([0.06, 0.15, 0.3]);
    });

    test("spending stops at the last unit; asking for one more changes nothing [I8]", async () => {
      const { database, charge, adas, ledger } = await fixture();
      await charge("a", pure("0.9"));
      const before = await balancesOf(database, adas.id);
      const refused = charge("b", pure("0.100000000001"));
      await expect(refused).rejects.toMatchObject({
        code: "QUOTA_EXHAUSTED",
        details: {
          account: adas.id,
          dimension: "epsilon",
          available: "0.1",
          requested: "0.100000000001",
          largestEpsilon: "0.1",
        },
      });
      expect(await balancesOf(database, adas.id)).toEqual(before);
      expect(
        await database.releases.chargeByKey({
          principal: (await database.ledgers.account(adas.id)).holder.id as never,
          key: "b",
        }),
      ).toBeNull();
      expect((await database.audit.lines({ limit: 1 })).items[0]).toMatchObject({
        action: "charge.refuse",
        detail: { code: "QUOTA_EXHAUSTED" },
      });
      await charge("b", pure("0.1"));
      expect((await database.ledgers.entries({ ledger: ledger.id })).items).toHaveLength(3);
    });

    test("the ledger refuses what every quota allows, and says so by another code", async () => {
      const { database, ada, charge, ledger } = await fixture({ epsilon: "1", quota: "0.5", share: "0.25" });
      await database.ledgers.withdraw({
        account: (await database.ledgers.accounts(ledger.id))[0]?.id as never,
        epsilon: eps("0"),
        by,
      });
      const second = await database.catalog.createPopulation({
        name: "other",
        privacyUnit: "person",
        adjacency: "addRemove",
        by,
      });
      const small = await database.ledgers.open({
        population: second.id,
        epsilon: eps("0.1"),
        delta: del("0"),
        rule: "addition",
        mode: "overbooked",
        by,
      });
      const data = await database.catalog.createDataset({
        population: second.id,
        name: "other",
        declaration: {},
        source: {},
        by,
      });
      const own = await database.ledgers.openAccount({
        ledger: small.id,
        parent: null,
        holder: { kind: "principal", id: ada.id },
        epsilon: eps("1"),
        by,
      });
      const ask = {
        principal: ada.id,
        account: own.id,
        dataset: data.id,
        request: {},
        adjacency: "addRemove",
        lease: { owner: "t", seconds: 9 },
      } as const;
      await database.ledgers.charge({ ...ask, key: "1", events: pure("0.1") });
      expect(await codeOf(database.ledgers.charge({ ...ask, key: "2", events: pure("0.1") }))).toBe("BUDGET_EXHAUSTED");
      expect(await codeOf(database.ledgers.charge({ ...ask, key: "3", events: gaussian("1") }))).toBe(
        "UNSUPPORTED_EVENT",
      );
      await charge("elsewhere", pure("0.25"));
    });

    test("a key is charged once and always answers the same [I11]", async () => {
      const { database, charge, adas } = await fixture();
      const first = await charge("k", pure("0.1"));
      const again = await charge("k", pure("0.1"));
      expect(again).toEqual({ charge: first.charge, repeated: true, release: null });
      expect(first.repeated).toBe(false);
      const clicks = await Promise.all(Array.from({ length: 50 }, () => charge("double click", pure("0.1"))));
      expect(new Set(clicks.map(({ charge: { id } }) => id)).size).toBe(1);
      expect(clicks.filter(({ repeated }) => !repeated)).toHaveLength(1);
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.2"));
    });

    test("a key used for another request is refused; another person may use the same key", async () => {
      const { database, charge, ada, adas, bobs, dataset } = await fixture();
      await charge("k", pure("0.1"));
      const other = { principal: ada.id, account: adas.id, dataset: dataset.id, key: "k", request: { plan: "other" } };
      const ask = { events: pure("0.1"), adjacency: "addRemove", lease: { owner: "t", seconds: 9 } } as const;
      expect(await codeOf(database.ledgers.charge({ ...other, ...ask }))).toBe("IDEMPOTENCY_CONFLICT");
      expect((await charge("k", pure("0.1"), bobs)).repeated).toBe(false);
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.1"));
    });

    test("policy: one's own account, the ledger's people, the ledger's neighbours", async () => {
      const { database, ada, bob, adas, teamAccount, dataset } = await fixture();
      const elsewhere = await database.catalog.createPopulation({
        name: "other",
        privacyUnit: "person",
        adjacency: "addRemove",
        by,
      });
      const foreign = await database.catalog.createDataset({
        population: elsewhere.id,
        name: "other",
        declaration: {},
        source: {},
        by,
      });
      const ask = {
        principal: ada.id,
        account: adas.id,
        dataset: dataset.id,
        key: "k",
        request: {},
        events: pure("0.1"),
        adjacency: "addRemove",
        lease: { owner: "t", seconds: 9 },
      } as const;
      const codes = [
        { ...ask, principal: bob.id },
        { ...ask, account: teamAccount.id },
        { ...ask, dataset: foreign.id },
        { ...ask, adjacency: "replace" as const },
        { ...ask, dataset: "dat_x" as never },
        { ...ask, account: "acc_x" as never },
        { ...ask, events: [] },
        { ...ask, key: "" },
        { ...ask, lease: { owner: "t", seconds: 0 } },
        { ...ask, events: [{ kind: "nonsense" } as never] },
        { ...ask, events: pure("-1") },
        { ...ask, events: pure("NaN") },
      ].map((request) => codeOf(database.ledgers.charge(request)));
      expect(await Promise.all(codes)).toEqual([
        "FORBIDDEN",
        "FORBIDDEN",
        "FORBIDDEN",
        "ADJACENCY_MISMATCH",
        "NOT_FOUND",
        "NOT_FOUND",
        "EMPTY_PLAN",
        "INVALID_PARAMETER",
        "INVALID_PARAMETER",
        "UNSUPPORTED_EVENT",
        "INVALID_PARAMETER",
        "INVALID_PARAMETER",
      ]);
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(0n);
    });

    test("the order of charges does not change the sums [I20]", async () => {
      const prices = ["0.07", "0.2", "0.011", "0.3"];
      const sums = [];
      for (const order of [prices, prices.toReversed()]) {
        const { database, charge, ledger } = await fixture();
        for (const price of order) await charge(price, [{ kind: "approximate", epsilon: price, delta: "1e-9" }]);
        const { epsilon, delta } = (await database.ledgers.balance(ledger.id)).state;
        sums.push({ epsilon, delta });
      }
      expect(sums[0]).toEqual({ epsilon: eps("0.581"), delta: del("4e-9") });
      expect(sums[1]).toEqual(sums[0]);
    });

    test("a withdrawal while others spend never takes a spent amount", async () => {
      const { database, charge, adas, teamAccount } = await fixture();
      const spends = Array.from({ length: 60 }, (_, i) => charge(`k${i}`, pure("0.02")));
      const withdrawals = Array.from({ length: 20 }, () =>
        database.ledgers.withdraw({ account: adas.id, epsilon: eps("0.1"), by }),
      );
      const [spent, taken] = await Promise.all([Promise.allSettled(spends), Promise.allSettled(withdrawals)]);
      const count = (all: readonly PromiseSettledResult<unknown>[]) =>
        BigInt(all.filter(({ status }) => status === "fulfilled").length);
      const { quota, state } = await database.ledgers.account(adas.id);
      expect(state.epsilon).toBe(count(spent) * eps("0.02"));
      expect(quota.epsilon).toBe(eps("1") - count(taken) * eps("0.1"));
      expect(quota.epsilon).toBeGreaterThanOrEqual(state.epsilon ?? 0n);
      expect((await database.ledgers.free(teamAccount.id)).epsilon).toBe(count(taken) * eps("0.1"));
    });

    test("the smallest ε costs one unit [I18]", async () => {
      const { database, charge, adas } = await fixture({ mostCharges: 10n ** 13n });
      await charge("k", pure("2e-300"));
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(1n);
    });

    test("of 200 callers in one process with room for 37 charges, 37 are charged", async () => {
      const { database, charge, adas, ledger } = await fixture({ share: "0.37" });
      const asked = await Promise.allSettled(Array.from({ length: 200 }, (_, i) => charge(`k${i}`, pure("0.01"))));
      expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(37);
      expect((await database.ledgers.balance(adas.id)).state.epsilon).toBe(eps("0.37"));
      expect((await database.ledgers.ledger(ledger.id)).entries).toBe(38);
    });

    test("a quote gives the result of the later charge, and writes nothing", async () => {
      const { database, charge, adas, ledger } = await fixture();
      const lines = (await database.audit.lines({ limit: 1 })).items[0]?.sequence;
      const quote = await database.ledgers.quote({ account: adas.id, events: pure("0.3") });
      expect((await database.audit.lines({ limit: 1 })).items[0]?.sequence).toBe(lines);
      if (!quote.admitted) throw new Error("the quote was refused");
      await charge("k", pure("0.3"));
      expect(await balancesOf(database, adas.id)).toEqual(quote.after);
      expect(await database.ledgers.quote({ account: adas.id, events: pure("0.8") })).toMatchObject({
        admitted: false,
        largestEpsilon: eps("0.7"),
        refusals: [{ node: adas.id, dimension: "epsilon", available: "0.7", requested: "0.8" }],
      });
      expect((await database.ledgers.ledger(ledger.id)).entries).toBe(2);
    });

    test("entries come in pages, newest first, without gaps", async () => {
      const { database, charge, ledger, bobs } = await fixture();
      for (let i = 0; i < 7; i++) await charge(`k${i}`, pure("0.01"), i % 2 === 0 ? undefined : bobs);
      const numbers: number[] = [];
      let after: string | undefined;
      do {
        const page = await database.ledgers.entries({ ledger: ledger.id, limit: 3, after });
        numbers.push(...page.items.map(({ number }) => number));
        after = page.next ?? undefined;
      } while (after !== undefined);
      expect(numbers).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
      expect((await database.ledgers.entries({ ledger: ledger.id, account: bobs.id })).items).toHaveLength(3);
      expect(await codeOf(database.ledgers.entries({ ledger: ledger.id, limit: 0 }))).toBe("INVALID_PARAMETER");
      expect(await codeOf(database.ledgers.entries({ ledger: ledger.id, after: "x" }))).toBe("INVALID_PARAMETER");
    });
  });
}
