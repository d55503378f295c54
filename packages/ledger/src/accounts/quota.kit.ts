import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, eps, gaussian, pure } from "../testing/fixture.kit.ts";

export function quotaKit(fixture: Build): void {
  describe("quotas", () => {
    test("quotas sum exactly, and never exceed the parent's amount [I2, I3]", async () => {
      const { database, ledger, teamAccount, adas } = await fixture();
      expect((await database.ledgers.ledger(ledger.id)).allocated.epsilon).toBe(eps("2"));
      expect((await database.ledgers.free(teamAccount.id)).epsilon).toBe(0n);
      expect(await codeOf(database.ledgers.allocate({ account: adas.id, epsilon: eps("1e-12"), by }))).toBe(
        "QUOTA_UNAVAILABLE",
      );
      expect(
        await codeOf(database.ledgers.allocate({ account: teamAccount.id, epsilon: eps("3.000000000001"), by })),
      ).toBe("QUOTA_UNAVAILABLE");
      await database.ledgers.allocate({ account: teamAccount.id, epsilon: eps("3"), by });
      expect((await database.ledgers.free(ledger.id)).epsilon).toBe(0n);
    });

    test.each(["addition", "tight"] as const)(
      "what one account spends takes nothing of another's funded quota, under %s [I26]",
      async (rule) => {
        const [alone, beside] = [await fixture({ rule }), await fixture({ rule })];
        const spendAll = async ({ charge }: typeof alone, account: typeof alone.adas): Promise<number> => {
          for (let n = 0; ; n += 1)
            if ((await codeOf(charge(`${account.id} ${n}`, pure("0.1"), account))) !== "done") return n;
        };
        const whole = await spendAll(alone, alone.bobs);
        expect(whole).toBeGreaterThanOrEqual(10);
        expect(await spendAll(beside, beside.adas)).toBe(whole);
        expect(await spendAll(beside, beside.bobs)).toBe(whole);
      },
    );

    test("three thirds make the whole quota", async () => {
      const { database, ledger, charge, adas, teamAccount } = await fixture({
        quota: "1",
        share: "0.333333333333",
      });
      for (const key of ["a", "b", "c"]) await charge(key, pure("0.111111111111"));
      expect(await codeOf(charge("d", pure("0.000000000001")))).toBe("QUOTA_EXHAUSTED");
      await database.ledgers.allocate({ account: adas.id, epsilon: eps("0.333333333334"), by });
      await charge("e", pure("0.333333333334"));
      expect((await database.ledgers.balance(teamAccount.id)).state.epsilon).toBe(eps("0.666666666667"));
      expect((await database.ledgers.balance(ledger.id)).state.epsilon).toBe(eps("0.666666666667"));
    });

    test("only the free amount can be withdrawn, to the last unit", async () => {
      const { database, charge, adas, teamAccount } = await fixture();
      await charge("k", pure("0.4"));
      expect((await database.ledgers.free(adas.id)).epsilon).toBe(eps("0.6"));
      const more = database.ledgers.withdraw({ account: adas.id, epsilon: eps("0.600000000001"), by });
      await expect(more).rejects.toMatchObject({ code: "QUOTA_UNAVAILABLE", details: { available: "0.6" } });
      await database.ledgers.withdraw({ account: adas.id, epsilon: eps("0.6"), by });
      expect((await database.ledgers.free(teamAccount.id)).epsilon).toBe(eps("0.6"));
      expect((await database.ledgers.balance(adas.id)).used).toBe(1);
      expect(await codeOf(database.ledgers.withdraw({ account: teamAccount.id, epsilon: eps("0.7"), by }))).toBe(
        "QUOTA_UNAVAILABLE",
      );
    });

    test("closing returns the free amount and keeps every record [I13]", async () => {
      const { database, charge, ada, adas, teamAccount, ledger } = await fixture();
      await charge("k", pure("0.4"));
      expect(await codeOf(database.ledgers.closeAccount({ account: teamAccount.id, by }))).toBe("CONFLICT");
      const closed = await database.ledgers.closeAccount({ account: adas.id, by });
      expect(closed).toMatchObject({ status: "closed", quota: { epsilon: eps("0.4") } });
      expect(await codeOf(charge("k2", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      expect(await codeOf(database.ledgers.unfreeze({ account: adas.id, by }))).toBe("ACCOUNT_CLOSED");
      const again = await database.ledgers.openAccount({
        ledger: ledger.id,
        parent: teamAccount.id,
        holder: { kind: "principal", id: ada.id },
        epsilon: eps("0.6"),
        by,
      });
      expect((await database.ledgers.balance(ledger.id)).state.epsilon).toBe(eps("0.4"));
      expect((await database.ledgers.balance(teamAccount.id)).state.epsilon).toBe(eps("0.4"));
      expect(again.state.epsilon).toBe(0n);
      expect(await database.ledgers.accountsOf(ada.id)).toHaveLength(2);
    });

    test("a frozen account, or one above it, refuses charges until it thaws", async () => {
      const { database, charge, teamAccount } = await fixture();
      await database.ledgers.freeze({ account: teamAccount.id, by });
      expect(await codeOf(charge("k", pure("0.1")))).toBe("ACCOUNT_CLOSED");
      await database.ledgers.unfreeze({ account: teamAccount.id, by });
      await charge("k", pure("0.1"));
    });

    test("one open account per holder and place; a person's account has none below it", async () => {
      const { database, ledger, teamAccount, ada, adas } = await fixture();
      const holder = { kind: "principal", id: ada.id } as const;
      const open = (parent: typeof adas.id | null) =>
        database.ledgers.openAccount({ ledger: ledger.id, parent, holder, epsilon: eps("0"), by });
      expect(await codeOf(open(teamAccount.id))).toBe("CONFLICT");
      expect(await codeOf(open(adas.id))).toBe("INVALID_PARAMETER");
      expect((await open(null)).parent).toBeNull();
    });

    test("under the tight rule a quota is a share of the remaining μ², and what is free replays", async () => {
      const { database, ledger, adas, charge } = await fixture({ rule: "tight" });
      expect(adas.caps.mu2).toBe((ledger.terms.mu2 * eps("1")) / eps("5"));
      for (let i = 0; i < 20; i++) await charge(`k${i}`, pure("0.02"));
      await charge("g", gaussian("12"));
      const free = await database.ledgers.free(adas.id);
      expect(free.epsilon).toBeGreaterThan(0n);
      expect(
        await codeOf(
          database.ledgers.withdraw({
            account: adas.id,
            epsilon: (free.epsilon + eps("0.001")) as typeof free.epsilon,
            by,
          }),
        ),
      ).toBe("QUOTA_UNAVAILABLE");
      const left = await database.ledgers.withdraw({ account: adas.id, epsilon: free.epsilon, by });
      expect(left.state.mu2).not.toBeNull();
      expect(left.quota.epsilon).toBe(eps("1") - free.epsilon);
    });
  });
}
