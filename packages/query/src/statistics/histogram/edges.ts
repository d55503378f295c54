import { invalid } from "@dosimeter/core";
import type { Range } from "../../plan/task.ts";

export const MAX_BINS = 10_000;

/** The edges of bins of numbers: as asked for, or of a number of equal ones. */
export function edgesOf(
  bins: unknown,
  bounds: Range | null,
  integer: boolean,
  path: string,
  want = `a whole number from 1 to ${MAX_BINS}, or a list of edges`,
): readonly number[] {
  if (Array.isArray(bins)) return explicitEdges(bins, integer, path);
  if (bounds === null)
    return invalid(`${path}.lower`, undefined, "given, or declared for the column, or bins as a list of edges");
  const { lower, upper } = bounds;
  const values = upper - lower + 1;
  const count = bins === undefined && integer ? values : bins;
  if (count === undefined) return invalid(`${path}.bins`, undefined, "a number of bins or a list of edges");
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 1 || count > MAX_BINS)
    return invalid(`${path}.bins`, count, want);
  if (integer) {
    if (count > values) return invalid(`${path}.bins`, count, `at most ${values}: the column has no more values`);
    const starts = Array.from(
      { length: count },
      (_, index) => lower + Number((BigInt(index) * BigInt(values)) / BigInt(count)),
    );
    return [...starts, upper];
  }
  const edges = Array.from({ length: count + 1 }, (_, index) =>
    index === count ? upper : Number((lower + ((upper - lower) * index) / count).toPrecision(15)),
  );
  if (edges.some((edge, index) => index > 0 && edge <= (edges[index - 1] ?? edge)))
    return invalid(`${path}.bins`, count, "fewer: neighbouring edges are the same number");
  return edges;
}

/** Edges in rising order, as they are given. */
export function explicitEdges(bins: readonly unknown[], integer: boolean, path: string): readonly number[] {
  if (bins.length < 2 || bins.length > MAX_BINS + 1)
    return invalid(`${path}.bins`, bins.length, `2 to ${MAX_BINS + 1} edges`);
  return bins.map((edge, index) => {
    const at = `${path}.bins[${index}]`;
    if (typeof edge !== "number" || (integer ? !Number.isSafeInteger(edge) : !Number.isFinite(edge)))
      return invalid(at, edge, integer ? "a whole number" : "a finite number");
    const before = bins[index - 1];
    // The last whole number twice makes a bin of that number alone, as in the bins of a count.
    if (integer && index === bins.length - 1 && index > 1 && edge === before) return edge;
    if (typeof before === "number" && edge <= before) return invalid(at, edge, `> the edge before it (${before})`);
    return edge + 0;
  });
}
