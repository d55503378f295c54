import type { Declaration } from "@dosimeter/query/declaration";
import { type AccountantName, accountants, type Budget } from "./budget.ts";
import { baseOf, isCounted, type PlanDraft, type PlanRow, shareOf, withUnits } from "./draft.ts";
import { referenceOf } from "./grade.ts";
import { limitOf } from "./limits.ts";
import { boundedRow, errorAt } from "./price.ts";
import { redistribute } from "./redistribute.ts";
import { inFamily } from "./shares.ts";

/** The same plan under one accountant, with the kind of noise that suits the accountant. */
export interface AccountantOutcome {
  readonly accountant: AccountantName;
  readonly noise: "laplace" | "gaussian" | "as chosen";
  /**
   * Error ÷ reference, averaged over the rows; `auto` picks the accountant with the least. Null where the accountant
   * cannot price the plan.
   */
  readonly meanError: number | null;
  readonly errors: Readonly<Record<string, number | null>>;
}

/**
 * All rows with Laplace noise by addition and by optimal composition, all with Gaussian noise exactly, and as chosen by zCDP;
 * the least mean error first. Weights stay and no row is held, so that the four are comparable.
 */
export function compareAccountants(draft: PlanDraft, declaration: Declaration): readonly AccountantOutcome[] {
  const limit = limitOf({ ...draft, headroom: null });
  const rows = draft.rows.filter(isCounted);
  const run = (accountant: AccountantName, noise: AccountantOutcome["noise"]): AccountantOutcome => {
    const budget = accountants[accountant].budget(limit);
    const dressed = noise === "as chosen" ? rows : rows.map((row) => dressedIn(row, noise, draft, declaration));
    return outcome(dressed, { accountant, noise, budget, draft, declaration });
  };
  const outcomes = [
    run("addition", "laplace"),
    run("optimal", "laplace"),
    run("zcdp", "as chosen"),
    run("gaussian", "gaussian"),
  ];
  return outcomes.sort((a, b) => (a.meanError ?? Number.POSITIVE_INFINITY) - (b.meanError ?? Number.POSITIVE_INFINITY));
}

/** A row with the other kind of noise, its weight and share converted by ρ = ε²/2. */
function withNoise(row: PlanRow, noise: "laplace" | "gaussian"): PlanRow {
  const { noise: _, ...rest } = row.request;
  const request = noise === "laplace" ? rest : { ...rest, noise };
  const base = String(inFamily(baseOf(row), noise).units);
  return withUnits({ ...row, request, base }, inFamily(shareOf(row), noise).units);
}

/** The row itself when its statistic does not have that noise: a choice always pays in ε. */
function dressedIn(row: PlanRow, noise: "laplace" | "gaussian", draft: PlanDraft, declaration: Declaration): PlanRow {
  const dressed = withNoise(row, noise);
  return boundedRow(dressed, draft, declaration) === null ? row : dressed;
}

function outcome(
  rows: readonly PlanRow[],
  {
    accountant,
    noise,
    budget,
    draft,
    declaration,
  }: Pick<AccountantOutcome, "accountant" | "noise"> & {
    readonly budget: Budget;
    readonly draft: PlanDraft;
    readonly declaration: Declaration;
  },
): AccountantOutcome {
  const shares = redistribute(
    rows.map((row) => ({ id: row.id, isFree: true, share: baseOf(row) })),
    [budget],
  );
  const errors = rows.map((row) => {
    const units = shares.get(row.id) ?? 0n;
    return units === 0n ? null : errorAt(row, draft, declaration, units);
  });
  const relative = rows.map((row, index) => {
    const reference = referenceOf(row, draft, declaration);
    const error = errors[index];
    return error === null || error === undefined ? null : error / (reference ?? 1);
  });
  const known = relative.filter((each) => each !== null);
  return {
    accountant,
    noise,
    meanError:
      known.length < rows.length || known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length,
    errors: Object.fromEntries(rows.map((row, index) => [row.id, errors[index] ?? null])),
  };
}
