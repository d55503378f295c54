import type { Charge, Release } from "@dosimeter/ledger";
import type { Answer } from "@dosimeter/query";
import { agreeing } from "../reuse/agree.ts";
import { assembled, indexOf, savedBy } from "../reuse/resolve.ts";
import { asJson } from "../sources/tables.ts";
import type { ReleaseDeps } from "./deps.ts";
import { measurePlan, type Work, workOf } from "./measure.ts";
import { drawNoise } from "./noise.ts";

/** Holds an outcome back until its class of durations has passed. */
export interface Settled {
  readonly settled: () => Promise<void>;
}

/**
 * Steps 3 to 5. The answers are stored before anyone can see them. A finished charge returns its stored release
 * and draws nothing.
 */
export async function finishCharge(deps: ReleaseDeps, charge: Charge, until: Settled): Promise<Release> {
  const work = await workOf(deps, charge);
  let answers: readonly Answer[] = [];
  if (work.drawn !== null) {
    const exact = await measurePlan(deps, work.drawn.bounded, work.about);
    answers = await drawNoise(deps, work.drawn.bounded, exact);
    await until.settled(); // so a waiting caller sees a class of durations only
  }
  return storeRelease(deps, charge, work, answers);
}

/** Step 5. Answers, their index and what reuse saved, in one transaction. */
async function storeRelease(
  { database, owner, step }: ReleaseDeps,
  charge: Charge,
  { about, found, ways, drawn }: Work,
  fresh: readonly Answer[],
): Promise<Release> {
  const asked = found.map((one) => one.asked);
  const bounded = drawn?.bounded ?? null;
  const facts = { ways, drawn: fresh, fresh: bounded, about, charge: charge.id };
  const names = new Map(found.map(({ asked: { statistic }, key, scope }) => [statistic.id, { key, scope }]));
  const release = await database.releases.complete({
    charge: charge.id,
    owner,
    answers: asJson(agreeing(assembled(asked, ways, fresh), asked, facts)),
    statistics: drawn === null ? [] : indexOf(drawn.plan, drawn.bounded, names, about.version),
    reuses: savedBy(asked, ways),
  });
  step("release.stored");
  return release;
}
