import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { enteredIn, timesOf } from "../../../../test/entered.kit.ts";
import { fixtureOf } from "../fixture.kit.ts";
import { countPlan } from "../instance.kit.ts";
import type { Said } from "../measuring/job.ts";
import { openJobs } from "../measuring/jobs.ts";
import type { MeasuringProcess } from "../measuring/measurer.ts";

/** Measures in this process, so that what it binds is counted too. */
function measuringHere(): MeasuringProcess {
  const jobs = openJobs((ended) => one.emit("message", structuredClone(ended)));
  const one = Object.assign(new EventEmitter(), {
    send: (said: Said) => jobs.hear(structuredClone(said)),
    kill: () => jobs.close().then(() => one.emit("exit")),
    ref: () => undefined,
  });
  return one;
}

const fixture = fixtureOf(() => ({ startMeasuring: measuringHere }));

async function release(plan = countPlan("0.001"), reuse: "asAccurate" | "never" = "never"): Promise<void> {
  const { dataset, memberAccount: account } = fixture;
  const { state } = await fixture.as.member.createRelease({ dataset, account, plan, reuse, wait: 60 });
  expect(state).toBe("released");
}

/** Of one release or several: how often a plan is bound, of these in the measuring process, a stored request read and a table found. */
async function counted(run: () => Promise<unknown>) {
  const entered = await enteredIn(run);
  return {
    bound: timesOf(entered, "horizonOf") - timesOf(entered, "boundPlan"),
    // Not the earlier questions whose answers are considered: they are kept.
    measured: timesOf(entered, "boundPlan") - timesOf(entered, "boundAgain"),
    read: timesOf(entered, "storedIn"),
    tables: timesOf(entered, "tableOf"),
  };
}

test("a release binds its plan and finds its table once, and reads no stored request until its answers are shown", async () => {
  await release();
  const once = { bound: 1, measured: 1, read: 1, tables: 1 };
  expect(await counted(release)).toEqual(once);
  expect(await counted(() => release(countPlan("0.1"), "asAccurate"))).toEqual(once);
});

test("of large plans that wait at once one is kept bound, and each of the others is bound again when its turn comes", async () => {
  const statistics = Array.from({ length: 8 }, () => ({
    ...{ statistic: "histogram", column: "salary", bins: 2000, epsilon: "0.001" },
  }));
  const { bound, measured } = await counted(() => Promise.all([1, 2, 3].map(() => release({ statistics }))));
  expect({ bound, measured }).toEqual({ bound: 3 + 2, measured: 3 });
});
