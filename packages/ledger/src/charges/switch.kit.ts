import { describe, expect, test } from "vitest";
import { type Build, by, codeOf, gaussian, pure } from "../testing/fixture.kit.ts";

export function switchKit(fixture: Build): void {
  describe("the switch from addition to tight", () => {
    test("is made once, keeps the sentence, and admits what addition could not", async () => {
      const { database, charge, ledger, adas } = await fixture();
      for (let i = 0; i < 20; i++) await charge(`k${i}`, pure("0.05"));
      expect(await codeOf(charge("more", pure("0.01")))).toBe("QUOTA_EXHAUSTED");
      expect(await codeOf(charge("noise", gaussian("50")))).toBe("UNSUPPORTED_EVENT");
      const preview = await database.ledgers.previewSwitch(ledger.id);
      expect(preview.possible).toBe(true);
      const after = await database.ledgers.switchRule({ ledger: ledger.id, by });
      expect(after).toMatchObject({ activeRule: "tight", sentence: ledger.sentence });
      expect((await database.ledgers.balance(adas.id)).used).toBe(
        preview.nodes.find(({ before }) => before.node === adas.id)?.after?.used,
      );
      await charge("more", pure("0.01"));
      await charge("noise", gaussian("50"));
      expect(await codeOf(database.ledgers.switchRule({ ledger: ledger.id, by }))).toBe("CONFLICT");
      const { items } = await database.ledgers.entries({ ledger: ledger.id });
      expect(items.map(({ kind }) => kind).slice(0, 3)).toEqual(["charge", "charge", "switch"]);
      expect(items[0]?.epsilon).toBeNull();
    });

    test("is refused when the remaining μ² could not have paid", async () => {
      const { database, charge, ledger } = await fixture({ epsilon: "5", quota: "5", share: "2" });
      await charge("big", pure("2"));
      expect((await database.ledgers.previewSwitch(ledger.id)).possible).toBe(false);
      expect(await codeOf(database.ledgers.switchRule({ ledger: ledger.id, by }))).toBe("CONFLICT");
    });

    test("happens by itself under the policy auto, at the first charge that fits only tight", async () => {
      const { database, charge, ledger } = await fixture({ policy: "auto" });
      await charge("a", pure("0.2"));
      expect((await database.ledgers.ledger(ledger.id)).activeRule).toBe("addition");
      await charge("b", gaussian("60"));
      expect((await database.ledgers.ledger(ledger.id)).activeRule).toBe("tight");
    });
  });
}
