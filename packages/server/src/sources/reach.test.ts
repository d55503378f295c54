import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openReach } from "./reach.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval"] }));
afterEach(() => void vi.useRealTimers());

/** Its probes end when a test says so. */
function openWatched(...names: readonly string[]) {
  const probes: PromiseWithResolvers<unknown>[] = [];
  const logged: unknown[] = [];
  let reads = 0;
  const reach = openReach({
    connections: {
      async all() {
        reads += 1;
        return names.map((name) => ({ name, settings: {}, problem: null }));
      },
    },
    measurer: {
      run() {
        const probe = Promise.withResolvers<unknown>();
        probes.push(probe);
        return probe.promise;
      },
    },
    database: { catalog: { datasets: async () => [] } },
    log: { error: (...said: readonly unknown[]) => logged.push(said) },
  } as never);
  return { reach, probes, logged, reads: () => reads };
}

test("while a look goes on at most one more waits, however long it takes", async () => {
  const { reach, probes, reads } = openWatched("clinic");
  const first = reach.look();
  vi.advanceTimersByTime(3_600_000);
  const later = [reach.look(), reach.look()];
  await expect.poll(() => probes.length).toBe(1);
  probes[0]?.resolve({ clinic: "away" });
  await first;
  expect(reach.problems()).toEqual({ clinic: "away" });
  await expect.poll(() => probes.length).toBe(2);
  probes[1]?.resolve({ clinic: null });
  await Promise.all(later);
  expect([reach.problems(), probes.length, reads()]).toEqual([{ clinic: null }, 2, 2]);
  vi.advanceTimersByTime(30_000);
  await expect.poll(() => probes.length).toBe(3);
  await reach.close();
});

test("what begins to fail is logged once, whatever its name", async () => {
  const { reach, probes, logged } = openWatched("constructor");
  for (let at = 0; at < 2; at += 1) {
    const look = reach.look();
    await expect.poll(() => probes.length).toBe(at + 1);
    probes[at]?.resolve({ constructor: "away" });
    await look;
  }
  expect(logged).toEqual([["SOURCE_DOWN", { source: "constructor" }]]);
  await reach.close();
});

test("for many tables the connections are read once", async () => {
  const { reach, reads } = openWatched("clinic");
  const knows = reach.knowing();
  const at = (connection: string) => ({ postgres: { connection, schema: "s", table: "t" } });
  expect(await knows({ csv: "x.csv" } as never)).toBe(true);
  expect(reads()).toBe(0);
  expect([await knows(at("clinic")), await knows(at("ward")), await knows(at("clinic"))]).toEqual([true, false, true]);
  expect(reads()).toBe(1);
  await reach.close();
});
