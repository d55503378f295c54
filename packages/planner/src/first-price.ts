import { PrivacyError } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import { biasMost } from "@dosimeter/query/quote";
import { ledgerBudget } from "./budget.ts";
import { familyOf, type PlanDraft, type PlanRow, parseUnits } from "./draft.ts";
import { FAIR, yardstickOf } from "./grade.ts";
import type { Headroom } from "./headroom.ts";
import { boundedRow, peopleOf, readableRoom, readableUnits, unitsFor } from "./price.ts";
import { largestWithin } from "./redistribute.ts";
import { type Share, UNITS } from "./shares.ts";

/** Where no price that fits is of use, one part in ten of what is left. */
const PARTS = 10n;

/** Below fair by more than a division can round up. */
const SURELY_FAIR = FAIR * (1 - 2 ** -50);

/**
 * The first price of a row, in ε or ρ by its noise: the least of three digits at which its error meets the target, or is graded
 * fair, where the account has it; else a tenth of what is left after the other rows. 0 where nothing is left.
 */
export function firstPrice(
  row: PlanRow,
  others: readonly Share[],
  draft: PlanDraft & { readonly headroom: Headroom },
  declaration: Declaration,
): bigint {
  const room = roomFor(row, others, draft);
  const wanted = usefulPrice(row, draft, declaration);
  if (wanted !== null && wanted <= room) return wanted;
  return readableRoom(room / PARTS);
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

/** With caps, for the part of the error that they leave; null where they leave none, or no price reaches it. */
function usefulPrice(row: PlanRow, draft: PlanDraft, declaration: Declaration): bigint | null {
  const { target, useless, bias } = yardstickOf(row, boundedRow(row, draft, declaration), peopleOf(draft, declaration));
  const enough = target ?? (useless === null ? null : useless * SURELY_FAIR);
  const error = enough === null ? null : enough - (bias == null ? 0 : biasMost(bias));
  if (error === null || !(error > 0)) return null;
  try {
    return readableUnits(unitsFor(row, error, draft, declaration));
  } catch (fault) {
    if (fault instanceof PrivacyError) return null; // no price reaches it
    throw fault;
  }
}
