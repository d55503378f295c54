import { formatDecimal } from "@dosimeter/plot";
import type { Column, Declaration, Statistic } from "@dosimeter/query";

/** Which columns a statistic reads: the `column` of its row in the table. */
export type Reads = Statistic["column"];

/** The columns a statistic can read: bounded numbers, values that are declared, or any; never the privacy unit. */
export function columnsFor(reads: Reads, declaration: Declaration): readonly string[] {
  if (reads === "none") return [];
  const unit = declaration.privacyUnit === "row" ? undefined : declaration.privacyUnit.column;
  const accepts = ({ type }: Column): boolean => {
    if (type === "integer" || type === "number") return true;
    return reads === "any" || reads === "key" || reads === "present" || (reads === "binned" && type !== "text");
  };
  return Object.entries(declaration.columns)
    .filter(([name, column]) => name !== unit && accepts(column))
    .map(([name]) => name);
}

const MAX_GROUP_KEYS = 200;

/** Groups must be declared values, and few enough to read. */
export const isGroupable = ({ type, lower, upper }: Column): boolean =>
  type === "boolean" ||
  type === "category" ||
  (type === "integer" && lower !== undefined && upper !== undefined && upper - lower < MAX_GROUP_KEYS);

/** Suggested first statistics of a table, from its declaration alone. */
export function suggestions(
  declaration: Declaration,
): readonly { readonly label: string; readonly statistic: string; readonly column: string }[] {
  const named = (reads: "numeric" | "binned", accept: (column: Column) => boolean) =>
    columnsFor(reads, declaration).filter((name) => {
      const column = declaration.columns[name];
      return column !== undefined && accept(column);
    });
  const numbers = named("numeric", (column) => column.lower !== undefined);
  const categories = named("binned", (column) => column.type === "category" || column.type === "boolean");
  return [
    { label: "Count", statistic: "count", column: "" },
    ...numbers.slice(0, 2).map((column) => ({ label: `Mean of ${column}`, statistic: "mean", column })),
    ...categories.slice(0, 2).map((column) => ({ label: `Histogram of ${column}`, statistic: "histogram", column })),
  ];
}

/** The declared number of rows. */
export function sizeText({ size }: Declaration): string {
  if (size === undefined) return "not declared";
  const shown = (rows: number): string => formatDecimal(String(rows));
  return "public" in size ? `${shown(size.public)}, public` : `${shown(size.assumed)}, declared`;
}
