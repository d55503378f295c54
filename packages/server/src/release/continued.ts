import { PrivacyError } from "@dosimeter/core";
import { canonicalJson } from "@dosimeter/core/internal";
import type { ChargeId } from "@dosimeter/ledger";
import { boundSteps } from "@dosimeter/query/bind";
import { type BoundedPlan, type BoundedStatistic, lastingOf } from "@dosimeter/query/plan";
import { inSlices } from "../measuring/slices.ts";
import { answersIn } from "../reuse/stored.ts";
import type { ReleaseDeps } from "./deps.ts";
import { requestOf } from "./request.ts";
import { aboutCharge } from "./work.ts";

/**
 * CONFLICT where a step of a running total no longer means what its last one meant, as the declaration has changed since: its groups, its grid, what
 * one unit may add or its noise. Its answers would fit no longer, and blocks that are paid for might lose more than they paid. [M209]
 */
export async function refuseOtherStep(
  deps: Pick<ReleaseDeps, "database" | "files">,
  continues: readonly ChargeId[],
  now: BoundedPlan,
): Promise<void> {
  const last = continues.at(-1);
  if (last === undefined) return;
  const charge = await deps.database.releases.chargeOf(last);
  const { declaration } = await aboutCharge(deps, charge);
  const then = await inSlices(boundSteps(requestOf(charge).plan, declaration));
  if (canonicalJson(now.statistics.map(mechanismOf)) === canonicalJson(then.statistics.map(mechanismOf))) return;
  throw new PrivacyError(
    "CONFLICT",
    { name: "schedule", got: "another declaration", want: "the one of the reports before" },
    "since the last report, the declaration of the dataset has changed what this running total is about: end it and begin another, or declare it as it was",
  );
}

/** All of a statistic that has to stay from step to step. */
function mechanismOf(of: BoundedStatistic): unknown {
  const { id, statistic, column, where, groupBy, groups, derived = null, contribution, sensitivity, noise } = of;
  return exactly({
    ...{ id, statistic, column, where, groupBy, groups, derived, contribution, sensitivity, noise },
    lasting: lastingOf(of),
  });
}

/** Plain JSON: whole numbers of any size as text. */
const exactly = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? String(member) : member)));

/** What the steps before released of each statistic, group by group: all noisy integers but the one to be drawn now. */
export async function releasedBefore(
  { database }: Pick<ReleaseDeps, "database">,
  continues: readonly ChargeId[],
): Promise<readonly (readonly string[])[]> {
  const last = continues.at(-1);
  if (last === undefined) return [];
  const release = await database.releases.releaseOf(last);
  const answers = release === null ? [] : answersIn(release);
  return answers.map(({ raw, cells }) => (raw ?? cells).flatMap(({ noisy }) => noisy));
}
