import type { Column, Declaration } from "./declaration.ts";
import { holds } from "./holds.ts";
import { comparedWith, inPeriods, type Predicate, predicateColumns } from "./predicate.ts";

type Table = Pick<Declaration, "columns">;

/** A plan of many rows is bound with each edit of it. */
const SAMPLES = 200;
const MIN_PART = 0.001;

/**
 * The part of all rows that fits a filter if every column held its declared values evenly, and no column depended on another. With `groupBy` that of
 * the rows of a group which the filter leaves: what it says of these columns leaves out other groups.
 */
export function evenPart(where: Predicate | null, table: Table, groupBy: readonly string[] = []): number {
  if (where === null) return 1;
  const all = inPeriods(where, table);
  const parts = all.op === "and" ? all.of : [all];
  const of = parts.filter((part) => predicateColumns(part).some((name) => !groupBy.includes(name)));
  return of.length === 0 ? 1 : Math.max(MIN_PART, partOf({ op: "and", of }, table));
}

function partOf(where: Predicate, table: Table): number {
  const [name, another] = new Set(predicateColumns(where));
  if (name === undefined) return 1;
  if (another === undefined) {
    const column = table.columns[name];
    if (column?.categories !== undefined) return partIn(where, name, column.categories.length);
    const values = valuesOf(column);
    return values === null ? 1 : values.filter((value) => holds(where, { [name]: value })).length / values.length;
  }
  if (where.op === "not") return 1 - partOf(where.of, table);
  if (where.op !== "and" && where.op !== "or") return 1;
  // Conditions on one column are judged together: age over 20 and under 30.
  const byColumns = Map.groupBy(where.of, (part) => [...new Set(predicateColumns(part))].sort().join("\0"));
  const parts = [...byColumns.values()].map((of) => {
    const [first, second] = of;
    return first !== undefined && (second === undefined || new Set(of.flatMap(predicateColumns)).size > 1)
      ? of.map((part) => partOf(part, table))
      : [partOf({ op: where.op, of } as Predicate, table)];
  });
  const product = (all: readonly number[]): number => all.reduce((a, b) => a * b, 1);
  return where.op === "and" ? product(parts.flat()) : 1 - product(parts.flat().map((part) => 1 - part));
}

/** Of categories a filter is true of each that it compares with, or not, and of all others alike. */
function partIn(where: Predicate, name: string, categories: number): number {
  const compared = [...new Set(comparedWith(where, name))];
  const others = holds(where, { [name]: Number.NaN }) ? categories - compared.length : 0;
  return (others + compared.filter((value) => holds(where, { [name]: value })).length) / categories;
}

/** Its declared values, or points evenly between its bounds; null where it has neither. */
function valuesOf(column: Column | undefined): readonly (number | boolean)[] | null {
  if (column === undefined) return null;
  const { type, lower, upper } = column;
  if (type === "boolean") return [true, false];
  if (lower === undefined || upper === undefined) return null;
  const isWhole = type !== "number";
  const count = isWhole ? Math.min(SAMPLES, upper - lower + 1) : SAMPLES;
  const at = (index: number): number => lower + ((index + 0.5) * (upper - lower + (isWhole ? 1 : 0))) / count;
  return Array.from({ length: count }, (_, index) => (isWhole ? Math.floor(at(index)) : at(index)));
}
