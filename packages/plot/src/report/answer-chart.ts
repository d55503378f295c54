import { casesText, periodText } from "@dosimeter/core";
import { errorText, meaningful, meaningfulDigits, roundTowards } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, type Table, table } from "../chart.ts";
import { areYears, formatNumber, intervalEnds, intervalText, type Measure, measureText } from "../scene/number.ts";
import { capital } from "../scene/text.ts";
import type { ReportedAnswer as Answer, ReportedCell as AnswerCell } from "./answer.ts";
import { forms, type RowOrder } from "./answer-forms.ts";
import {
  binHeading,
  binText,
  cellValueIn,
  columnText,
  distinct,
  isLine,
  isOrder,
  isSlope,
  measureOf,
  titleOf,
  unitsOf,
  valueLabel,
  valueText,
} from "./answer-words.ts";

/** More marks than this no page has the pixels for: they are a table alone. */
const MAX_DRAWN = 50_000;

/**
 * The chart of an answer with several cells, by its kind; its table is that of the answer. Null for a single number, for bounds, and for
 * places in an order.
 */
export function answerChart(
  answer: Answer,
  { order = "value" }: { readonly order?: RowOrder } = {},
): ((size: ChartSize) => Chart) | null {
  if (answer.cells.length < 2 || answer.cells.length > MAX_DRAWN) return null;
  const kind = answer.simultaneous !== undefined && answer.shows.chart !== "series" ? "curve" : answer.shows.chart;
  const draw = forms[kind](answer, order);
  const facts = answerTable(answer);
  return draw === null ? null : (size) => ({ ...draw(size), table: facts });
}

/** One row per cell, for reading: each answer as it was drawn, with its one interval. */
export function answerTable(answer: Answer): Table {
  const hasErrors = answer.cells.some((cell) => cell.standardError !== undefined);
  const hasMarks = isMarked(answer);
  const more = [...(hasErrors ? ["standard error"] : []), ...(hasMarks ? ["mark"] : [])];
  return cellTable(answer, more, (cell) => [
    ...valueCells(cell, measureOf(answer)),
    ...(hasErrors ? [cell.standardError === undefined ? null : roundTowards(cell.standardError, "up", 3)] : []),
    ...(hasMarks ? [markOf(cell)] : []),
  ]);
}

/** The same answers made to agree with the others of their release; null where nothing ties them. */
export const agreedTable = (answer: Answer): Table | null =>
  agrees(answer) ? cellTable(answer, [], (cell) => agreedCells(cell, measureOf(answer))) : null;

/** A row a cell: its groups and bin, a value with its interval, and what else is known of it. */
function cellTable(
  answer: Answer,
  more: readonly string[],
  parts: (cell: AnswerCell) => readonly (number | string | null)[],
): Table {
  const hasBins = answer.cells.some((cell) => cell.bin !== undefined);
  const at = ` (${formatNumber(answer.confidence * 100)} %)`;
  const values = [valueLabel(answer), `from${at}`, `to${at}`];
  const names = [
    ...answer.groupBy.map((name) => columnText(answer, name)),
    ...(hasBins ? [binHeading(answer)] : []),
    ...values,
    ...more,
  ];
  const all = table(
    names,
    answer.cells.map((cell) => [
      ...answer.groupBy.map((name) => valueText(answer, name, cell.group[name])),
      ...(hasBins ? [binText(answer, cell)] : []),
      ...parts(cell),
    ]),
    // Years are the values and their intervals; an error is a number of years.
    areYears(measureOf(answer).unit) ? values : [],
  );
  const told = all.columns.map((column) =>
    values.includes(column.name) ? { ...column, isMeaningful: true as const } : column,
  );
  return { ...all, columns: told };
}

