import { present } from "@dosimeter/core/internal";
import type { Declaration } from "@dosimeter/query/declaration";
import type { DecimalInput } from "@dosimeter/query/plan";
import type { StatisticRequest } from "@dosimeter/query/statistics";
import { familyOf, givenUnits, type PlanDraft, type PlanRow, type RowMode, shareOf, withUnits } from "./draft.ts";
import { boundedRow } from "./price.ts";
import { inFamily, linear, UNITS } from "./shares.ts";

/** A row from a file or a person: its request, and its share or null for a new row. */
export interface GivenRow {
  readonly id: string;
  readonly request: Partial<StatisticRequest>;
  readonly epsilon?: DecimalInput | undefined;
  readonly rho?: DecimalInput | undefined;
  readonly mode?: RowMode | undefined;
  readonly accuracy?: number | undefined;
  readonly target?: number | undefined;
  readonly weight?: number | undefined;
}

/** Rows with their shares as weights; a row without a share gets the average weight of the others. */
export function openRows(
  given: readonly GivenRow[],
  draft: Pick<PlanDraft, "confidence" | "let" | "join" | "window">,
  declaration: Declaration | null,
): readonly PlanRow[] {
  const rows = given.map((row, index): PlanRow => {
    const { id, request, mode = "free", accuracy, target, weight } = row;
    const plain: PlanRow = {
      id,
      request,
      mode,
      epsilon: "0",
      isComplete: declaration === null || boundedRow({ id, request }, draft, declaration) !== null,
      base: "0",
      ...(mode === "error" && accuracy !== undefined ? { accuracy } : {}),
      ...(mode === "soft" ? { typedAt: index - given.length } : {}),
      ...present({ target, weight }),
    };
    const noiseAmount = familyOf(plain) === "gaussian" ? "rho" : "epsilon";
    const amount = row[noiseAmount];
    return amount === undefined ? plain : withUnits(plain, givenUnits(amount, noiseAmount));
  });
  const weights = rows.filter(({ mode }) => mode === "free").map((row) => linear(shareOf(row)));
  const known = weights.filter((weight) => weight > 0n);
  const average = known.length === 0 ? UNITS : known.reduce((a, b) => a + b, 0n) / BigInt(known.length);
  return rows.map((row) => {
    const share = shareOf(row);
    const base = share.units > 0n ? share.units : inFamily({ noise: "laplace", units: average }, share.noise).units;
    return { ...row, base: String(base) };
  });
}
