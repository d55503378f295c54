import { PrivacyError } from "@dosimeter/core";
import { wanted } from "../declaration/check.ts";
import type { Column, Declaration } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";
import { declaredColumn } from "../declaration/predicate.ts";
import type { GroupKey } from "./bounded.ts";

const MOST_KEYS = 10_000;
const MOST_GROUPS = 100_000;

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
