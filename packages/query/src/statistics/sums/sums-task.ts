import type { SumsTask } from "../../plan/task.ts";
import { gridOfRow } from "../grid.ts";
import type { CheckedRow } from "../statistic.ts";

/** The statistics that are made of the same sums. */
export const SUMS = { from: ["sum", "mean", "variance", "standardDeviation"], sameColumn: true } as const;

/** The task of sums over rows, with their public number when there is one. */
export function sumsTask(row: CheckedRow): SumsTask {
  const { declaration, unit, where, groupBy, column } = row;
  const { adjacency, size } = declaration;
  const isPublic =
    adjacency === "replace" && unit === "row" && where === null && groupBy.length === 0 && column?.required === true;
  return {
    kind: "sums",
    ...gridOfRow(row),
    ...(isPublic && size !== undefined && "public" in size ? { publicRows: size.public } : {}),
  };
}
