import { periodUnit } from "@dosimeter/core";
import { meaningfulDigits } from "@dosimeter/core/internal";
import { areYears, type Measure, measureText } from "../scene/number.ts";
import type { ReportedAnswer as Answer, ReportedCell } from "./answer.ts";

/** What several of the protected units are called. */
export const unitsOf = ({ words }: Pick<Answer, "words">): string => words?.noun.many ?? "people";

const wordsOf = ({ words }: Pick<Answer, "words">, name: string) =>
  words !== undefined && Object.hasOwn(words.columns, name) ? words.columns[name] : undefined;

/** A column as people call it. */
export const columnText = (answer: Answer, name: string): string => wordsOf(answer, name)?.label ?? name;

/** A column's value as people call it: "female" of 0; "all" of a cell that adds up over the column. */
export function valueText(answer: Answer, name: string, value: unknown): string {
  if (value === undefined) return "all";
  const text = String(value ?? "");
  const labels = wordsOf(answer, name)?.valueLabels;
  return labels !== undefined && Object.hasOwn(labels, text) ? (labels[text] ?? text) : text;
}

/** The unit of its values, where they are in that of its column. */
export function unitOf(answer: Answer): string | undefined {
  const { measures, value } = answer.shows;
  if (answer.column === null || (measures === undefined && value !== "column")) return undefined;
  const { unit, calendar } = wordsOf(answer, answer.column) ?? {};
  if (calendar !== undefined) return measures === "length" ? `${periodUnit(calendar)}s` : undefined;
  return areYears(unit) && measures !== "place" ? "years" : unit;
}

/** What its values are: in a unit, or dates. */
export function measureOf(answer: Answer): Measure {
  const isPlace = answer.column !== null && answer.shows.measures === "place";
  return { unit: unitOf(answer), calendar: isPlace ? columnMeasure(answer).calendar : undefined };
}

/** What the values of its column are. */
export const columnMeasure = (answer: Pick<Answer, "column" | "words">): Measure =>
  (answer.column === null ? undefined : wordsOf(answer, answer.column)) ?? {};

/** A value of an answer with its unit. */
export const valueIn = (answer: Answer, value: number, digits?: number): string =>
  measureText(value, measureOf(answer), digits);

/** The value of a cell with the digits that its interval tells. */
export const cellValueIn = (answer: Answer, cell: ReportedCell): string =>
  valueIn(answer, cell.value, meaningfulDigits(cell));

/** A bin: a value of a category by its label, else as it was made. */
export const binText = (answer: Answer, { bin }: ReportedCell): string =>
  bin === undefined
    ? ""
    : "value" in bin && answer.column !== null && answer.shows.bin === undefined
      ? valueText(answer, answer.column, bin.label)
      : bin.label;
