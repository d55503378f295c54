import { unlessRefused } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import { biasMost } from "@dosimeter/query/quote";
import { ledgerBudget } from "./budget.ts";
import { familyOf, type PlanDraft, type PlanRow, parseUnits } from "./draft.ts";
import { FAIR, GOOD, yardstickOf } from "./grade.ts";
import type { Headroom } from "./headroom.ts";
import { boundedRow, peopleOf, readableRoom, readableUnits, unitsFor } from "./price.ts";
import { largestWithin } from "./redistribute.ts";
import { type Share, UNITS } from "./shares.ts";

/** The part of what is left, one in ten, that a good answer may take; where nothing says what would be of use, the price. */
const PARTS = 10n;

/** Below it by more than a division can round up. */
const surely = (part: number): number => part * (1 - 2 ** -50);

/**
 * The first price of a row, in ε or ρ by its noise: the least of three digits at which its error meets the target; is graded good, for at most a
 * tenth of what is left; is fair; or is not useless, where the account has it. 0 where nothing that is left is of use; a tenth where that is not known.
 */
export function firstPrice(
  row: PlanRow,
  others: readonly Share[],
  draft: PlanDraft & { readonly headroom: Headroom },
  declaration: Declaration,
): bigint {
  const room = roomFor(row, others, draft);
  const statistic = boundedRow(row, draft, declaration);
  const { target, useless, bias } = yardstickOf(row, statistic, peopleOf(draft, declaration));
  const wishes = [
    ...(target === undefined ? [] : [{ error: target, most: room }]),
    ...(useless === null
      ? []
      : [
          { error: useless * surely(GOOD), most: room / PARTS },
          { error: useless * surely(FAIR), most: room },
          { error: useless * surely(1), most: room },
        ]),
  ];
  const capped = bias == null ? 0 : biasMost(bias);
  for (const { error, most } of wishes) {
    const price = priceOf(row, error - capped, draft, declaration);
    if (price !== null && price <= most) return price;
  }
  // The error of groups that are found is that of the smallest; larger ones may well be of use.
  return useless === null || (useless > 0 && statistic?.keys !== undefined) ? readableRoom(room / PARTS) : 0n;
}

/** The least price, in ε or ρ by its noise, at which a row is not useless; null where none is, or that is not known. */
export function usefulFrom(row: PlanRow, draft: PlanDraft, declaration: Declaration): bigint | null {
  const { useless, bias } = yardstickOf(row, boundedRow(row, draft, declaration), peopleOf(draft, declaration));
  const most = useless === null ? 0 : useless * surely(1) - (bias == null ? 0 : biasMost(bias));
  return priceOf(row, most, draft, declaration);
}

/** The most that one more row may cost while the others keep their shares. */
export function roomFor(
  row: Pick<PlanRow, "request">,
  others: readonly Share[],
  { headroom, reserve }: { readonly headroom: Headroom; readonly reserve: string },
): bigint {
  const { margin } = ledgerBudget(headroom, parseUnits(reserve, "reserve"));
  const noise = familyOf(row);
  return largestWithin((units) => margin([...others, { noise, units }]), UNITS);
}

/** Null where no price reaches the error, or capping leaves none of it to the noise. */
function priceOf(row: PlanRow, error: number, draft: PlanDraft, declaration: Declaration): bigint | null {
  if (!(error > 0)) return null;
  return unlessRefused(() => readableUnits(unitsFor(row, error, draft, declaration)), null);
}
