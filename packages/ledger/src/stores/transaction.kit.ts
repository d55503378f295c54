import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { PrincipalId } from "../values/id.ts";
import { grouped } from "./group.ts";
import type { Store } from "./store.ts";

export function transactionKit(open: () => Promise<Store>): void {
  describe("transactions", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const line = (n: bigint) => ({
      seq: n,
      at: "t",
      actor: "a" as PrincipalId,
      action: "x",
      subject: "s",
      ledger_id: null,
      detail: "{}",
      image: null,
      prev_hash: "p",
      hash: "h",
    });

    test("a transaction that throws leaves nothing", async () => {
      const broken = store.transact(async ({ db }) => {
        await db.insertInto("audit").values(line(1n)).execute();
        throw new Error("stop");
      });
      await expect(broken).rejects.toThrow("stop");
      expect(await store.read.selectFrom("audit").selectAll().execute()).toEqual([]);
    });

    test("an item that breaks undoes its own writes and no others", async () => {
      const put = grouped<bigint, bigint>({
        store,
        most: 10,
        open: async (tx) => ({
          one: async (seq) => {
            await tx.db.insertInto("audit").values(line(seq)).execute();
            return seq;
          },
          settle: async () => undefined,
        }),
      });
      const settled = await Promise.allSettled([1n, 2n, 2n, 3n].map(put));
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect((await store.read.selectFrom("audit").select("seq").execute()).map(({ seq }) => seq)).toEqual([
        1n,
        2n,
        3n,
      ]);
    });

    test("a write that is sent ahead and refused undoes its own item and no others", async () => {
      const columns = ["seq", "at", "actor", "action", "subject", "detail", "prev_hash", "hash"] as const;
      const sql = `INSERT INTO audit (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`;
      const put = grouped<bigint, bigint>({
        store,
        most: 10,
        open: async (tx) => {
          const rows: bigint[] = [];
          return {
            one: async (seq) => {
              rows.push(seq);
              return seq;
            },
            settle: () =>
              tx.many(
                sql,
                rows.map((seq) => columns.map((column) => line(seq)[column])),
              ),
          };
        },
      });
      const settled = await Promise.allSettled([1n, 2n, 2n, 3n].map(put));
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect(await store.read.selectFrom("audit").select("seq").execute()).toHaveLength(3);
    });

    test("writes to one row keep their order, however they are sent", async () => {
      const rename = "UPDATE team SET name = ? WHERE id = ?";
      await store.transact(async (tx) => {
        const add = "INSERT INTO team (id, name, created_at) VALUES (?, ?, ?)";
        await tx.many(
          add,
          ["a", "b", "c"].map((id) => [id, "new", "t"]),
        );
        await tx.many(rename, [
          ["first", "a"],
          ["other", "b"],
          ["second", "a"],
        ]);
        await tx.run("UPDATE team SET id = ?, name = ? WHERE name = ?", ["d", "third", "second"]);
        expect((await tx.all("SELECT name FROM team ORDER BY id", [])).map(({ name }) => name)).toEqual([
          "other",
          "new",
          "third",
        ]);
        await tx.run(rename, ["last", "c"]);
        await tx.run(add, ["e", "new", "t"]);
        await tx.run(rename, ["late", "e"]);
      });
      const names = await store.read.selectFrom("team").select("name").orderBy("id").execute();
      expect(names.map(({ name }) => name)).toEqual(["other", "last", "third", "late"]);
    });

    test("transactions are numbered, without a gap only behind one that committed", async () => {
      const number = () => store.transact(async ({ serial }) => serial);
      const first = await number();
      expect(await number()).toBe(first + 1n);
      await expect(store.transact(() => Promise.reject(new Error("stop")))).rejects.toThrow("stop");
      expect(await number()).toBeGreaterThan(first + 3n);
    });

    test("transactions run one after another", async () => {
      const log: string[] = [];
      await Promise.all(
        ["a", "b"].map((name) =>
          store.transact(async () => {
            log.push(`${name} begins`);
            await new Promise((resolve) => setTimeout(resolve, 5));
            log.push(`${name} ends`);
          }),
        ),
      );
      expect(log).toEqual(["a begins", "a ends", "b begins", "b ends"]);
    });

    test("a snapshot does not see what is written meanwhile", async () => {
      await store.snapshot(async (db) => {
        expect(await db.selectFrom("audit").selectAll().execute()).toEqual([]);
        await store.transact(({ db: writing }) => writing.insertInto("audit").values(line(1n)).execute());
        expect(await db.selectFrom("audit").selectAll().execute()).toEqual([]);
      });
      expect(await store.read.selectFrom("audit").selectAll().execute()).toHaveLength(1);
    });

    test("a query inside of the loop over a stream is an error at once, and after it an ordinary query", async () => {
      for (const seq of [1n, 2n]) await store.transact(({ db }) => db.insertInto("audit").values(line(seq)).execute());
      await store.snapshot(async (db) => {
        const lines = db.selectFrom("audit").selectAll().orderBy("seq");
        const nested = async () => {
          for await (const _ of lines.stream()) await lines.execute();
        };
        await expect(nested()).rejects.toThrow(RangeError);
        const seen: bigint[] = [];
        for await (const { seq } of lines.stream()) seen.push(seq);
        expect(seen).toEqual([1n, 2n]);
        expect(await lines.execute()).toHaveLength(2);
      });
    });

    test("history cannot be edited through SQL [I6]", async () => {
      await store.transact(({ db }) => db.insertInto("audit").values(line(1n)).execute());
      const edit = store.transact(({ db }) =>
        db
          .updateTable("audit")
          .set({ actor: "b" as PrincipalId })
          .execute(),
      );
      await expect(edit).rejects.toThrow("append-only");
      const cut = store.transact(({ db }) => db.deleteFrom("audit").execute());
      await expect(cut).rejects.toThrow("append-only");
    });
  });
}
