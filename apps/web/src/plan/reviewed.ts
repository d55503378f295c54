import { type PlanDraft, settingsFor } from "@dosimeter/planner";
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
