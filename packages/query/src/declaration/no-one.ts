import type { Column, Declaration } from "./declaration.ts";
import { holds } from "./holds.ts";
import type { Key } from "./key.ts";
import { comparedWith, inPeriods, type Predicate, predicateColumns, predicateText } from "./predicate.ts";
import { spokenColumn } from "./words.ts";

type Table = Pick<Declaration, "columns">;

/** A value that is no category. */
const OTHER = "\0";
/** More values than that are not tried. */
const MAX_COMPARED = 200;

const WORDS = { "=": "is", "<": "is under", "<=": "is at most", ">": "is over", ">=": "is at least" } as const;

/**
 * Says of a filter that no declared value of a column fits it: by the declaration it counts no one. Null where some value may fit; of
 * conditions on several columns only those that are refuted by one of them are found.
 */
export function noOneText(where: Predicate | null, table: Table): string | null {
  if (where === null || comparedWith(where).length > MAX_COMPARED) return null;
  const part = refuted(where, table);
  if (part === null) return null;
  const column = spokenColumn(predicateColumns(part)[0] ?? "", table);
  const fits =
    "value" in part && part.op !== "!="
      ? `${WORDS[part.op]} ${shown(part.value)}`
      : part.op === "between"
        ? `is between ${shown(part.lower)} and ${shown(part.upper)}`
        : `fits “${predicateText(part)}”`;
  return `No declared value of ${column} ${fits}: by the declaration, this counts no one.`;
}

/** The categories of a filter that rows may have another value of, or none; whether it leaves all such rows out, or may count some. */
export function undeclaredInFilter(
  where: Predicate | null,
  { columns }: Table,
): readonly { readonly column: string; readonly isOut: boolean }[] | undefined {
  const parts = where === null ? [] : where.op === "and" ? where.of : [where];
  const isOpen = (name: string): boolean => columns[name]?.type === "category" && columns[name].required !== true;
  const found = [...new Set(predicateColumns(where))].filter(isOpen).map((column) => {
    const own = parts.filter((part) => predicateColumns(part).every((name) => name === column));
    return { column, isOut: [null, OTHER].every((value) => own.some((part) => !holds(part, { [column]: value }))) };
  });
  return found.length === 0 ? undefined : found;
}

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 20 });
const shown = (value: Key): string => (typeof value === "number" ? numbers.format(value) : String(value));

/** A part of a filter that no declared value of one column fits, and without which no row fits the whole. */
function refuted(where: Predicate, table: Table): Predicate | null {
  const names = [...new Set(predicateColumns(where))];
  const [name, another] = names;
  if (name === undefined || (another === undefined && fitsSome(where, name, table))) return null;
  if (where.op === "or" && another !== undefined) {
    const parts = where.of.map((part) => refuted(part, table));
    return parts.includes(null) ? null : (parts[0] ?? null);
  }
  if (where.op !== "and") return another === undefined ? where : null;
  const own = names.map((each) => where.of.filter((part) => predicateColumns(part).every((column) => column === each)));
  const alone = where.of.map((part) => refuted(part, table)).find((part) => part !== null);
  const of = own.find((parts, at) => parts.length > 0 && !fitsSome({ op: "and", of: parts }, names[at] ?? "", table));
  return alone ?? (of === undefined ? null : { op: "and", of });
}

/** Whether a declared value, or none, fits: a comparison changes at what it compares with alone. */
function fitsSome(where: Predicate, name: string, table: Table): boolean {
  const column = table.columns[name];
  if (column === undefined) return true;
  const compared = inPeriods(where, table);
  const values = valuesToTry(column, comparedWith(compared));
  const all = column.required === true ? values : values?.concat(null);
  return all == null || all.some((value) => holds(compared, { [name]: value }));
}

/** Null where any may be one. */
function valuesToTry(
  { type, categories, required, lower = Number.NEGATIVE_INFINITY, upper = Number.POSITIVE_INFINITY }: Column,
  compared: readonly Key[],
): (Key | null)[] | null {
  if (type === "boolean") return [true, false];
  // Where a row needs none of the declared values, it may have another one.
  if (type === "category") return categories === undefined ? null : [...categories, ...(required ? [] : [OTHER])];
  if (type === "text") return null;
  const edges = [lower, upper, ...compared]
    .filter((value) => typeof value === "number")
    .filter((value) => Number.isFinite(value))
    .sort((a, b) => a - b);
  const between = type === "number" ? edges.map((edge, at) => (edge + (edges[at + 1] ?? edge)) / 2) : [];
  const beside = edges.flatMap((edge) => [edge - 1, edge, edge + 1]);
  return [...between, ...beside].filter((value) => lower <= value && value <= upper);
}
