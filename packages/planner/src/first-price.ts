import { PrivacyError } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import { ledgerBudget } from "./budget.ts";
import { familyOf, type PlanDraft, type PlanRow, parseUnits } from "./draft.ts";
import { GOOD, referenceOf } from "./grade.ts";
import type { Headroom } from "./headroom.ts";
import { readableRoom, readableUnits, unitsFor } from "./price.ts";
import { largestWithin } from "./redistribute.ts";
import { type Share, UNITS } from "./shares.ts";

/** A first price takes at most one part in ten of what is left. */
const PARTS = 10n;

/** Below 0.1 by more than a division can round up. */
const SURELY_GOOD = GOOD * (1 - 2 ** -50);

/**
 * The first price of a row, in ε or ρ by its noise: the least of three digits at which its error meets the target, or is graded
 * good; at most a tenth of what the account has left after the other rows. 0 where nothing is left.
 */
export function firstPrice(
  row: PlanRow,
  others: readonly Share[],
  draft: PlanDraft & { readonly headroom: Headroom },
  declaration: Declaration,
): bigint {
  const tenth = roomFor(row, others, draft) / PARTS;
  const wanted = goodPrice(row, draft, declaration);
  if (wanted !== null && wanted <= tenth) return wanted;
  return readableRoom(tenth);
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

function goodPrice(row: PlanRow, draft: PlanDraft, declaration: Declaration): bigint | null {
  const reference = referenceOf(row, draft, declaration);
  const error = row.target ?? (reference === null ? null : reference * SURELY_GOOD);
  if (error === null || !(error > 0)) return null;
  try {
    return readableUnits(unitsFor(row, error, draft, declaration));
  } catch (fault) {
    if (fault instanceof PrivacyError) return null; // no price reaches it
    throw fault;
  }
}
