import { type DeltaAmount, formatDelta } from "@dosimeter/core";
import type { Dataset } from "@dosimeter/ledger";
import type { Declaration } from "@dosimeter/query/declaration";
import { deltaWarning } from "@dosimeter/query/quote";
import { declaredRows } from "@dosimeter/query/statistics";

/** Warnings about a lifetime δ for these declared datasets; none of them refuses it. */
export function deltaWarnings(delta: DeltaAmount, datasets: readonly Dataset[]): string[] {
  return datasets.flatMap(({ name, declaration }) => {
    const rows = declaredRows(declaration as Pick<Declaration, "size">);
    const warning = rows === null ? undefined : deltaWarning(Number(formatDelta(delta)), rows);
    return warning === undefined ? [] : [`${name}: ${warning}`];
  });
}
