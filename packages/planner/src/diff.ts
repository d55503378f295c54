import type { Declaration } from "@dosimeter/query/declaration";
import { familyOf, type PlanDraft, type PlanRow, shareOf } from "./draft.ts";
import { errorAt } from "./price.ts";

/** One row of two plans, side by side; null where a plan does not have it. */
export interface RowChange {
  readonly id: string;
  readonly kind: "added" | "removed" | "changed" | "same";
  readonly before: PlanRow | null;
  readonly after: PlanRow | null;
  readonly errors: readonly [number | null, number | null];
  /** Fields of the request that differ. */
  readonly fields: readonly string[];
}

export function comparePlans(before: PlanDraft, after: PlanDraft, declaration: Declaration): readonly RowChange[] {
  const ids = [...new Set([...before.rows, ...after.rows].map(({ id }) => id))];
  return ids.map((id): RowChange => {
    const old = before.rows.find((row) => row.id === id) ?? null;
    const next = after.rows.find((row) => row.id === id) ?? null;
    const errors = [
      old === null ? null : errorAt(old, before, declaration),
      next === null ? null : errorAt(next, after, declaration),
    ] as const;
    if (old === null || next === null)
      return { id, kind: old === null ? "added" : "removed", before: old, after: next, errors, fields: [] };
    const keys = [...new Set([...Object.keys(old.request), ...Object.keys(next.request)])];
    const fields = keys.filter((key) => JSON.stringify(fieldOf(old, key)) !== JSON.stringify(fieldOf(next, key)));
    const isSame =
      fields.length === 0 &&
      familyOf(old) === familyOf(next) &&
      shareOf(old).units === shareOf(next).units &&
      old.mode === next.mode &&
      old.target === next.target;
    return { id, kind: isSame ? "same" : "changed", before: old, after: next, errors, fields };
  });
}

const fieldOf = ({ request }: PlanRow, key: string): unknown => (request as Readonly<Record<string, unknown>>)[key];
