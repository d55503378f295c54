import { invalid } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { requestOfTexts } from "@dosimeter/planner";
import { type Column, type ColumnType, checkDeclaration, declarationJson } from "@dosimeter/query/declaration";
import { numberOf } from "../parts/number-text.ts";
import { columnWords, MAX_LISTED } from "./columns.ts";
import { edited, tableOf, type Workbench } from "./workbench.ts";

export const columnTypes = [
  "integer",
  "number",
  "date",
  "category",
  "boolean",
  "text",
] as const satisfies readonly ColumnType[];

/**
 * The plan with another type of a variable. Every row keeps what was typed in it: a row that no longer fits waits, and is
 * back when the type is. Throws `PrivacyError` where the values of the new type are not known, or a derived column would break.
 */
export function withType(bench: Workbench, name: string, type: ColumnType, values?: Column["categories"]): Workbench {
  const { declaration, declared, draft, settings } = bench;
  const was = declaration.columns[name];
  if (was === undefined)
    return invalid(
      "variable",
      "computed by the plan",
      "a declared one: the type of a derived column follows its formula",
    );
  const column = values === undefined ? retyped(was, type, declared.columns[name]) : categorical(was, values);
  const next = {
    ...bench,
    declaration: checkDeclaration(
      declarationJson({ ...declaration, columns: { ...declaration.columns, [name]: column } }),
    ),
  };
  const table = tableOf(next);
  const rows = draft.rows.map((row) => ({ ...row, request: requestOfTexts(settings[row.id] ?? {}, table) }));
  const priced = edited({ ...next, draft: { ...draft, rows } }, { kind: "let", let: draft.let ?? {} });
  return { ...priced, retyping: { name, was, clock: priced.draft.clock } };
}

/** What the new type can keep of a column: bounds become a list of values and back. As it was declared, it is whole again. */
function retyped(was: Column, type: ColumnType, declared: Column | undefined): Column {
  if (declared?.type === type) return declared;
  const { lower, upper, granularity, categories, calendar, zone: _____, ...more } = was;
  const { scale: ____, pattern: _, pivot: __, missing: ___, ...others } = more;
  const numbers = (categories ?? []).filter((value) => typeof value === "number");
  const range =
    was.type === "boolean"
      ? { lower: 0, upper: 1 }
      : was.type === "category"
        ? numbers.length < 2
          ? {}
          : { lower: Math.min(...numbers), upper: Math.max(...numbers) }
        : lower === undefined || upper === undefined || calendar !== undefined
          ? {}
          : { lower, upper };
  if (type === "number") return { ...others, ...range, ...present({ granularity }), type };
  if (type === "integer")
    return range.lower === undefined
      ? { ...others, type }
      : { ...others, lower: Math.floor(range.lower), upper: Math.ceil(range.upper), type };
  return type === "category" ? categorical(was, valuesOf(was)) : { ...others, type };
}

const categorical = (
  {
    lower: _,
    upper: __,
    granularity: ___,
    calendar: ____,
    zone: _________,
    scale: ________,
    pattern: _____,
    pivot: ______,
    missing: _______,
    ...others
  }: Column,
  values: Column["categories"],
) => ({ ...others, type: "category", categories: values ?? [] }) as const;

function valuesOf(was: Column): readonly (string | number)[] {
  const { type, lower, upper } = was;
  if (type === "boolean") return ["false", "true"];
  const count = type === "integer" && lower !== undefined && upper !== undefined ? upper - lower + 1 : Infinity;
  if (lower === undefined || count > MAX_LISTED)
    return invalid(
      "variable",
      columnWords(was),
      `a list of at most ${MAX_LISTED} values to become a category: list them under “Another table”`,
    );
  return Array.from({ length: count }, (_, index) => lower + index);
}

/** Values as typed, between commas: all numbers where every one reads as a number. */
export function readValues(text: string): readonly (string | number)[] {
  const texts = text.split(",").map((value) => value.trim());
  const numbers = texts.map((value) => numberOf(value));
  return numbers.every(Number.isFinite) ? numbers : texts;
}
