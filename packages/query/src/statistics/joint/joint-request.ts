import { PrivacyError } from "@dosimeter/core";
import { list, own, text, wanted } from "../../declaration/check.ts";
import { boundsPair } from "../../declaration/check-declaration.ts";
import type { Column, Declaration } from "../../declaration/declaration.ts";
import { declaredColumn } from "../../declaration/predicate.ts";
import type { NoiseFamily } from "../../plan/bounded.ts";
import type { Axis, Design } from "../../plan/task.ts";
import { ticksOf } from "../../plan/ticks.ts";
import { designOf } from "./design.ts";

type Fields = Readonly<Record<string, unknown>>;
const MOST_VALUES_PER_UNIT = 2 ** 20;

/** Names of the columns measured beside the first; `most` is undefined where there are none. */
export function othersOf(given: Fields, most: number | undefined, path: string): readonly string[] {
  const asked = own(given, "with");
  if (most === undefined) {
    if (asked !== undefined) wanted(`${path}.with`, asked, "absent: only statistics of several columns have it");
    return [];
  }
  const names = typeof asked === "string" ? [asked] : asked === undefined ? [] : list(asked, `${path}.with`);
  const want = most === 1 ? "the name of the other column" : `the names of 1 to ${most} other columns`;
  if (names.length === 0 || names.length > most) return wanted(`${path}.with`, asked, want);
  return names.map((name, index) => text(name, `${path}.with[${index}]`, 200));
}

/** The grids of all columns: their own steps where those are few enough. */
export function designFor(
  given: Fields,
  names: readonly string[],
  {
    declaration,
    bounds,
    family,
  }: {
    readonly declaration: Declaration;
    readonly bounds: { readonly lower: number; readonly upper: number } | null;
    readonly family: NoiseFamily;
  },
  path: string,
): Design {
  const columns: Omit<Axis, "steps">[] = [];
  const steps: bigint[] = [];
  names.forEach((name, index) => {
    const at = index === 0 ? path : `${path}.with[${index - 1}]`;
    if (names.indexOf(name) !== index) wanted(at, name, "named once");
    const column = declaredColumn(name, declaration, index === 0 ? `${path}.column` : at);
    const range = rangeOf(column, index === 0 ? bounds : null, index === 0 ? `${path}.column` : at, name);
    columns.push({ column: name, ...range });
    const granularity =
      (index === 0 ? (own(given, "granularity") as number | undefined) : undefined) ?? column.granularity;
    steps.push(
      column.type === "boolean" ? 1n : ticksOf({ ...range, granularity, integer: column.type === "integer" }, at).steps,
    );
  });
  return designOf(columns, steps, family);
}

function rangeOf(
  column: Column,
  bounds: { readonly lower: number; readonly upper: number } | null,
  path: string,
  name: string,
): { readonly lower: number; readonly upper: number } {
  if (column.type === "boolean") return { lower: 0, upper: 1 };
  if (column.type !== "integer" && column.type !== "number")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: path,
      got: name,
      want: `an integer, number or boolean column; it is ${column.type}`,
    });
  if (bounds !== null) return bounds;
  if (column.lower === undefined || column.upper === undefined)
    return wanted(path, name, "a column with declared bounds: they are never read from the data");
  return boundsPair(column.lower, column.upper, path, column.type === "integer");
}

/** ℓ of a number of distinct values; null for every other statistic. */
export function valuesPerUnitOf(given: Fields, distinct: boolean, path: string): number | null {
  const asked = own(given, "valuesPerUnit");
  if (!distinct) {
    if (asked !== undefined) wanted(`${path}.valuesPerUnit`, asked, "absent: only a number of distinct values has it");
    return null;
  }
  if (asked === undefined) return 1;
  if (typeof asked !== "number" || !Number.isSafeInteger(asked) || asked < 1 || asked > MOST_VALUES_PER_UNIT)
    return wanted(`${path}.valuesPerUnit`, asked, `a whole number from 1 to ${MOST_VALUES_PER_UNIT}`);
  return asked;
}
