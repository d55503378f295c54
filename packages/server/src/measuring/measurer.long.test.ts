import { execFileSync } from "node:child_process";
import { getPriority } from "node:os";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildFixture, countPlan, type Fixture, openTestInstance } from "../instance.kit.ts";
import { TRIES } from "../release/queue.ts";
import { startProcess } from "./measurer.ts";

const alone = { startMeasuring: () => startProcess() };

let fixture: Fixture;
let foreign: readonly number[];
beforeAll(async () => {
  foreign = processes();
  fixture = await buildFixture(await openTestInstance(alone));
});
afterAll(() => fixture.instance.close());

const asked = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan: countPlan("0.01") });
const spent = async () =>
  Number((await fixture.as.member.showAccount({ account: fixture.memberAccount })).balance.epsilon.spent);

/** The measuring processes of this file's instances. */
const own = () => processes().filter((pid) => !foreign.includes(pid));

function processes(): readonly number[] {
  const rows = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  return rows.flatMap((row) => {
    const [pid, parent, ...args] = row.trim().split(/\s+/);
    return Number(parent) === process.pid && args.join(" ").includes("/measuring/measurer.worker.")
      ? [Number(pid)]
      : [];
  });
}

const killAll = () => {
  for (const pid of own()) process.kill(pid, "SIGKILL");
};

test("rows are read in one process of lower priority, by which nothing else is held up, and which may be killed", async () => {
  const { member } = fixture.as;
  const [pid = 0, ...more] = own();
  expect(more).toEqual([]);
  expect(getPriority(pid)).toBe(Math.min(19, getPriority() + 10)); // the tests too may run at a low priority

  process.kill(pid, "SIGSTOP");
  const { id } = await member.createRelease(asked(), { idempotencyKey: "stopped" });
  for (const until = performance.now() + 20_000; performance.now() < until; await after(20))
    if ((await member.showRelease({ release: id, wait: 0 })).stage === "measuring") break;
  await member.quotePlan(asked());
  expect(await member.showRelease({ release: id, wait: 0 })).toMatchObject({ stage: "measuring" });

  process.kill(pid, "SIGKILL");
  expect(await member.showRelease({ release: id, wait: 30 })).toMatchObject({ stage: "done", failure: null });
  expect(await spent()).toBe(0.01);
  expect(own()).not.toContain(pid);
});

test("a release that ends the process each time fails after a few tries, charged once; its key runs it again", async () => {
  const { member } = fixture.as;
  const before = await spent();
  let isKilling = true;
  const killing = (async () => {
    for (; isKilling; await after(5)) killAll();
  })();
  const key = { idempotencyKey: "poison" };
  const error = await member.releaseAndWait(asked(), key).catch((thrown: unknown) => thrown);
  isKilling = false;
  await killing;
  expect(error).toMatchObject({ code: "ENGINE_FAILED" });
  expect(await member.releaseAndWait(asked(), key)).toMatchObject({ stage: "done", tries: TRIES });
  expect(await spent()).toBeCloseTo(before + 0.01, 12);
});

test("it ends with its server", async () => {
  const instance = await openTestInstance(alone);
  await buildFixture(instance);
  expect(own()).toHaveLength(2);
  await instance.close();
  expect(own()).toHaveLength(1);
});
