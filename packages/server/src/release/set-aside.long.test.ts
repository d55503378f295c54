import { readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import type { ChargeId } from "@dosimeter/ledger";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { createLog } from "../telemetry/log.ts";
import { TRIES } from "./queue.ts";

let place: string;
let fixture: Fixture;
let instance: Instance;
beforeEach(async () => {
  place = temporaryFolder();
  fixture = await buildFixture(await openTestInstance({ folder: place, metrics: true }));
  ({ instance } = fixture);
});
afterEach(() => instance.close());

const asked = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.01") });
const member = () => clientOf(instance, fixture.tokens.member);

/** Moves the rows away meanwhile. */
async function withoutRows(work: () => Promise<void>): Promise<void> {
  const files = join(place, "files");
  const table = (await readdir(files)).find((name) => name.endsWith(".csv")) ?? "";
  await rename(join(files, table), join(files, `${table}.away`));
  await work();
  await rename(join(files, `${table}.away`), join(files, table));
}

/** Charges that the engine could not measure, because their rows were away. */
async function leave(...keys: readonly string[]): Promise<readonly string[]> {
  await withoutRows(async () => {
    for (const idempotencyKey of keys)
      await member()
        .releaseAndWait(asked(), { idempotencyKey })
        .catch(() => undefined);
  });
  return (await member().listReleases()).items.map(({ id }) => id).toReversed();
}

/** As a process does that takes a charge up and ends while it runs. */
async function diesOn(charge: string): Promise<void> {
  await instance.database.releases.claim({ charge: charge as ChargeId, lease: { owner: "server", seconds: 30 } });
}

const restart = async (more: Pick<InstanceOptions, "log"> = {}) => {
  await instance.close();
  instance = await openTestInstance({ folder: place, metrics: true, ...more });
};
const takes = async () =>
  (await instance.database.audit.lines({ limit: 200 })).items.filter(({ action }) => action === "lease.take").length;

test("a charge whose process ended three times is set aside, charged, while others go on; its key runs it again", async () => {
  const [poison = "", innocent = ""] = await leave("poison", "innocent");
  for (let n = 1; n < TRIES; n += 1) await diesOn(poison);
  await restart();
  expect(await member().showRelease({ release: innocent, wait: 20 })).toMatchObject({ stage: "done", tries: 2 });
  const aside = await member().showRelease({ release: poison, wait: 0 });
  expect(aside).toMatchObject({ state: "charged", tries: TRIES, failure: { code: "ENGINE_FAILED" } });
  const metrics = await (await instance.fetch(new Request("http://instance.test/metrics"))).text();
  expect(metrics).toContain('dosimeter_releases{stage="setAside"} 1');

  const before = await takes();
  for (let n = 0; n < 5; n += 1) await restart();
  expect(await takes(), "no line for each start").toBe(before);

  const spent = async () => (await member().showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;
  const paid = await spent();
  expect(await member().releaseAndWait(asked(), { idempotencyKey: "poison" })).toMatchObject({
    id: poison,
    stage: "done",
  });
  expect(await spent()).toBe(paid);
});

test("an admin of the ledger measures what was set aside again, others do not, and nothing more is charged", async () => {
  const [poison = ""] = await leave("poison");
  for (let n = 1; n < TRIES; n += 1) await diesOn(poison);
  await restart();
  const as = (who: keyof Fixture["tokens"]) => clientOf(instance, fixture.tokens[who]);
  const spent = async () => (await member().showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;
  const paid = await spent();
  for (const [who, code] of [
    ["auditor", "FORBIDDEN"],
    ["stranger", "NOT_FOUND"],
  ] as const)
    await expect(as(who).retryRelease({ release: poison })).rejects.toMatchObject({ code });
  await as("datasetAdmin").retryRelease({ release: poison });
  expect(await member().showRelease({ release: poison, wait: 20 })).toMatchObject({ stage: "done", state: "released" });
  expect(await as("datasetAdmin").retryRelease({ release: poison }), "again: as it is").toMatchObject({
    stage: "done",
  });
  expect(await spent()).toBe(paid);
});

test("every line about a release that another process left has an id, one for each release", async () => {
  await leave("one", "two");
  const lines: { readonly code?: string; readonly request?: string }[] = [];
  const failed = () => lines.filter(({ code }) => code === "MEASUREMENT_FAILED" || code === "RELEASE_FAILED");
  await withoutRows(async () => {
    await restart({ log: createLog("info", (line) => lines.push(JSON.parse(line))) });
    await expect.poll(() => failed().length, { timeout: 60_000 }).toBe(8);
  });
  const counts = Map.groupBy(failed(), ({ request }) => request);
  expect([...counts].map(([request, of]) => [typeof request, of.length])).toEqual([
    ["string", 4],
    ["string", 4],
  ]);
});