/** A value and its interval, in the digits that mean something unless all are asked for; dates as texts. */
function valueCells(
  cell: Pick<AnswerCell, "value" | "interval" | "rank">,
  { calendar }: Measure,
  isExact = false,
): readonly (number | string)[] {
  const { value, interval } = calendar != null || isExact ? cell : meaningful(cell);
  const [from, to] = interval;
  if (calendar == null) return [value, from, to];
  return [periodText(value, calendar), periodText(from, calendar, "down"), periodText(to, calendar, "up")];
}

const isMarked = ({ cells }: Answer): boolean => cells.some(({ unreliable }) => unreliable);
const markOf = ({ unreliable }: AnswerCell): string => (unreliable ? "unreliable" : "");

/** Whether totals were made to match their parts, and means their sums; the raw values stay. */
const agrees = ({ cells }: Answer): boolean => cells.some(({ consistent }) => consistent !== undefined);

const agreedCells = (
  { consistent }: AnswerCell,
  measure: Measure,
  isExact = false,
): readonly (number | string | null)[] =>
  consistent === undefined ? [null, null, null] : valueCells(consistent, measure, isExact);

/** What the other values of an answer are: of a set of tables whole numbers, of others what agrees with the rest of the release. */
export const agreedWords = ({ statistic }: Pick<Answer, "statistic">, others: string): string =>
  statistic === "tables" ? "In whole numbers, none below zero" : others;

/** What else is known of one answer: its value that agrees with the others of its release, and the fresh draw of an average. */
export function comparisonSentences(answer: Answer): readonly string[] {
  const [only] = answer.cells;
  const [raw] = answer.raw ?? [];
  if (answer.cells.length !== 1 || only === undefined) return [];
  const { unit, calendar } = measureOf(answer);
  const measure = areYears(unit) ? { unit } : { calendar };
  const shown = ({ value, interval }: Pick<AnswerCell, "value" | "interval">): string =>
    `${measureText(value, measure, meaningfulDigits({ value, interval }))} (${intervalText(interval, measure)})`;
  return [
    ...(only.consistent === undefined ? [] : [`${agreedWords(answer, "Made to agree")}: ${shown(only.consistent)}.`]),
    ...(raw === undefined ? [] : [`The fresh draw alone: ${shown(raw)}.`]),
  ];
}

/**
 * The answers of a release in one long table, a row a cell, a column for each name that groups them: every CSV of answers. In the digits
 * that mean something, or in all that were released.
 */
export function releaseTable(answers: readonly Answer[], { isExact = false } = {}): Table {
  const keys = distinct(answers.flatMap(({ groupBy }) => groupBy));
  const hasAgreed = answers.some(agrees);
  const hasMarks = answers.some(isMarked);
  return table(
    [
      ...[
        "id",
        "statistic",
        "label",
        "column",
        ...keys,
        "bin",
        "value",
        "lower",
        "upper",
        "confidence",
        "epsilon",
        "rho",
      ],
      ...(hasAgreed ? ["agreed", "agreedLower", "agreedUpper"] : []),
      ...(hasMarks ? ["mark"] : []),
    ],
    answers.flatMap((answer) =>
      answer.cells.map((cell) => [
        answer.id,
        answer.statistic,
        answer.label,
        answer.column,
        ...keys.map((key) => String(cell.group[key] ?? "")),
        cell.bin?.label ?? "",
        ...valueCells(cell, measureOf(answer), isExact),
        answer.confidence,
        "epsilon" in answer.cost ? answer.cost.epsilon : null,
        "rho" in answer.cost ? answer.cost.rho : null,
        ...(hasAgreed ? agreedCells(cell, measureOf(answer), isExact) : []),
        ...(hasMarks ? [markOf(cell)] : []),
      ]),
    ),
  );
}

