import { leftBelow, needsReason, type PlanDraft, settingsFor } from "@dosimeter/planner";
import { formatAmount } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query/declaration";
import { formatCost } from "../parts/Amount.tsx";
import { isMore } from "../sums.ts";
import type { WorkRow } from "./workbench.ts";

/** The rows as they were when last reviewed, for what changed since. */
export type Reviewed = Readonly<Record<string, string>>;
export const reviewedOf = (rows: readonly WorkRow[]): Reviewed =>
  Object.fromEntries(rows.map((row) => [row.id, fingerprint(row)]));
export const fingerprint = ({ settings, epsilon, rho }: WorkRow): string => JSON.stringify([settings, epsilon, rho]);

/** Settings with values, where they are filled. */
const FILLED: readonly string[] = ["where", "keys"];

/** Whether someone chose values that an answer depends on: a range, bins, listed groups, a filter, a formula or columns of another table. A count of all rows has none. */
export const asksForValues = (rows: readonly WorkRow[], draft: PlanDraft, declaration: Declaration): boolean =>
  draft.join !== undefined ||
  Object.keys(draft.let ?? {}).length > 0 ||
  rows.some(({ settings }) =>
    settingsFor(settings, declaration).some(
      ({ key }) => key === "lower" || key === "bins" || (FILLED.includes(key) && (settings[key] ?? "").trim() !== ""),
    ),
  );

/** Says what is spent, and where nothing is, that. */
export const releaseWords = (cost: string): string =>
  isMore(cost, "0") ? `Spend ε ${formatCost(cost)} and release` : "Release, spending nothing";

/** What is left after a plan, for its review; null where that is nothing. */
export function leftText(after: string | null, digits: number | undefined): string | null {
  if (after === null) return "what the quote shows";
  return isMore(after, "0") ? `ε\u00a0${formatAmount(after, "down", digits)}` : null;
}

/** Why a plan may not be reviewed, in a few words for the line above the table. */
export function blockedBy(draft: PlanDraft, declaration: Declaration, isRefused: boolean): string | null {
  if (draft.pending !== null) return "over budget";
  if (isRefused) return "a value is not accepted";
  if (leftBelow(draft) !== null) return "more than is left";
  if (draft.policy === "strict" && isMore(draft.over, "0")) return "over its ε";
  return needsReason(draft, declaration) !== null && draft.reason.trim() === "" ? "needs a reason" : null;
}
