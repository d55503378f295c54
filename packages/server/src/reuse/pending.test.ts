import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { Plan } from "@dosimeter/client";
import type { ChargeId } from "@dosimeter/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { buildWorld, openTestHouse, temporaryFolder, type World } from "../house.kit.ts";

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let world: World;
beforeEach(async () => {
  place = await temporaryFolder();
  world = await buildWorld(await openTestHouse({ folder: place.folder }));
});
afterEach(async () => {
  await world.house.close();
  await place.remove();
});

/** Nothing can be measured meanwhile: what is charged stays pending. */
async function withoutRows(run: () => Promise<void>): Promise<void> {
  const files = join(place.folder, "files");
  const table = (await readdir(files)).find((name) => name.endsWith(".csv")) ?? "";
  await rename(join(files, table), join(files, `${table}.away`));
  await run();
  await rename(join(files, `${table}.away`), join(files, table));
}

const count = (epsilon = "0.1"): Plan => ({ statistics: [{ id: "people", statistic: "count", epsilon }] });
const asked = (plan: Plan) => ({
  dataset: world.dataset,
  account: world.memberAccount,
  plan,
  reuse: "asAccurate" as const,
});
const spent = async () => (await world.as.member.showAccount({ account: world.memberAccount })).balance.epsilon.spent;

test("whoever asks what is being paid for has an address at once, pays nothing, and is answered by the first one's charge", async () => {
  const { member } = world.as;
  const ask = (key: string) => member.createRelease(asked(count()), { idempotencyKey: key });
  await withoutRows(async () => {
    const one = await ask("a");
    const started = performance.now();
    const others = await Promise.all(["b", "c", "d"].map(ask));
    expect(performance.now() - started).toBeLessThan(5000);
    expect(new Set([one, ...others].map(({ id }) => id)).size).toBe(4);
    // They fail together, and are told so; nobody pays again.
    for (const { id } of others) {
      const shown = await member.showRelease({ release: id, wait: 20 });
      expect([shown.state, shown.failure?.code]).toEqual(["charged", "ENGINE_FAILED"]);
    }
    expect(await spent()).toBe("0.1");
  });
  // Any of them, asked again under its key, takes up what it waits for.
  const b = await member.releaseAndWait(asked(count()), { idempotencyKey: "b" });
  const a = await member.releaseAndWait(asked(count()), { idempotencyKey: "a" });
  expect(a.answers?.[0]?.origin).toBeUndefined();
  expect(b.answers?.[0]).toMatchObject({
    origin: { kind: "same", from: [{ release: a.id, row: "people" }] },
    cells: a.answers?.[0]?.cells,
  });
  expect(await spent()).toBe("0.1");
  expect((await world.as.auditor.verify({})).problems).toEqual([]);
});

test("rows of one plan wait and are drawn side by side; the whole is there when both are", async () => {
  const { member } = world.as;
  const sum = { id: "ages", statistic: "sum", column: "age", epsilon: "0.05" };
  const more = { statistics: [...count().statistics, sum] };
  await withoutRows(async () => {
    await member.createRelease(asked(count()), { idempotencyKey: "a" });
    await member.createRelease(asked(more), { idempotencyKey: "b" });
    expect(await spent()).toBe("0.15");
  });
  const { answers } = await member.releaseAndWait(asked(more), { idempotencyKey: "b" });
  expect(answers?.map(({ id, origin }) => [id, origin?.kind])).toEqual([
    ["people", "same"],
    ["ages", undefined],
  ]);
  expect(await spent()).toBe("0.15");
});

test("what the pending answer cannot give is paid for at once: more accuracy, another confidence, a sample", async () => {
  const { member } = world.as;
  const sampled: Plan = { sample: { rate: "0.5" }, ...count("0.02") };
  await withoutRows(async () => {
    await member.createRelease(asked(count()), { idempotencyKey: "a" });
    await member.createRelease(asked(count("0.2")), { idempotencyKey: "b" });
    expect(await spent()).toBe("0.3");
    await member.createRelease(asked({ ...count(), confidence: 0.9 }), { idempotencyKey: "c" });
    expect(await spent()).toBe("0.4");
    await member.createRelease(asked(sampled), { idempotencyKey: "d" });
    const once = Number(await spent());
    await member.createRelease(asked(sampled), { idempotencyKey: "e" });
    expect(Number(await spent())).toBeGreaterThan(once);
  });
});

test("a question whose charge nobody works on any more is not waited for", async () => {
  const { books } = world.house;
  const { id } = await world.as.member.releaseAndWait(asked(count("0.01")));
  const { principal, account, dataset, events } = await books.releases.charge(id as ChargeId);
  const key = "0".repeat(64);
  const pay = async (name: string, seconds: number) =>
    books.ledgers.charge({
      principal,
      account,
      dataset,
      key: name,
      request: { name },
      events,
      adjacency: "addRemove",
      lease: { owner: "elsewhere", seconds },
      claims: { keys: [key], readers: { principal, accounts: [] }, horizon: await books.reuse.horizon() },
    });
  await pay("one", 0.05);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { charge } = await pay("two", 60);
  await expect(pay("three", 60)).rejects.toMatchObject({ code: "CONFLICT", details: { charge: charge.id } });
});