export function answerSentence(answer: Answer, cell: AnswerCell): string {
  if (cell.unreliable) return "The noise was larger than the data: this number says nothing.";
  const measure = measureOf(answer);
  const [from, to] = intervalEnds(cell.interval, isLine(answer) ? {} : measure);
  const at = casesText(answer.confidence);
  if (isOrder(answer))
    return `${capital(at)} no value left out has ${formatNumber((cell.rank ?? 0) + 1)} ${unitsOf(answer)} more than this one.`;
  if (cell.rank !== undefined)
    return `${capital(at)} at most ${formatNumber(cell.rank)} rows lie ${placeOf(answer, "this")}.`;
  if (isLine(answer))
    return isSlope(cell)
      ? `${capital(at)} one more of ${binText(answer, cell)} goes with ${from} to ${to} more of ${answer.column ?? "the outcome"}.`
      : `${capital(at)} the line without noise starts between ${from} and ${to}.`;
  if (measure.calendar != null)
    return `${capital(at)} the answer without noise is a date from ${intervalText(cell.interval, measure)}.`;
  return `${capital(at)} the answer without noise lies between ${from} and ${to}.`;
}

/** Answers as plain text, to paste: a sentence for one number, else a row a cell with tabs between. */
export function answersText(title: string, answers: readonly Answer[]): string {
  const parts = answers.map((answer) => {
    const [only] = answer.cells;
    if (answer.cells.length === 1 && only !== undefined && answer.groupBy.length === 0)
      return `${titleOf(answer)}: ${only.unreliable ? "–" : cellValueIn(answer, only)}. ${answerSentence(answer, only)}`;
    const { columns, rows } = answerTable(answer);
    const lines = [columns.map(({ name }) => name), ...rows.map((row) => row.map((cell) => String(cell ?? "")))];
    return `${titleOf(answer)}\n${lines.map((line) => line.join("\t")).join("\n")}`;
  });
  return `${[title, ...parts].join("\n\n")}\n`;
}

/** Where the rows are that an answer is off by. */
function placeOf(answer: Answer, what: string): string {
  const { rows } = answer.shows;
  if (rows === "quartiles") return "between each of the two quartiles and the true one";
  return rows === "beyond" ? `beyond ${what}` : `between ${what} and the true value`;
}

/** What the intervals of a chart of answers mean, or what stands in their place. */
export function captionOf(answer: Answer): string {
  const at = casesText(answer.confidence);
  if (answer.simultaneous !== undefined)
    return `The band holds each point of the curve without noise ${at}; the whole curve at once is within ± ${errorText(answer.simultaneous)} rows.`;
  if (answer.shows.chart === "series") return `The band holds each total to date without noise ${at}.`;
  const rank = answer.cells.find((cell) => cell.rank !== undefined)?.rank;
  if (rank !== undefined)
    return `${capital(at)} at most ${formatNumber(rank)} rows lie ${placeOf(answer, "each answer")}: the error is in rows, so there are no intervals.`;
  if (isLine(answer))
    return answer.cells
      .filter(isSlope)
      .map((cell) => answerSentence(answer, cell))
      .slice(0, 3)
      .join(" ");
  return `Each interval holds the answer without noise ${at}.${isMarked(answer) ? " What cannot be distinguished from noise is drawn faint." : ""}`;
}

export const noiseWords = ({ noise: { kind } }: Answer): string =>
  kind === "laplace" ? "discrete Laplace noise" : kind === "gaussian" ? "rounded Gaussian noise" : "a noisy choice";

/** Of an answer that has several tables, each as an answer of its own, by the columns that its cells state; else the answer itself. */
export function tablesIn(answer: Answer): readonly Answer[] {
  const columnsOf = ({ group }: AnswerCell): readonly string[] =>
    answer.groupBy.filter((name) => group[name] !== undefined);
  const tables = [...Map.groupBy(answer.cells, (cell) => columnsOf(cell).join("\n")).values()];
  return tables.length < 2
    ? [answer]
    : tables.map((cells) => {
        const groupBy = cells[0] === undefined ? [] : columnsOf(cells[0]);
        const label =
          groupBy.length === 0 ? "all rows" : `by ${groupBy.map((name) => columnText(answer, name)).join(", ")}`;
        return { ...answer, label, groupBy, cells };
      });
}
