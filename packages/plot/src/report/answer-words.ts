import { casesText, periodUnit } from "@dosimeter/core";
import { errorText, meaningfulDigits } from "@dosimeter/core/internal";
import { areYears, endsOf, type Measure, measureText } from "../scene/number.ts";
import { capital } from "../scene/text.ts";
import type { ReportedAnswer as Answer, ReportedCell } from "./answer.ts";

/** What several of the protected units are called. */
export const unitsOf = ({ words }: Pick<Answer, "words">): string => words?.noun.many ?? "people";

const wordsOf = ({ words }: Pick<Answer, "words">, name: string) =>
  words !== undefined && Object.hasOwn(words.columns, name) ? words.columns[name] : undefined;

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

export const cellValueIn = (answer: Answer, cell: ReportedCell): string =>
  measureText(cell.value, measureOf(answer), meaningfulDigits(cell));

/** A bin: a value of a category by its label, else as it was made. */
export const binText = (answer: Answer, { bin }: ReportedCell): string =>
  bin === undefined
    ? ""
    : "value" in bin && answer.column !== null && answer.shows.bin === undefined
      ? valueText(answer, answer.column, bin.label)
      : bin.label;

/** Values chosen in order of frequency: the value of a cell is its place. */
export const isOrder = (answer: Answer): boolean =>
  answer.shows.chart === "ranking" && answer.noise.kind === "selection";
export const isLine = (answer: Answer): boolean => answer.shows.chart === "slopes";
export const isSlope = ({ bin }: ReportedCell): boolean => bin?.value !== "intercept";

export const binHeading = (answer: Answer): string =>
  answer.shows.bin ?? (answer.column === null ? "bin" : columnText(answer, answer.column));

/** Its label; of one answer also which share or bin it is. */
export function titleOf(answer: Answer): string {
  const [only] = answer.cells;
  const part = answer.cells.length === 1 && only?.bin !== undefined ? `: ${binText(answer, only)}` : "";
  return `${capital(answer.label)}${part}`;
}

/** Of whom, when, and how exact: what its title leaves out, in a line. */
export function subtitleOf(answer: Answer): string {
  const { about } = answer;
  const whom = about === undefined ? [] : [`${capital(unitsOf(answer))} of ${about.dataset}`, about.when];
  return [whom.join(", "), errorOf(answer)].filter((part) => part !== "").join(" · ");
}

/** How far its values can be off: "± 340 dollars in 95 of 100 cases"; of several the least and the most. Empty where the caption says it. */
function errorOf(answer: Answer): string {
  const told = answer.cells.filter(({ unreliable }) => unreliable !== true);
  const isSaid = answer.simultaneous !== undefined || isLine(answer) || told.some(({ rank }) => rank !== undefined);
  if (isSaid || told.length === 0) return "";
  const { value } = answer.shows;
  const { calendar } = measureOf(answer);
  const counted = value === "rows" ? value : value === "people" ? unitsOf(answer) : unitOf(answer);
  const unit = calendar != null ? `${periodUnit(calendar)}s` : areYears(counted) ? "years" : counted;
  const halves = told.map(({ interval }) => (interval[1] - interval[0]) / 2);
  const [least, most] = endsOf(halves).map((half) => errorText(half, unit));
  // A unit behind numbers is said once.
  const from = unit === undefined || !least?.endsWith(` ${unit}`) ? least : least.slice(0, -unit.length - 1);
  return `± ${least === most ? most : `${from} to ${most}`} ${casesText(answer.confidence)}`;
}

export const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
/** Its group as people call it. */
export const groupText = (cell: ReportedCell, answer: Answer): string =>
  answer.groupBy
    .map((name) => {
      const value = valueText(answer, name, cell.group[name]);
      return answer.groupBy.length > 1 ? `${columnText(answer, name)} ${value}` : value;
    })
    .join(", ");
export function valueLabel(answer: Answer): string {
  const { statistic } = answer;
  const column = answer.column === null ? "" : columnText(answer, answer.column);
  const { value } = answer.shows;
  switch (value) {
    case "rows":
      return value;
    case "people":
      return unitsOf(answer);
    case "place":
      return isOrder(answer) ? "place" : unitsOf(answer);
    case "column":
      return withUnit(column, answer);
    case "change":
      return `change of ${column === "" ? "the outcome" : column} for one more`;
    case "values":
      return `different values of ${column}`;
    case "named":
      return withUnit(`${words(statistic)} of ${column}`, answer);
    default:
      return value satisfies never;
  }
}

const withUnit = (heading: string, answer: Answer, unit = unitOf(answer)): string =>
  unit === undefined ? heading : `${heading} (${unit})`;

/** The column of an answer whose values are no values of it, such as those along a curve. */
export function columnHeading(answer: Answer): string {
  const { unit, calendar } = columnMeasure(answer);
  const shown = calendar == null ? (unit ?? undefined) : undefined;
  return answer.column === null ? "value" : withUnit(columnText(answer, answer.column), answer, shown);
}

/** `standardDeviation` as words. */
const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
