import { invalid } from "@dosimeter/core";
import type { ChargeId, Dataset, Readers } from "@dosimeter/ledger";
import { boundedBytesOf, boundSteps, foundBytesOf, plannedIntegers, planOver } from "@dosimeter/query/bind";
import { mostRowsOf } from "@dosimeter/query/declaration";
import type { BoundedPlan } from "@dosimeter/query/plan";
import { connectionOf } from "@dosimeter/query/source";
import type { Plan } from "@dosimeter/query/statistics";
import { inSlices } from "../measuring/slices.ts";
import type { ReuseChoice } from "../reuse/choice.ts";
import { type Bound, type Resolved, resolve } from "../reuse/resolve.ts";
import { type JoinedDataset, type VersionedTable, versionOf } from "../reuse/versioned-table.ts";
import { traced } from "../telemetry/current.ts";
import type { ReleaseDeps } from "./deps.ts";
import { inClass } from "./latency.ts";

export interface PlanRequest {
  /** As it is now. */
  readonly dataset: Dataset;
  /** The version asked about; the newest when null. */
  readonly asOf: number | null;
  readonly plan: Plan;
  /** The dataset that the plan joins; null without a join. */
  readonly other: Dataset | null;
  /** Which earlier answers may be used. */
  readonly choice: ReuseChoice;
  readonly readers: Readers;
  /** About how many people there are, as the caller assumes. */
  readonly people: number | null;
  /** Of a running total that goes on, the charges of all its steps before. */
  readonly continues?: readonly ChargeId[];
  /** Called with the number of cells before earlier answers are searched. */
  readonly admit?: (cells: number) => Promise<void>;
  /** Stops searching when there is an earlier answer to the same question that is accurate enough. */
  readonly isSameEnough?: boolean;
}

/**
 * A release as it was decided at the edge: the table at its version, the plan bound once, what is drawn of it and where the other answers come
 * from. Quote, charge, queue and measuring take it; only what another process left is made again from the stored request.
 */
export interface PreparedRelease extends Bound, Omit<Resolved, "ways"> {
  readonly about: VersionedTable;
  readonly continues: readonly ChargeId[];
}

/** With the offers that the caller chose, as they may see them. */
export type Quoted = PreparedRelease & Resolved;

/** Step 1. Binds the plan and decides, row by row, what is drawn and what earlier answers give. Reads nothing private. */
export function prepareRelease(deps: ReleaseDeps, request: PlanRequest): Promise<Quoted> {
  const { dataset, plan } = request;
  const statistics = plan.statistics.map(({ statistic }) => statistic);
  return traced("quote", { dataset: dataset.id, statistics }, () => prepare(deps, request));
}

async function prepare(
  deps: ReleaseDeps,
  {
    dataset,
    asOf,
    plan: asked,
    other,
    choice,
    readers,
    people,
    continues = [],
    admit,
    isSameEnough = false,
  }: PlanRequest,
): Promise<Quoted> {
  const about = await versionOf(deps, dataset, asOf, joinedIn(asked, other));
  const plan = planOver(asked, about.declaration, Date.now() / 1000);
  const bounded = await inSlices(boundSteps(plan, about.declaration)); // refuses what it cannot bound
  await admit?.(plannedIntegers(bounded));
  const search = choice !== "never";
  const finding = deps.releasedAnswers.find(bounded, about, { readers, people, search, isSameEnough });
  const bound = { about, plan, bounded, found: await (search ? inClass(finding) : finding) };
  const resolved = await resolve(bound, choice);
  if (resolved.drawn !== null) refuseLarge(deps, resolved.drawn.bounded);
  return { ...bound, continues, ...resolved };
}

/** Refuses rows and values for which there is no room, by what is declared: whatever is found then fits [M210]. */
function refuseLarge({ mostFoundBytes, mostBoundedBytes }: ReleaseDeps, plan: BoundedPlan): void {
  const { source, name } = plan.declaration;
  const rows = mostRowsOf(plan.declaration);
  const bounded = boundedBytesOf(plan);
  if (connectionOf(source) === null && bounded > mostBoundedBytes)
    invalid(
      `most rows of ${name}`,
      rows,
      `at most ${Math.floor((rows * mostBoundedBytes) / bounded)}, whose people fit into the memory and the disk that are set aside for them: declare a smaller mostRows in a new version of the table, or have DOSIMETER_SPILL_LIMIT or DOSIMETER_MEMORY raised`,
    );
  const most = mostFoundBytes(source);
  const bytes = foundBytesOf(plan);
  if (bytes <= most) return;
  const [{ path, keys } = { path: "statistics" }] = plan.statistics.filter((one) => one.keys !== undefined);
  invalid(
    `${path} (most values of ${keys?.column})`,
    keys?.most,
    `at most ${Math.floor(((keys?.most ?? 0) * most) / bytes)}, which fit in the memory for them (${Math.floor(most / 1e6)} MB): declare mostValues of the column, or a smaller mostRows, in a new version of the table, or have DOSIMETER_MEMORY raised`,
  );
}

/** The version that the plan itself names, if it names one. */
function joinedIn({ join }: Plan, dataset: Dataset | null): JoinedDataset | null {
  return dataset === null ? null : { dataset, version: typeof join?.version === "number" ? join.version : null };
}
