import { PrivacyError } from "@dosimeter/core";
import type { Charge, ChargeId, LedgerDatabase } from "@dosimeter/ledger";
import { boundSteps } from "@dosimeter/query/bind";
import type { BoundedPlan } from "@dosimeter/query/plan";
import type { Plan } from "@dosimeter/query/statistics";
import { canonicalOf, isAsAccurate, type StatisticSpec } from "@dosimeter/reuse";
import { inSlices } from "../measuring/slices.ts";
import { joinedId } from "../sources/tables.ts";
import { type ReuseChoice, wordFor } from "./choice.ts";
import type { Version } from "./find.ts";
import type { Resolution } from "./resolve.ts";

/** The request of another charge, and its account. */
interface Pending {
  readonly charge: ChargeId;
  readonly plan: Plan;
  readonly version: number | null;
  /** The version of the dataset that the plan joins; null without a join. */
  readonly joined?: number | null;
  readonly resolutions: readonly Resolution[];
  /** Rows that use answers that the caller may not see. */
  readonly closed: ReadonlySet<string>;
}

/**
 * The rows that an unfinished charge answers too; each gets that answer once it is there. Decided by questions and
 * noise alone.
 */
export async function answeredByPending(
  { charge, plan, version, joined = null, resolutions, closed }: Pending,
  rows: readonly StatisticSpec[],
  { choice, about }: { readonly choice: ReuseChoice; readonly about: Version },
): Promise<readonly Resolution[]> {
  if (version !== about.version || !isSameJoin(joinedId(plan), joined, about)) return [];
  const bounded = await boundOrNull(plan, about);
  if (bounded === null) return [];
  const { statistics, confidence } = bounded;
  const drawn = new Map(statistics.map((one) => [canonicalOf(one, about).key, one]));
  return rows.flatMap((asked): readonly Resolution[] => {
    const row = asked.statistic.id;
    const one = drawn.get(asked.key);
    // Whether an answer can be read at another confidence is known only when it is there.
    if (one === undefined || confidence !== asked.confidence) return [];
    if (!isAsAccurate(one.noise, asked) && wordFor(choice, row) !== "free") return [];
    const from = { release: charge, row: one.id };
    const before = resolutions.find((resolution) => resolution.row === one.id);
    if (before === undefined) return [{ row, kind: "same", from: [from] }];
    return before.kind === "refined" && !closed.has(one.id)
      ? [{ row, kind: "pooled", from: [...before.from, from] }]
      : [];
  });
}

/** Whether a plan that joins this dataset, if any, at this version reads the same tables as this one. */
function isSameJoin(id: string | null, joined: number | null, { declaration }: Version): boolean {
  const [mine] = Object.entries(declaration.joinable ?? {});
  if (mine === undefined || id === null) return mine === undefined && id === null;
  return mine[0] === id && mine[1].version === joined;
}

/** The plan of another person, whose faults the caller must not see; null where it cannot be bound. */
async function boundOrNull(plan: Plan, { declaration }: Version): Promise<BoundedPlan | null> {
  try {
    return await inSlices(boundSteps(plan, declaration));
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
}

/** The unfinished ones of these charges. */
export async function unanswered(
  charges: readonly ChargeId[],
  { releases }: LedgerDatabase,
): Promise<readonly Charge[]> {
  const all = await Promise.all(charges.map((id) => releases.chargeOf(id)));
  return all.filter(({ status }) => status !== "released");
}
