import { describe, expect, onTestFinished, test, vi } from "vitest";
import { openLedgerDatabase, systemPrincipal } from "../index.ts";
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

    test("at most 100 connections are added, each to another database, also at once", async () => {
      const { shared, close } = await openLedgerDatabase(await open());
      const add = (name: string, url: string) =>
        shared.addConnection({
          ...{ by: systemPrincipal, name, url, secret: "reader", isRead: () => false },
          isSame: (other) => other === url,
        });
      const twice = await Promise.allSettled([add("a", "one"), add("b", "one")]);
      expect(twice.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      for (let at = 1; at < 100; at += 1) await add(`c${at}`, `url ${at}`);
      await expect(add("more", "more")).rejects.toMatchObject({ code: "CONFLICT", details: { want: "less than 100" } });
      expect(await shared.connections()).toHaveLength(100);
      await close();
    });
  });
}
