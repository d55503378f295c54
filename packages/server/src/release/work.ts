import { type DpEvent, PrivacyError } from "@dosimeter/core";
import type { Charge } from "@dosimeter/ledger";
import { boundSteps } from "@dosimeter/query/bind";
import { eventsOf } from "@dosimeter/query/quote";
import { inSlices } from "../measuring/slices.ts";
import { drawnOf, type Resolved } from "../reuse/resolve.ts";
import { type VersionedTable, versionOf } from "../reuse/versioned-table.ts";
import { asJson, joinedId } from "../sources/tables.ts";
import type { ReleaseDeps } from "./deps.ts";
import { waysOf } from "./earlier.ts";
import type { PreparedRelease } from "./prepare.ts";
import { isSameJson, requestOf } from "./request.ts";

/** What a charge must measure and what it takes from earlier answers. */
export type Work = Pick<PreparedRelease, "about" | "found" | "continues"> & Pick<Resolved, "ways" | "drawn">;

/** Of a release that was prepared here. Its earlier answers are read now: some were not there yet, or not for its caller's eyes. */
export async function workOf(deps: ReleaseDeps, prepared: PreparedRelease): Promise<Work> {
  return { ...prepared, ways: await waysOf(deps, prepared) };
}

export async function workAgain(deps: ReleaseDeps, charge: Charge): Promise<Work> {
  const { plan, resolutions = [], continues = [] } = requestOf(charge);
  const about = await aboutCharge(deps, charge);
  const readers = { principal: charge.principal, accounts: [] };
  const bounded = await inSlices(boundSteps(plan, about.declaration));
  const found = await deps.releasedAnswers.find(bounded, about, { readers, people: null, search: false });
  const ways = await waysOf(deps, { about, found, resolutions });
  const drawn = await drawnOf({ about, plan, bounded, found }, ways);
  refuseOtherEvents(charge, drawn === null ? [] : eventsOf(drawn.bounded));
  return { about, found, continues, ways, drawn };
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
