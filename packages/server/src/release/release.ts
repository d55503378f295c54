import type { Charge, Json, Release } from "@dosimeter/ledger";
import type { Answer } from "@dosimeter/query/answer";
import { agreeing } from "../reuse/agree.ts";
import { tellRefuted } from "../reuse/refuted.ts";
import { assembled, type Drawn, indexOf, savedBy } from "../reuse/resolve.ts";
import type { VersionedTable } from "../reuse/versioned-table.ts";
import { traced } from "../telemetry/current.ts";
import { releasedBefore } from "./continued.ts";
import { atDeparture } from "./departure.ts";
import type { ReleaseDeps } from "./deps.ts";
import type { PreparedRelease } from "./prepare.ts";
import { type Work, workAgain, workOf } from "./work.ts";

/**
 * Steps 3 to 5. The answers are stored before anyone can see them. A finished charge returns its stored release
 * and draws nothing. An abort gives up what was not stored; the charge stays pending.
 */
export async function finishCharge(
  deps: ReleaseDeps,
  { charge, prepared }: { readonly charge: Charge; readonly prepared: PreparedRelease | null },
  signal: AbortSignal,
): Promise<Release> {
  const work = prepared === null ? await workAgain(deps, charge) : await workOf(deps, prepared);
  const { drawn, about, continues } = work;
  if (drawn === null) return storeRelease(deps, charge, work, []);
  const earlier = await releasedBefore(deps, continues);
  const fresh = await draw(deps, drawn, { about, earlier, signal });
  await deps.taken(signal);
  return storeRelease(deps, charge, work, fresh);
}

/** Steps 3 and 4, in the measuring process. The cost stays spent whatever happens. */
async function draw(
  { measurer, timetable, step }: ReleaseDeps,
  { plan, bounded }: Drawn,
  {
    about: { table, declaration },
    earlier,
    signal,
  }: {
    readonly about: VersionedTable;
    readonly earlier: readonly (readonly string[])[];
    readonly signal: AbortSignal;
  },
): Promise<readonly Answer[]> {
  const reader = await measurer.ready({ declaration, table });
  const statistics = bounded.statistics.map(({ statistic }) => statistic);
  const answers = await traced("measure", { statistics }, () => {
    const work = measurer.run("answer", { plan, declaration, table, earlier }, signal);
    return atDeparture({ plan: bounded, reader }, work, timetable, signal);
  });
  step("release.measured");
  return answers;
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
  const { answers, refuted } = await agreeing(assembled(asked, ways, fresh), asked, facts);
  const release = await traced("ledger.release", {}, () =>
    database.releases.complete({
      charge: charge.id,
      owner,
      // They are plain, and are written as JSON there: a copy of half a million holds this thread for a second.
      answers: answers as unknown as Json,
      statistics: drawn === null ? [] : indexOf(drawn, names, about.version),
      reuses: savedBy(asked, ways),
    }),
  );
  await tellRefuted(database, about, refuted);
  step("release.stored");
  return release;
}
