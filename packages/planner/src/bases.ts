import { integerSqrt } from "@dosimeter/core";
import type { Declaration } from "@dosimeter/query/declaration";
import { familyOf, type PlanDraft, type PlanRow } from "./draft.ts";
import { unitsFor } from "./price.ts";
import { isFree } from "./rows.ts";
import { inFamily, linear, UNITS } from "./shares.ts";

/**
 * Computes new weights of the free rows, unless the allocation keeps them. A row without the field that the allocation
 * needs keeps its weight.
 */
export function rebased(draft: PlanDraft, declaration: Declaration | null): PlanDraft {
  if (draft.allocate === "ratio") return draft;
  const rows = draft.rows.map((row) => (isFree(row) ? { ...row, base: newBase(row, draft, declaration) } : row));
  return { ...draft, rows };
}

function newBase(row: PlanRow, draft: PlanDraft, declaration: Declaration | null): string {
  const inOwn = (units: bigint): string =>
    String(inFamily({ noise: "laplace", units: units > 0n ? units : 1n }, familyOf(row)).units);
  const weight = BigInt(Math.round((row.weight ?? 1) * 1e6));
  switch (draft.allocate) {
    case "ratio":
      return row.base;
    case "even":
      return inOwn(UNITS);
    case "weights":
      return inOwn((UNITS * weight) / 1_000_000n);
    case "targets":
    case "total": {
      if (row.target === undefined || declaration === null) return row.base;
      const need = linear({
        noise: familyOf(row),
        units: unitsFor(row, row.target, draft, declaration),
      });
      // Least Σ (weight/target)·error: ε ∝ √need, and σ ∝ 1/√ρ makes √(2ρ) ∝ ∛need.
      if (draft.allocate === "targets") return inOwn(need);
      if (familyOf(row) === "laplace") return inOwn(integerSqrt((need * UNITS * weight) / 1_000_000n));
      return inOwn(BigInt(Math.round(Math.cbrt((Number(need) / 1e12) * (Number(weight) / 1e6)) * 1e12)));
    }
    default:
      return draft.allocate satisfies never;
  }
}
