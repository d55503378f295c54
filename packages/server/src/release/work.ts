import { type DpEvent, PrivacyError } from "@dosimeter/core";
import type { Charge } from "@dosimeter/ledger";
import { type BoundedPlan, boundSteps, eventsOf, type Plan, type Way } from "@dosimeter/query";
import { inSlices } from "../measuring/slices.ts";
import type { Found } from "../reuse/find.ts";
import { freshOf } from "../reuse/resolve.ts";
import { type VersionedTable, versionOf } from "../reuse/versioned-table.ts";
import { asJson, joinedId } from "../sources/tables.ts";
import type { ReleaseDeps } from "./deps.ts";
import { waysOf } from "./earlier.ts";
import { isSameJson, requestOf } from "./request.ts";

/** What a charge must measure and what it takes from earlier answers, made again from the stored request. */
export interface Work {
  readonly about: VersionedTable;
  readonly found: readonly Found[];
  readonly ways: ReadonlyMap<string, Way>;
  /** What is drawn; null where every row comes from earlier answers. */
  readonly drawn: { readonly plan: Plan; readonly bounded: BoundedPlan } | null;
}

export async function workOf(deps: ReleaseDeps, charge: Charge): Promise<Work> {
  const { plan, resolutions = [] } = requestOf(charge);
  const about = await aboutCharge(deps, charge);
  const readers = { principal: charge.principal, accounts: [] };
  const bounded = await inSlices(boundSteps(plan, about.declaration));
  const found = await deps.releasedAnswers.find(bounded, about, { readers, people: null, search: false });
  const asked = found.map((one) => one.asked);
  const ways = await waysOf(deps, asked, resolutions, about);
  const ids = asked.map(({ statistic }) => statistic.id);
  const fresh = freshOf(plan, ids, ways);
  const drawn = fresh === null ? null : { plan: fresh, bounded: await inSlices(boundSteps(fresh, about.declaration)) };
  refuseOtherEvents(charge, drawn === null ? [] : eventsOf(drawn.bounded));
  return { about, found, ways, drawn };
}

/** What a charge is about: its dataset, and the one that its plan joins, at the versions that were priced. */
export async function aboutCharge(
  deps: Pick<ReleaseDeps, "database" | "files">,
  charge: Pick<Charge, "request">,
): Promise<VersionedTable> {
  const { catalog } = deps.database;
  const { plan, dataset, version = null, joined = null } = requestOf(charge);
  const other = joined === null ? null : joinedId(plan);
  const join = other === null ? null : { dataset: await catalog.dataset(other), version: joined };
  return versionOf(deps, await catalog.dataset(dataset), version, join);
}

/** Refuses to run a plan that is bounded differently now than when it was charged. */
function refuseOtherEvents(charge: Charge, events: readonly DpEvent[]): void {
  if (!isSameJson(asJson(events), asJson(charge.events)))
    throw new PrivacyError("ENGINE_FAILED", {}, "the plan no longer means the events that were charged");
}
