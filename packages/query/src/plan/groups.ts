import { formatPeriod, invalid, PrivacyError } from "@dosimeter/core";
import { unitOfDates } from "../declaration/dates.ts";
import type { Column, Declaration } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";
import { declaredColumn } from "../declaration/predicate.ts";
import type { GroupKey } from "./bounded.ts";

const MAX_KEYS = 10_000;
const MAX_GROUPS = 100_000;

/** Whether an engine counts its values in whole numbers: integers, and dates by their periods. */
export const isWhole = ({ type }: Pick<Column, "type">): boolean => type === "integer" || type === "date";

/** The declared values of a grouping column, in their order. */
export function keysOf(column: Column, path: string): readonly Key[] {
  if (column.type === "boolean") return [false, true];
  if (column.type === "category") return column.categories ?? [];
  if (!isWhole(column))
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: path,
      got: column.type,
      want: "a boolean, category, integer or date column: its groups must be declared, never read from the data",
    });
  if (column.lower === undefined || column.upper === undefined)
    return invalid(path, undefined, "a column with declared bounds");
  const count = column.upper - column.lower + 1;
  if (count > MAX_KEYS) return invalid(path, count, `at most ${MAX_KEYS} values between the declared bounds`);
  const { lower } = column;
  const numbers = Array.from({ length: count }, (_, index) => lower + index);
  return column.type === "date" ? numbers.map((period) => formatPeriod(period, unitOfDates(column))) : numbers;
}

/** Whether the values of a column are declared, and few enough to be groups. */
export const hasKeys = (column: Column | undefined): boolean =>
  column?.type === "boolean" ||
  column?.type === "category" ||
  (column !== undefined &&
    isWhole(column) &&
    column.lower !== undefined &&
    column.upper !== undefined &&
    column.upper - column.lower < MAX_KEYS);

/** Rows of one plan that are grouped alike share their groups: they are kept as long as the plan's declaration is. */
const known = new WeakMap<Declaration, Map<string, readonly GroupKey[]>>();

/** Every combination of declared values, the last column running fastest; one empty group when nothing is grouped. */
export function groupsOf(groupBy: readonly string[], declaration: Declaration, path: string): readonly GroupKey[] {
  const kept = known.get(declaration) ?? new Map<string, readonly GroupKey[]>();
  known.set(declaration, kept);
  const name = JSON.stringify(groupBy);
  const groups = kept.get(name) ?? everyGroup(groupBy, declaration, path);
  kept.set(name, groups);
  return groups;
}

function everyGroup(groupBy: readonly string[], declaration: Declaration, path: string): readonly GroupKey[] {
  let groups: readonly GroupKey[] = [{}];
  groupBy.forEach((name, index) => {
    const at = `${path}[${index}]`;
    const keys = keysOf(declaredColumn(name, declaration, at), at);
    if (groupBy.indexOf(name) !== index) invalid(at, name, "named once");
    if (groups.length * keys.length > MAX_GROUPS) invalid(at, name, `at most ${MAX_GROUPS} groups in all`);
    groups = groups.flatMap((group) => keys.map((key) => ({ ...group, [name]: key })));
  });
  return groups;
}
