import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance, reopenByTwo } from "../instance.kit.ts";
import type { Instance } from "../instance.ts";
import { CHECKPOINT } from "./checkpoint.ts";
import type { InstanceOptions } from "./options.ts";

/** A data folder with one charge that is pending when `backUp` runs and answered afterwards. */
export interface Pending {
  readonly fixture: Fixture;
  /** Its answers, of which no one may get another draw. */
  readonly answers: unknown;
  readonly release: string;
}

const asked = ({ dataset, memberAccount }: Fixture) => ({ plan: countPlan(), dataset, account: memberAccount });

/** Charges, backs up while the answer is not there yet, and then lets the same key have it. */
export async function answeredAfter(
  options: InstanceOptions,
  backUp: (instance: Instance) => Promise<unknown>,
): Promise<Pending> {
  let isStuck = false;
  const instance = await openTestInstance({
    ...options,
    step: (label) => {
      if (isStuck && label === "release.measured") throw new Error("stuck");
    },
  });
  const fixture = await buildFixture(instance);
  isStuck = true;
  const member = fixture.as.member;
  const stuck = await member.createRelease({ ...asked(fixture), wait: 30 }, { idempotencyKey: "k" });
  expect(stuck).toMatchObject({ state: "charged", failure: { code: "ENGINE_FAILED" } });
  await backUp(instance);
  isStuck = false;
  const { answers } = await member.releaseAndWait(asked(fixture), { idempotencyKey: "k" });
  expect(answers).not.toBeNull();
  await instance.close();
  return { fixture, answers, release: stuck.id };
}

/** The same key once more, with time for a measurement. */
export const askAgain = (instance: Instance, fixture: Fixture) =>
  clientOf(instance, fixture.tokens.member).createRelease({ ...asked(fixture), wait: 5 }, { idempotencyKey: "k" });

/** Everything is frozen, the charge stands, its answer is lost, and stays lost when the ledger is reopened and the server started again. */
export async function expectLost(options: InstanceOptions, { fixture, release }: Pending): Promise<void> {
  const { ledger, memberAccount: account, tokens } = fixture;
  const instance = await openTestInstance(options);
  const [member, admin] = [clientOf(instance, tokens.member), clientOf(instance, tokens.datasetAdmin)];
  const lost = { state: "charged", answers: null, failure: { code: "ANSWER_LOST" } };
  expect((await admin.showLedger({ ledger })).status).toBe("frozen");
  expect(await member.showRelease({ release, wait: 1 })).toMatchObject(lost);
  await reopenByTwo(instance, fixture, { ledger, epsilon: "0", delta: "0", reason: "restored" });
  expect(await askAgain(instance, fixture)).toMatchObject(lost);
  expect((await member.showAccount({ account })).balance.epsilon.spent).toBe("0.1");
  const news = (await member.listNotifications({})).items;
  expect(news.find(({ kind }) => kind === "answerLost")).toMatchObject({ subject: release });
  // The same question under another key is charged, measured and answered: it waits for nothing.
  const { plan, dataset } = asked(fixture);
  const fresh = await member.releaseAndWait({ plan, dataset, account }, { idempotencyKey: "k2" });
  expect(fresh.answers).not.toBeNull();
  // It keeps no upload from being erased either.
  expect(await admin.eraseUploads({ dataset })).toEqual({ files: 1 });
  expect((await instance.database.audit.verify()).problems).toEqual([]);
  await instance.close();
  const next = await openTestInstance(options);
  expect(await askAgain(next, fixture)).toMatchObject(lost);
  expect((await next.database.ledgers.ledger(ledger as never)).status).toBe("open");
  await next.close();
}

/** What the data folder keeps of its ledger database. */
export const kept = (folder: string) => ({
  read: async () => JSON.parse(await readFile(join(folder, CHECKPOINT), "utf8")) as Record<string, unknown>,
  write: (checkpoint: unknown) => writeFile(join(folder, CHECKPOINT), JSON.stringify(checkpoint)),
});
