import { PrivacyError } from "@dosimeter/core";
import { wanted } from "../declaration/check.ts";
import type { Column, Declaration } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";
import { declaredColumn } from "../declaration/predicate.ts";
import type { Bin, GroupKey } from "./bounded.ts";

const MOST_KEYS = 10_000;
const MOST_GROUPS = 100_000;
const MOST_BINS = 10_000;
/** Integers one statistic may release: every cell is noised, drawn and stored. */
export const MOST_CELLS = 200_000;

/** The declared values of a grouping column, in their order. */
export function keysOf(column: Column, path: string): readonly Key[] {
  if (column.type === "boolean") return [false, true];
  if (column.type === "category") return column.categories ?? [];
  if (column.type !== "integer")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: path,
      got: column.type,
      want: "a boolean, category or integer column: its groups must be declared, never read from the data",
    });
  if (column.lower === undefined || column.upper === undefined)
    return wanted(path, undefined, "a column with declared bounds");
  const count = column.upper - column.lower + 1;
  if (count > MOST_KEYS) return wanted(path, count, `at most ${MOST_KEYS} values between the declared bounds`);
  const { lower } = column;
  return Array.from({ length: count }, (_, index) => lower + index);
}

/** Whether the values of a column are declared, and few enough to be groups. */
export const hasKeys = (column: Column | undefined): boolean =>
  column?.type === "boolean" ||
  column?.type === "category" ||
  (column?.type === "integer" &&
    column.lower !== undefined &&
    column.upper !== undefined &&
    column.upper - column.lower < MOST_KEYS);

/** Every combination of declared values, the last column running fastest; one empty group when nothing is grouped. */
export function groupsOf(groupBy: readonly string[], declaration: Declaration, path: string): readonly GroupKey[] {
  let groups: readonly GroupKey[] = [{}];
  groupBy.forEach((name, index) => {
    const at = `${path}[${index}]`;
    const keys = keysOf(declaredColumn(name, declaration, at), at);
    if (groupBy.indexOf(name) !== index) wanted(at, name, "named once");
    if (groups.length * keys.length > MOST_GROUPS) wanted(at, name, `at most ${MOST_GROUPS} groups in all`);
    groups = groups.flatMap((group) => keys.map((key) => ({ ...group, [name]: key })));
  });
  return groups;
}

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 12 });

/**
 * The bins of a histogram. Numbers lie in [lower, upper), the last bin also takes its upper end; integers in
 * lower … upper; values outside the outer edges are counted in the nearest bin; categories and booleans are their own bins.
 */
export function binsOf(
  column: Column,
  bins: unknown,
  bounds: { readonly lower: number; readonly upper: number } | null,
  path: string,
): readonly Bin[] {
  if (column.type === "boolean" || column.type === "category") {
    if (bins !== undefined)
      wanted(`${path}.bins`, bins, `absent: the bins are the declared values of a ${column.type} column`);
    return keysOf(column, `${path}.column`).map((value) => ({ label: String(value), value }));
  }
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

function edgesOf(
  bins: unknown,
  bounds: { readonly lower: number; readonly upper: number } | null,
  integer: boolean,
  path: string,
): readonly number[] {
  if (Array.isArray(bins)) return explicitEdges(bins, integer, path);
  if (bounds === null)
    return wanted(`${path}.lower`, undefined, "given, or declared for the column, or bins as a list of edges");
  const { lower, upper } = bounds;
  const values = upper - lower + 1;
  const count = bins === undefined && integer ? values : bins;
  if (count === undefined) return wanted(`${path}.bins`, undefined, "a number of bins or a list of edges");
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 1 || count > MOST_BINS)
    return wanted(`${path}.bins`, count, `a whole number from 1 to ${MOST_BINS}, or a list of edges`);
  if (integer) {
    if (count > values) return wanted(`${path}.bins`, count, `at most ${values}: the column has no more values`);
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
    return wanted(`${path}.bins`, count, "fewer: neighbouring edges are the same number");
  return edges;
}

function explicitEdges(bins: readonly unknown[], integer: boolean, path: string): readonly number[] {
  if (bins.length < 2 || bins.length > MOST_BINS + 1)
    return wanted(`${path}.bins`, bins.length, `2 to ${MOST_BINS + 1} edges`);
  return bins.map((edge, index) => {
    const at = `${path}.bins[${index}]`;
    if (typeof edge !== "number" || (integer ? !Number.isSafeInteger(edge) : !Number.isFinite(edge)))
      return wanted(at, edge, integer ? "a whole number" : "a finite number");
    const before = bins[index - 1];
    // The last whole number twice: a bin of its own, as the bins of a count have it.
    if (integer && index === bins.length - 1 && index > 1 && edge === before) return edge;
    if (typeof before === "number" && edge <= before) return wanted(at, edge, `> the edge before it (${before})`);
    return edge + 0;
  });
}
