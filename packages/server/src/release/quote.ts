import { invalid } from "@dosimeter/core";
import type { Dataset, Readers } from "@dosimeter/ledger";
import { type BoundedPlan, boundSteps, foundBytesOf, type Plan, planOver, releasedIntegers } from "@dosimeter/query";
import { inSlices } from "../measuring/slices.ts";
import type { ReuseChoice } from "../reuse/choice.ts";
import type { Found } from "../reuse/find.ts";
import { type Resolved, resolve } from "../reuse/resolve.ts";
import { type JoinedDataset, type VersionedTable, versionOf } from "../reuse/versioned-table.ts";
import type { ReleaseDeps } from "./deps.ts";
import { inClass } from "./latency.ts";

export interface QuoteRequest {
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
  /** Called with the number of cells before earlier answers are searched. */
  readonly admit?: (cells: number) => Promise<void>;
  /** Stops searching when there is an earlier answer to the same question that is accurate enough. */
  readonly isSameEnough?: boolean;
}

/** A bound plan, with the offers of earlier answers to each row and the chosen ones. */
export interface Quoted {
  readonly about: VersionedTable;
  /** With the blocks that it names now, where the population has any. */
  readonly plan: Plan;
  readonly bounded: BoundedPlan;
  readonly found: readonly Found[];
  readonly resolved: Resolved;
}

/** Step 1. Binds the plan and decides, row by row, what is drawn and what earlier answers give. Reads nothing private. */
export async function quoteRows(
  deps: ReleaseDeps,
  { dataset, asOf, plan: asked, other, choice, readers, people, admit, isSameEnough = false }: QuoteRequest,
): Promise<Quoted> {
  const about = await versionOf(deps, dataset, asOf, joinedIn(asked, other));
  const plan = planOver(asked, about.declaration, Date.now() / 1000);
  const bounded = await inSlices(boundSteps(plan, about.declaration)); // refuses what it cannot bound
  await admit?.(bounded.statistics.reduce((sum, statistic) => sum + releasedIntegers(statistic), 0));
  if (choice === "never") {
    refuseLarge(deps, bounded);
    const resolved: Resolved = { resolutions: [], ways: new Map(), fresh: bounded, freshPlan: plan };
    return { about, plan, bounded, found: [], resolved };
  }
  const found = await inClass(
    deps.releasedAnswers.find(bounded, about, { readers, people, search: true, isSameEnough }),
  );
  const resolved = await resolve(plan, found, { choice, about });
  if (resolved.fresh !== null) refuseLarge(deps, resolved.fresh);
  return { about, plan, bounded, found, resolved };
}

/** Refuses to look for more values than the memory holds, by what is declared: whatever is found then fits [M210]. */
function refuseLarge({ mostFoundBytes }: ReleaseDeps, plan: BoundedPlan): void {
  const most = mostFoundBytes(plan.declaration.source);
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
