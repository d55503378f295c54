import type { Key } from "../../declaration/key.ts";
import type { TableColumn, TableTask } from "../../plan/task.ts";
import { binAt, numberOf } from "../place.ts";
import { histogramsOf } from "./histograms.ts";

/** The counts of every column and candidate pair. */
export function practiceTable(
  task: TableTask,
  rows: readonly Readonly<Record<string, Key | null>>[],
): readonly bigint[] {
  const counts = new Array<bigint>(task.cells).fill(0n);
  const histograms = histogramsOf(task);
  for (const row of rows) {
    const places = task.columns.map((column) => placeOf(column, row[column.name]));
    if (places.some((place) => place < 0)) continue;
    for (const {
      columns: [a, b],
      from,
    } of histograms) {
      const first = places[a] ?? 0;
      const cell = from + (b === undefined ? first : first * (task.columns[b]?.cells ?? 0) + (places[b] ?? 0));
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
