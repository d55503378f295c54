import { activeRuleRow, epsilonAmount, formatEpsilon } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import {
  asNew,
  type Edit,
  familyOf,
  isCounted,
  type PlanDraft,
  type PlanRow,
  parseUnits,
  shareOf,
  withUnits,
} from "./draft.ts";
import { firstPrice } from "./first-price.ts";
import type { Headroom } from "./headroom.ts";
import { budgetsOf } from "./limits.ts";
import { isFree } from "./rows.ts";
import { linear } from "./shares.ts";

/** A plan on an account whose ε no person typed. */
export type Following = PlanDraft & { readonly headroom: Headroom };

/** Whether ε of the plan is still the sum of its rows: on an account, until a person types it or says how it is split. */
export const isFollowing = (draft: PlanDraft): draft is Following => draft.follows === true && draft.headroom !== null;

/** The same shares, with ε as their sum; the weights of free rows are their shares, so that the sum divides into the same again. */
export const summed = (draft: PlanDraft): PlanDraft => ({
  ...draft,
  epsilon: formatEpsilon(draft.rows.filter(isCounted).reduce((sum, row) => sum + linear(shareOf(row)), 0n)),
  rows: draft.rows.map((row) =>
    isFree(row) && shareOf(row).units > 0n ? { ...row, base: String(shareOf(row).units) } : row,
  ),
});

/**
 * Every row keeps its price, with what earlier answers tell of it. Where other rows than before are served by them, ε of the plan is the sum
 * of those that are not.
 */
export function withOwned(draft: PlanDraft, { ids, known = {} }: Edit & { readonly kind: "owned" }): PlanDraft {
  const rows = draft.rows.map((row) => {
    const { known: _, ...plain } = asNew(row);
    return {
      ...plain,
      ...(ids.includes(row.id) ? { isOwned: true as const } : {}),
      ...present({ known: known[row.id] }),
    };
  });
  const isSame = draft.rows.every((row) => (row.isOwned === true) === ids.includes(row.id));
  return isSame ? { ...draft, rows } : summed({ ...draft, rows });
}

/**
 * A row that this edit adds or completes, or that reads something else now, at its first price; where it states a number of people, each row
 * that had none. Every other row as it is.
 */
export function withFirstPrice(before: PlanDraft, next: Following, edit: Edit, declaration: Declaration): Following {
  const isPriced = (row: PlanRow): boolean =>
    edit.kind === "people"
      ? row.isComplete && shareOf(row).units === 0n
      : (edit.kind === "add" || edit.kind === "change") && row.id === edit.id && isNew(before, row);
  let priced = next;
  for (const row of next.rows.filter((one) => isFree(one) && isPriced(one))) {
    const others = priced.rows.filter(({ id }) => id !== row.id).filter(isCounted);
    const first = withUnits(row, firstPrice(row, others.map(shareOf), priced, declaration));
    priced = { ...priced, rows: priced.rows.map((other) => (other.id === row.id ? first : other)) };
  }
  return priced;
}

function isNew(before: PlanDraft, row: PlanRow): boolean {
  const old = before.rows.find(({ id }) => id === row.id);
  if (old === undefined || shareOf(row).units === 0n) return true;
  return (
    old.request.statistic !== row.request.statistic ||
    old.request.column !== row.request.column ||
    familyOf(old) !== familyOf(row)
  );
}

/** The plan at the sum of its rows where the account admits it; null where it does not. */
export function asSum(draft: Following): PlanDraft | null {
  const sum = summed(draft);
  const shares = sum.rows.filter(isCounted).map(shareOf);
  return budgetsOf(sum).some(({ margin }) => margin(shares) >= 0) ? { ...sum, over: "0" } : null;
}

/** The same plan with all that the account has left to divide, where ε follows the rows. */
export function withAllLeft(draft: PlanDraft): PlanDraft {
  return isFollowing(draft) ? { ...draft, epsilon: formatEpsilon(leftOf(draft.headroom)) } : draft;
}

function leftOf({ path }: Headroom): bigint {
  const left = path.map(
    ({ epsilon }) =>
      epsilonAmount(epsilon.cap, "down") - (epsilon.spent === null ? 0n : epsilonAmount(epsilon.spent, "up")),
  );
  const least = left.reduce((a, b) => (b < a ? b : a));
  return least > 0n ? least : 0n;
}

/** What the account has left, where ε of the plan is more than that; null where it is not, or where its rule counts no ε. */
export function leftBelow({ headroom, epsilon }: Pick<PlanDraft, "headroom" | "epsilon">): string | null {
  if (headroom === null || activeRuleRow(headroom.activeRule).counts !== "epsilon") return null;
  const left = leftOf(headroom);
  return parseUnits(epsilon) > left ? formatEpsilon(left) : null;
}
