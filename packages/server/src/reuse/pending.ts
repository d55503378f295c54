import type { Charge, ChargeId, LedgerDatabase } from "@dosimeter/ledger";
import { boundSteps, canonicalOf, isAsAccurate, type Plan, type StatisticSpec } from "@dosimeter/query";
import { inSlices } from "../release/slices.ts";
import { type ReuseChoice, wordFor } from "./choice.ts";
import type { Version } from "./find.ts";
import type { Resolution } from "./resolve.ts";

/** The request of another charge, and its account. */
interface Pending {
  readonly charge: ChargeId;
  readonly plan: Plan;
  readonly version: number | null;
  readonly resolutions: readonly Resolution[];
  /** Rows that use answers that the caller may not see. */
  readonly closed: ReadonlySet<string>;
}

/**
 * The rows that an unfinished charge answers too; each gets that answer once it is there. Decided by questions and
 * noise alone.
 */
export async function answeredByPending(
  { charge, plan, version, resolutions, closed }: Pending,
  rows: readonly StatisticSpec[],
  { choice, about }: { readonly choice: ReuseChoice; readonly about: Version },
): Promise<readonly Resolution[]> {
  if (version !== about.version) return [];
  const { statistics, confidence } = await inSlices(boundSteps(plan, about.declaration));
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

/** The unfinished ones of these charges. */
export async function unanswered(
  charges: readonly ChargeId[],
  { releases }: LedgerDatabase,
): Promise<readonly Charge[]> {
  const all = await Promise.all(charges.map((id) => releases.chargeOf(id)));
  return all.filter(({ status }) => status !== "released");
}
