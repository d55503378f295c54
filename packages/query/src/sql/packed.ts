import type { Packed } from "../dialect/packed.ts";
import type { Task } from "../plan/task.ts";
import { packedSeries } from "../statistics/series/series-sql.ts";

/** How the rows of each kind of task pack two numbers into one; null where they have one at most, or pack the columns of a design. */
const packings: { readonly [K in Task["kind"]]: ((task: Extract<Task, { readonly kind: K }>) => Packed) | null } = {
  counts: null,
  clips: null,
  cuts: null,
  values: null,
  sums: null,
  totals: null,
  choice: null,
  curve: null,
  series: packedSeries,
  top: null,
  joint: null,
  table: null,
};

export const packedOf = (task: Task): Packed | null =>
  (packings[task.kind] as ((task: Task) => Packed) | null)?.(task) ?? null;
