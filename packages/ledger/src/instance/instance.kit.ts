import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openLedgerDatabase } from "../index.ts";
import type { Store } from "../stores/store.ts";

/** The state that several processes over one store share. */
export function sharedKit(open: () => Promise<Store>): void {
  describe("processes over one store", () => {
    test("a bucket gives its burst at once, then one at a time, to its own caller only", async () => {
      vi.useFakeTimers({ toFake: ["Date"] });
      onTestFinished(() => void vi.useRealTimers());
      const { shared, close } = await openLedgerDatabase(await open());
      const rate = { id: "password ana", burst: 3, perMinute: 0.5 };
      expect(await Promise.all([1, 2, 3].map(() => shared.take(rate)))).toEqual([null, null, null]);
      expect(await shared.take(rate)).toBe(120);
      expect(await shared.take({ ...rate, id: "password bob" })).toBeNull();
      await close();
    });

    test("all processes get the same secret, which is made once", async () => {
      const { shared, close } = await openLedgerDatabase(await open());
      let made = 0;
      const make = () => {
        made += 1;
        return `secret ${made}`;
      };
      const ask = (name: string) => shared.secret({ name, make });
      expect(await Promise.all([ask("a"), ask("a"), ask("b")])).toEqual(["secret 1", "secret 1", "secret 2"]);
      await close();
    });
  });
}
