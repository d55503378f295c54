import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { openLedgerDatabase } from "../../ledger-database.ts";
import { buildFixture, codeOf, pure } from "../../testing/fixture.kit.ts";
import { grouped } from "../group.ts";
import type { Store } from "../store.ts";
import { postgresServers } from "./postgres.kit.ts";

const servers = postgresServers();

/** A group that notes where its items were decided; `pause` holds its transaction. */
const noting = (
  store: Store,
  { at, decided, pause }: { at: string; decided: string[]; pause?: (n: bigint) => Promise<void> },
) =>
  grouped<bigint, { readonly n: bigint; readonly at: string }>({
    store,
    name: "note",
    most: 10,
    open: async () => ({
      one: async (n) => {
        await pause?.(n);
        decided.push(`${at} ${n}`);
        if (n < 0n) throw new TypeError("a fault");
        return { n, at };
      },
      settle: async () => undefined,
    }),
  });

test("one process decides for both; one that ends leaves it to the other; a fault is met where it was asked [M392]", async () => {
  const schema = servers.schema();
  const [one, other] = [await servers.open({ schema, crowd: 1 }), await servers.open({ schema, crowd: 1 })];
  const decided: string[] = [];
  const [here, there] = [noting(one, { at: "one", decided }), noting(other, { at: "other", decided })];
  expect(await here(1n)).toEqual({ n: 1n, at: "one" });
  expect(await Promise.all([2n, 3n].map(there))).toEqual([2n, 3n].map((n) => ({ n, at: "one" })));
  await expect(there(-1n)).rejects.toThrow("a fault");
  expect(decided.slice(-2)).toEqual(["one -1", "other -1"]);
  await one.close();
  expect(await there(4n)).toEqual({ n: 4n, at: "other" });
  const third = await servers.open({ schema, crowd: 1 });
  expect(await noting(third, { at: "third", decided })(5n)).toEqual({ n: 5n, at: "other" });
  expect(await servers.server().query(`SELECT count(*)::int AS letters FROM ${schema}.handed`)).toEqual([
    { letters: 0 },
  ]);
  await other.close();
  await third.close();
});

test("what is past its end is not decided any more by a process that hung, and is decided once by its own [M392]", async () => {
  const schema = servers.schema();
  const [one, other] = [await servers.open({ schema, crowd: 1 }), await servers.open({ schema, crowd: 1 })];
  const decided: string[] = [];
  const hung = Promise.withResolvers<void>();
  const here = noting(one, { at: "one", decided, pause: async (n) => (n === 1n ? hung.promise : undefined) });
  await here(0n); // so that it is the one that decides
  const first = here(1n);
  const there = noting(other, { at: "other", decided });
  const asked = there(2n);
  // its own waits behind the row that the hung one holds
  await expect.poll(() => servers.server().query(WAITS), { timeout: 20_000 }).toEqual([{ waits: 1 }]);
  hung.resolve();
  expect(await asked).toEqual({ n: 2n, at: "other" });
  await first;
  await here(3n);
  expect(decided.toSorted()).toEqual(["one 0", "one 1", "one 3", "other 2"]);
  await one.close();
  await other.close();
});

const WAITS =
  "SELECT count(*)::int AS waits FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'UPDATE writer%'";

test("a server without its connection decides after the other no longer does [M392]", async () => {
  const schema = servers.schema();
  const [one, other] = [await servers.open({ schema, crowd: 1 }), await servers.open({ schema, crowd: 1 })];
  const decided: string[] = [];
  const hung = Promise.withResolvers<void>();
  const here = noting(one, { at: "one", decided, pause: async (n) => (n === 1n ? hung.promise : undefined) });
  const there = noting(other, { at: "other", decided });
  expect([await here(0n), await there(0n)].map(({ at }) => at)).toEqual(["one", "one"]);
  const first = here(1n);
  const asked = there(2n);
  await expect.poll(() => servers.server().query(CUT), { timeout: 20_000 }).toEqual([{ cut: true }]);
  await sleep(400); // one that did not wait would be next in turn now
  hung.resolve();
  expect((await asked).n).toBe(2n);
  await first;
  await here(3n);
  expect(decided.findLast((at) => at.endsWith(" 2"))).toBe("other 2");
  await one.close();
  await other.close();
}, 30_000);

/** The connection that asked in vain for the lock, as one that waits for an answer does. */
const CUT = `SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity WHERE query LIKE 'SELECT pg_try_advisory_lock%'
  AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')`;

test("two that write take turns, of three one writes for all [M392]", async () => {
  const schema = servers.schema();
  const open = () => servers.open({ schema });
  const stores = [await open(), await open(), await open()];
  const notes = stores.map((store, index) => noting(store, { at: String(index), decided: [] }));
  /** Where the items of a round were decided. */
  const round = async (some: typeof notes) => (await Promise.all(some.map((note) => note(1n)))).map(({ at }) => at);
  const turns: string[] = [];
  for (let n = 0; n < 50; n++) turns.push((await round(notes.slice(0, 2))).join());
  expect(turns.filter((at) => at !== "0,1").length).toBeLessThan(10);
  await expect.poll(async () => new Set(await round(notes)).size, { timeout: 50_000, interval: 1 }).toBe(1);
  for (const store of stores) await store.close();
}, 60_000);

test("a charge, its refusal and its answer come from the process that writes as from one's own", async () => {
  const schema = servers.schema();
  const { database, charge, ada, adas, dataset } = await buildFixture(await servers.open({ schema, crowd: 1 }), {
    share: "1",
  });
  await charge("first", pure("0.1"));
  const other = await openLedgerDatabase(await servers.open({ schema, crowd: 1 }));
  const asked = (key: string, epsilon: string, plan = key) =>
    other.ledgers.charge({
      ...{ principal: ada.id, account: adas.id, dataset: dataset.id, key, request: { plan } },
      ...{ events: pure(epsilon), adjacency: "addRemove", lease: { owner: "there", seconds: 60 } },
    });
  const made = await asked("there", "0.5");
  expect(made).toMatchObject({ repeated: false, charge: { key: "there", leaseOwner: "there" } });
  expect(await asked("there", "0.5")).toEqual({ ...made, repeated: true });
  expect(await codeOf(asked("there", "0.5", "another"))).toBe("IDEMPOTENCY_CONFLICT");
  const refused = (epsilon: string) => asked(`refused ${epsilon}`, epsilon).catch((error: unknown) => error);
  const here = await charge("here", pure("0.5")).catch((error: unknown) => error);
  const { code, details, message } = here as { code: string; details: object; message: string };
  expect(await refused("0.5")).toMatchObject({ code, details, message });
  const completion = { charge: made.charge.id, owner: "there", answers: { count: 7 } };
  expect(await other.releases.complete(completion)).toEqual(await database.releases.releaseOf(made.charge.id));
  expect((await database.audit.verify()).problems).toEqual([]);
  await other.close();
  await database.close();
});
