import { invalid } from "@dosimeter/core";
import { type Fields, own, text } from "../input/check.ts";
import { NUMBERS_WANTED, readNumberSpelling } from "../input/number-spelling.ts";
import { isConnected } from "../source/kinds.ts";
import type { Column, ColumnType, Declaration } from "./declaration.ts";

/** Words of true and false, in lower case. */
export interface BooleanSpelling {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** Reads `oui/non`, `ja,j/nein,n`; null for any other text. */
export function readBooleanSpelling(pattern: string): BooleanSpelling | null {
  const [yes, no, ...more] = pattern
    .toLowerCase()
    .split("/")
    .map((side) => side.split(",").map((word) => word.trim().normalize("NFC")));
  if (yes === undefined || no === undefined || more.length > 0) return null;
  const all = [...yes, ...no];
  return all.includes("") || new Set(all).size < all.length ? null : { yes, no };
}

const isNumeric = (type: ColumnType, categories: Column["categories"]): boolean =>
  type === "integer" || type === "number" || typeof categories?.[0] === "number";

/** The pattern of a column of numbers or truth values; dates have their own check. */
export function checkSpelling(given: Fields, path: string, { type, categories }: Pick<Column, "type" | "categories">) {
  const json = own(given, "pattern");
  if (json === undefined || type === "date") return {};
  const at = `${path}.pattern`;
  const pattern = text(json, at, 40);
  if (type === "boolean")
    return readBooleanSpelling(pattern) === null
      ? invalid(at, pattern, "words of true and of false, such as yes/no or oui,o/non,n")
      : { pattern };
  if (!isNumeric(type, categories)) return invalid(at, pattern, `absent: the column is ${type}`);
  return readNumberSpelling(pattern) === null ? invalid(at, pattern, NUMBERS_WANTED) : { pattern };
}

/** The columns of numbers as a file writes its numbers, unless they say it themselves. */
export function spelled(columns: Declaration["columns"], numbers: string | undefined): Declaration["columns"] {
  if (numbers === undefined) return columns;
  const entries = Object.entries(columns).map(([name, column]) =>
    isNumeric(column.type, column.categories) ? [name, { pattern: numbers, ...column }] : [name, column],
  );
  return Object.assign(Object.create(null), Object.fromEntries(entries));
}

/** Only files are read by such patterns: a database has casts of its own. */
export function refuseSpelled({ source, columns }: Pick<Declaration, "source" | "columns">): void {
  if (!isConnected({ ...source })) return;
  for (const [name, { type, pattern }] of Object.entries(columns))
    if (pattern !== undefined && (type !== "date" || /MMM|Q|WW/.test(pattern)))
      invalid(
        `columns.${name}.pattern`,
        pattern,
        `absent: only files are read so. Make a view that casts ${name}, and declare that`,
      );
}
