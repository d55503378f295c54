import type { Release } from "@dosimeter/client";
import { invalid } from "@dosimeter/core";
import type { ReleasedTable } from "@dosimeter/query";

/** Which made-up rows are asked for. */
export interface RowsQuestion {
  readonly table: ReleasedTable;
  readonly rows: number | undefined;
  readonly seed: number | undefined;
}

/** The synthetic table of a release: that of one answer, or its first. */
export function tableOf({ answers, stage }: Release, row: string | undefined): ReleasedTable {
  if (answers === null) return invalid("release", stage, "done: its answers are not there yet");
  const found = answers.find(({ id, table }) => table !== undefined && (row === undefined || id === row));
  if (found?.table === undefined) return invalid("query.row", row, "the id of a synthetic table of this release");
  return found.table as unknown as ReleasedTable;
}
