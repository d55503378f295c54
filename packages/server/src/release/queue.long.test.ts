import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { ChargeId } from "@dosimeter/ledger";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance, withoutRows } from "../instance.kit.ts";
import { openInstance } from "../instance.ts";
import { ProcessEnded } from "../measuring/measurer.ts";
import { TRIES } from "./queue.ts";

let place: string;
let fixture: Fixture;

beforeEach(async () => {
  place = temporaryFolder();
  fixture = await buildFixture(await openTestInstance({ folder: place }));
});
afterEach(() => fixture.instance.close());

const asked = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan() });
const spent = async () =>
  (await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent;

test("when the engine fails the charge stands, and the same key finishes it at no further cost", async () => {
  const { member } = fixture.as;
  const key = { idempotencyKey: "broken" };
  await withoutRows(place, async () => {
    const error = await member.releaseAndWait(asked(), key).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "ENGINE_FAILED",
      message: "the data engine could not run the plan; the charge stands and is run again under its key",
    });
    expect(await spent()).toBe("0.1");
  });
  const [pending] = (await member.listReleases()).items;
  expect(pending).toMatchObject({ state: "charged", stage: "queued", releasedAt: null });
  const release = await member.releaseAndWait(asked(), key);
  expect(release).toMatchObject({ id: pending?.id, stage: "done" });
  expect(await spent()).toBe("0.1");
  expect(TRIES).toBe(3);
});

test("rows that are gone just before the charge is durable were not read before it [I9]", async () => {
  await fixture.instance.close();
  const files = join(place, "files");
  const table = join(files, readdirSync(files).find((name) => name.endsWith(".csv")) ?? "");
  const steps: string[] = [];
  const instance = await openInstance({
    folder: place,
    step: (label) => {
      steps.push(label);
      if (label === "charge.settled") renameSync(table, `${table}.away`);
    },
  });
  try {
    const member = clientOf(instance, fixture.tokens.member);
    const key = { idempotencyKey: "gone" };
    await expect(member.releaseAndWait(asked(), key)).rejects.toMatchObject({ code: "ENGINE_FAILED" });
    expect(steps).toContain("charge.committed");
    expect(steps).not.toContain("release.measured");
    renameSync(`${table}.away`, table);
    expect(await member.releaseAndWait(asked(), key)).toMatchObject({ stage: "done" });
    expect((await member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent).toBe("0.1");
  } finally {
    await instance.close();
  }
});

test("a charge that was never finished is finished by the next start, at no further cost", async () => {
  const { id } = await withoutRows(place, async () => {
    const charged = await fixture.as.member.createRelease(asked(), { idempotencyKey: "left" });
    await fixture.instance.close();
    return charged;
  });
  const instance = await openInstance({ folder: place });
  const member = clientOf(instance, fixture.tokens.member);
  const release = await member.showRelease({ release: id, wait: 20 });
  expect(release).toMatchObject({ stage: "done", failure: null });
  expect((await member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent).toBe("0.1");
  expect(await member.releaseAndWait(asked(), { idempotencyKey: "left" })).toEqual(release);
  await instance.close();
});

test("a release is tried again as often as the process ends because of another job, which is no failure of its own", async () => {
  await fixture.instance.close();
  let ends = 0;
  const instance = await openTestInstance({
    folder: place,
    step: (label) => {
      if (label === "release.measured" && ends++ < 2 * TRIES) throw new ProcessEnded(true);
    },
  });
  try {
    const release = await clientOf(instance, fixture.tokens.member).releaseAndWait(asked());
    expect(release).toMatchObject({ stage: "done", tries: 1 });
    expect(ends).toBe(2 * TRIES + 1);
  } finally {
    await instance.close();
  }
});

test("of 200 releases at once on room for 37 exactly 37 are charged, and all of those are released", async () => {
  const { member, teamAdmin } = fixture.as;
  const account = fixture.memberAccount;
  await teamAdmin.withdrawQuota({ account, epsilon: "0.63" });
  const plan = countPlan("0.01");
  const all = await Promise.allSettled(
    Array.from({ length: 200 }, (_, index) =>
      member.createRelease({ dataset: fixture.dataset, account, plan }, { idempotencyKey: `many-${index}` }),
    ),
  );
  const charged = all.flatMap((result) => (result.status === "fulfilled" ? [result.value.id] : []));
  expect(charged).toHaveLength(37);
  for (const result of all)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "QUOTA_EXHAUSTED" });
  expect(await member.showAccount({ account })).toMatchObject({ balance: { epsilon: { spent: "0.37", left: "0" } } });
  for (const release of charged) expect((await member.showRelease({ release, wait: 30 })).stage).toBe("done");
  expect(await fixture.as.datasetAdmin.verify()).toMatchObject({ ok: true, releases: 37 });
});

test("a release that ends while the server looks after it has lost neither its answer nor its lease; an answer that is gone is said", async () => {
  await fixture.instance.close();
  const lines: string[] = [];
  const say = (event: string) => void lines.push(event);
  let isHeld = true;
  const instance = await openTestInstance({
    folder: place,
    log: { info: say, error: say },
    step: (label) => {
      if (label === "release.measured" && isHeld) throw new ProcessEnded(true);
    },
  });
  const { releases } = instance.database;
  const [pending, renew] = [releases.pending, releases.renew];
  try {
    const member = clientOf(instance, fixture.tokens.member);
    const { id } = await member.createRelease(asked(), { idempotencyKey: "ends" });
    const before = await releases.chargeOf(id as ChargeId);
    const ends = async () => {
      isHeld = false;
      expect((await member.showRelease({ release: id, wait: 20 })).stage).toBe("done");
    };
    const [looked, renewed] = [
      vi.spyOn(releases, "pending").mockImplementationOnce(async () => {
        const found = await pending();
        expect(found.map((charge) => charge.id)).toEqual([id]);
        await ends();
        return found;
      }),
      vi.spyOn(releases, "renew").mockImplementationOnce(async (options) => {
        await ends();
        return renew(options);
      }),
    ];
    const alarms = () => lines.filter((line) => line.endsWith("_LOST"));
    await expect.poll(() => looked.mock.calls.length, { timeout: 25_000 }).toBeGreaterThan(1);
    expect(renewed).toHaveBeenCalledOnce();
    expect(alarms()).toEqual([]);
    // A database that went back: what was answered is pending in it.
    looked.mockResolvedValueOnce([before]);
    vi.spyOn(releases, "chargeOf").mockResolvedValueOnce(before);
    await expect.poll(alarms, { timeout: 25_000 }).toEqual(["ANSWER_LOST"]);
  } finally {
    vi.restoreAllMocks();
    await instance.close();
  }
}, 60_000);
