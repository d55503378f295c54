import { invalid } from "@dosimeter/core";
import type { Column } from "../../declaration/declaration.ts";
import { keysOf } from "../../plan/groups.ts";
import type { Bin, Range } from "../../plan/task.ts";
import { dateBins } from "./date-bins.ts";
import { edgesOf } from "./edges.ts";

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 12 });

/**
 * The bins of a histogram. Numbers lie in [lower, upper), the last bin also takes its upper end; integers in
 * lower … upper; values outside the outer edges are counted in the nearest bin; categories and booleans are their own bins.
 */
export function histogramBins(column: Column, bins: unknown, bounds: Range | null, path: string): readonly Bin[] {
  if (column.type === "boolean" || column.type === "category") {
    if (bins !== undefined)
      invalid(`${path}.bins`, bins, `absent: the bins are the declared values of a ${column.type} column`);
    return keysOf(column, `${path}.column`).map((value) => ({ label: String(value), value }));
  }
  if (column.type === "date") return dateBins(column, bins, bounds, path);
  const integer = column.type === "integer";
  const edges = edgesOf(bins, bounds, integer, path);
  const last = edges.length - 2;
  return edges.slice(0, -1).map((lower, index) => {
    const next = edges[index + 1] ?? lower;
    if (!integer)
      return {
        label: `[${whole.format(lower)}, ${whole.format(next)}${index === last ? "]" : ")"}`,
        lower,
        upper: next,
      };
    const upper = index === last ? next : next - 1;
    return {
      label: lower === upper ? whole.format(lower) : `${whole.format(lower)}–${whole.format(upper)}`,
      lower,
      upper,
    };
  });
}
