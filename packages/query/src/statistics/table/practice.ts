import type { Key } from "../../declaration/key.ts";
import type { TableColumn } from "../../plan/task.ts";
import { binAt, numberOf } from "../place.ts";
import { histogramsOf, type MeasuredTable, placeIn } from "./histograms.ts";

/** The counts of every histogram that is measured. */
export function practiceTable(
  task: MeasuredTable,
  rows: readonly Readonly<Record<string, Key | null>>[],
): readonly bigint[] {
  const counts = new Array<bigint>(task.cells).fill(0n);
  const histograms = histogramsOf(task);
  for (const row of rows) {
    const places = task.columns.map((column) => (column.isLevel === true ? 0 : placeOf(column, row[column.name])));
    if (places.some((place) => place < 0)) continue;
    for (const histogram of histograms) {
      const at = (column: number): number => places[column] ?? 0;
      const next = (before: number, cells: number, value: number): number => before * cells + value;
      const cell = histogram.from + placeIn(histogram, task.columns, { at, next });
      counts[cell] = (counts[cell] ?? 0n) + 1n;
    }
  }
  return counts;
}

/** The cell of a value; −1 where the row is left out, because a value misses that cannot. */
function placeOf({ bins, hasMissing, calendar }: TableColumn, stored: Key | null | undefined): number {
  const missing = hasMissing ? bins.length : -1;
  if (stored === null || stored === undefined) return missing;
  const place = binAt(bins, numberOf(stored, calendar));
  return place < 0 ? missing : place;
}
