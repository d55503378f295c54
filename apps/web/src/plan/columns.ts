import { clockOf, formatPeriod, periodUnit } from "@dosimeter/core";
import type { SettingTexts } from "@dosimeter/planner";
import { formatDecimal } from "@dosimeter/plot";
import { type Column, type Declaration, spokenColumn } from "@dosimeter/query/declaration";
import { fits, type Reads } from "@dosimeter/query/statistics";
import { CATEGORY_WORDS, wordsOf } from "../parts/words.ts";

/** The columns a statistic can read: bounded numbers, values that are declared, or any; never the privacy unit. */
export function columnsFor(reads: Reads, declaration: Declaration): readonly string[] {
  if (reads === "none") return [];
  const unit = declaration.privacyUnit === "row" ? undefined : declaration.privacyUnit.column;
  return Object.entries(declaration.columns)
    .filter(([name, column]) => name !== unit && fits(reads, column))
    .map(([name]) => name);
}

/** A column as pickers name it: its declared label with its name, which filters and formulas write, and its table where it is another one. */
export function columnLabel(name: string, { columns }: Pick<Declaration, "columns">): string {
  const { label = name, joined } = columns[name] ?? {};
  const isName = label.toLowerCase() === name.toLowerCase();
  const more = [...(isName ? [] : [name]), ...(joined === undefined ? [] : [joined])];
  return `${isName ? name : label}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}

/** A declared bound as people write it. */
export const boundText = (bound: number, { calendar }: Pick<Column, "calendar">): string =>
  calendar === undefined ? String(bound) : formatPeriod(bound, calendar);

/** `a whole number from 0 to 9`, `one of 0, 10, 20 …`. */
export function columnWords(column: Column): string {
  const { type, lower, upper, calendar, categories = [] } = column;
  const end = (bound: number): string => boundText(bound, column);
  const range = lower === undefined || upper === undefined ? "" : ` from ${end(lower)} to ${end(upper)}`;
  switch (type) {
    case "integer":
      return `a whole number${range}`;
    case "number":
      return `a ${column.scale === undefined ? "number" : "decimal"}${range}`;
    case "date":
      return `a ${periodWord(calendar)}${range}`;
    case "boolean":
      return "true or false";
    case "category":
      return `one of ${categories.slice(0, 6).join(", ")}${categories.length > 6 ? " …" : ""}`;
    case "text":
      return "a text";
    default:
      return type satisfies never;
  }
}

/** What its values are: a date, a month, a time by the minute. */
function periodWord(calendar: Column["calendar"] = "day"): string {
  if (clockOf(calendar) === null) return calendar === "day" ? "date" : periodUnit(calendar);
  return `time by the ${periodUnit(calendar)}`;
}

/** The most values that a page lists. */
export const MAX_LISTED = 200;

/** Groups must be declared values, and few enough to read. */
export const isGroupable = ({ type, lower, upper }: Column): boolean =>
  type === "boolean" ||
  type === "category" ||
  ((type === "integer" || type === "date") && lower !== undefined && upper !== undefined && upper - lower < MAX_LISTED);

/**
 * Whether a column's whole numbers stand for something else, of which no mean is asked: half of them have labels, there are only two, or
 * the name is that of a category and nothing says a unit.
 */
function isCode(name: string, { type, lower, upper, unit, valueLabels = {} }: Column): boolean {
  if (type !== "integer" || lower === undefined || upper === undefined) return false;
  const values = upper - lower + 1;
  if (values <= 2 || Object.keys(valueLabels).length * 2 >= values) return true;
  return unit === undefined && wordsOf(name).some((word) => CATEGORY_WORDS.test(word));
}

/** Means and counts by group that a plan begins with, of each at most this many. */
const MAX_SUGGESTED = 2;

/** Suggested first statistics of a table, from its declaration alone. */
export function suggestions(declaration: Declaration): readonly ({ readonly label: string } & SettingTexts)[] {
  const columns = columnsFor("binned", declaration).flatMap((name) => {
    const column = declaration.columns[name];
    return column === undefined ? [] : [{ name, column, spoken: spokenColumn(name, declaration) }];
  });
  const numbers = columns.filter(
    ({ name, column }) => fits("numeric", column) && column.lower !== undefined && !isCode(name, column),
  );
  // What has a unit is an amount of something.
  const amounts = numbers.toSorted(
    (one, other) => Number(one.column.unit === undefined) - Number(other.column.unit === undefined),
  );
  const groups = columns.filter(({ name, column }) => isGroup(name, column));
  return [
    { label: "Count", statistic: "count", column: "" },
    ...amounts
      .slice(0, MAX_SUGGESTED)
      .map(({ name, spoken }) => ({ label: `Mean of ${spoken}`, statistic: "mean", column: name })),
    ...groups
      .slice(0, MAX_SUGGESTED)
      .map(({ name, column, spoken }) =>
        column.type === "integer"
          ? { label: `Count by ${spoken}`, statistic: "count", column: "", groupBy: name }
          : { label: `Histogram of ${spoken}`, statistic: "histogram", column: name },
      ),
  ];
}

const isGroup = (name: string, column: Column): boolean =>
  column.type === "integer" ? isCode(name, column) && isGroupable(column) : !fits("numeric", column);

const valuesOf = ({ type, categories, lower = 0, upper = 0 }: Column): number =>
  type === "boolean" ? 2 : (categories?.length ?? upper - lower + 1);

/** Columns that a set of tables begins with at most: of all that can be counted, no cell would be known. */
const MAX_TABLED = 3;

/** A first set of tables: of the declared categories with the fewest values, each alone and each with another. */
export function firstTables(declaration: Declaration): SettingTexts {
  const names = columnsFor("binned", declaration)
    .flatMap((name) => {
      const column = declaration.columns[name];
      return column === undefined || !isGroup(name, column) ? [] : [{ name, values: valuesOf(column) }];
    })
    .filter(({ values }) => values > 1)
    .toSorted((one, other) => one.values - other.values)
    .slice(0, MAX_TABLED)
    .map(({ name }) => name);
  return names.length === 0 ? { statistic: "tables" } : { statistic: "tables", with: names.join(", ") };
}

export function sizeText({ size }: Declaration): string {
  if (size === undefined) return "not declared";
  const shown = (rows: number): string => formatDecimal(String(rows));
  return "public" in size ? `${shown(size.public)}, public` : `${shown(size.assumed)}, declared`;
}
