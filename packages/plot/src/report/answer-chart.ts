import { casesText, periodText } from "@dosimeter/core";
import { errorText, meaningful } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, type Table, table } from "../chart.ts";
import { type BarChartSpec, columnChart, rowChart } from "../charts/bar-chart.ts";
import { type LineChartSpec, lineChart } from "../charts/line-chart.ts";
import { dateScale, linearScale } from "../frame/scale.ts";
import {
  areYears,
  formatNumber,
  intervalEnds,
  intervalText,
  type Measure,
  measureText,
  yearText,
} from "../scene/number.ts";
import { capital } from "../scene/text.ts";
import type { ReportedAnswer as Answer, ReportedCell as AnswerCell } from "./answer.ts";
import {
  binText,
  cellValueIn,
  columnMeasure,
  columnText,
  measureOf,
  unitOf,
  unitsOf,
  valueText,
} from "./answer-words.ts";

const MAX_ROWS = 40;
const MAX_SERIES = 6;

/**
 * The chart of an answer with several cells: bins in order stand upright, names lie, a curve of cumulative counts is a line in
 * its band; of a regression the slopes, the intercept being in another unit. Null for a single number, for bounds, and for places in an order.
 */
export function answerChart(answer: Answer): ((size: ChartSize) => Chart) | null {
  if (answer.cells.length < 2 || answer.shows.chart === "ends" || isOrder(answer)) return null;
  // Bars begin at zero, and no date and no year does.
  if (isInTime(measureOf(answer))) return null;
  const isSeries = answer.shows.chart === "series";
  if (isSeries || answer.simultaneous !== undefined) {
    const spec = isSeries ? seriesSpec(answer) : curveSpec(answer);
    return spec === null ? null : (size) => lineChart(spec, size);
  }
  const spec = specOf(isLine(answer) ? { ...answer, cells: answer.cells.filter(isSlope) } : answer);
  const isOrdered = answer.cells.every((cell) => (cell.bin === undefined ? false : "lower" in cell.bin));
  const draw = isOrdered || spec.names.length > MAX_ROWS ? columnChart : rowChart;
  return (size) => draw(spec, size);
}

const isInTime = ({ unit, calendar }: Measure): boolean => calendar != null || areYears(unit);

const isSlope = ({ bin }: AnswerCell): boolean => bin?.value !== "intercept";

/** Values chosen in order of frequency: the value of a cell is its place. */
const isOrder = (answer: Answer): boolean => answer.shows.chart === "ranking" && answer.noise.kind === "selection";
const isLine = (answer: Answer): boolean => answer.shows.chart === "slopes";

/** A line in its band for each group; null for more groups than one picture tells apart. */
function linesOf(answer: Answer, at: (cell: AnswerCell, place: number) => number): LineChartSpec["series"] | null {
  const groups = distinct(answer.cells.map((cell) => groupText(cell, answer)));
  if (groups.length > MAX_SERIES) return null;
  return groups.map((name) => {
    const cells = answer.cells.filter((cell) => groupText(cell, answer) === name);
    return {
      name: name === "" ? answer.label : name,
      points: cells.map((cell, place) => [at(cell, place), cell.value] as const),
      band: cells.map((cell, place) => ({ x: at(cell, place), low: cell.interval[0], high: cell.interval[1] })),
    };
  });
}

/** Totals to date over the names of their periods, which follow each other whatever their lengths. */
function seriesSpec(answer: Answer): LineChartSpec | null {
  const series = linesOf(answer, (_, place) => place);
  const periods = distinct(answer.cells.map((cell) => binText(answer, cell)));
  const label = (at: number): string => (Number.isInteger(at) ? (periods[at] ?? "") : "");
  return series === null
    ? null
    : {
        title: titleOf(answer),
        x: {
          label: binHeading(answer),
          scale: (domain, range) => linearScale({ domain, range, label }),
          text: (value) => label(Math.round(value)),
        },
        y: { label: valueLabel(answer), includeZero: true },
        series: series.map((one) => ({ ...one, draw: "both" })),
      };
}

function curveSpec(answer: Answer): LineChartSpec | null {
  const { unit, calendar } = columnMeasure(answer);
  const series = linesOf(answer, ({ bin }) => (bin !== undefined && "upper" in bin ? (bin.upper ?? 0) : 0));
  if (series === null) return null;
  return {
    title: titleOf(answer),
    x: {
      label: answer.column === null ? "value" : withUnit(columnText(answer, answer.column), answer),
      ...(calendar != null
        ? {
            scale: (domain, range) => dateScale({ domain, range, calendar }),
            text: (value) => periodText(value, calendar),
          }
        : areYears(unit)
          ? { scale: (domain, range) => linearScale({ domain, range, label: yearText }), text: yearText }
          : {}),
    },
    y: { label: "rows at or below", includeZero: true },
    series,
  };
}

function specOf(answer: Answer): BarChartSpec {
  const { cells } = answer;
  const hasBins = cells.some((cell) => cell.bin !== undefined);
  const hasGroups = answer.groupBy.length > 0;
  const bins = distinct(cells.map((cell) => binText(answer, cell)));
  const groups = distinct(cells.map((cell) => groupText(cell, answer)));
  // A quantile's error is in rows: its interval is the whole declared range, which as an error bar would say nothing.
  const bar = (cell: AnswerCell) =>
    cell.unreliable
      ? null
      : cell.rank === undefined
        ? { value: cell.value, low: cell.interval[0], high: cell.interval[1] }
        : { value: cell.value };
  const words = {
    title: titleOf(answer),
    valueLabel: valueLabel(answer),
    confidence: `${formatNumber(answer.confidence * 100)} %`,
  };
  if (hasBins && hasGroups && groups.length <= MAX_SERIES) {
    const find = (group: string, bin: string) =>
      cells.find((cell) => groupText(cell, answer) === group && binText(answer, cell) === bin);
    const series = groups.map((group) => ({
      name: group,
      values: bins.map((bin) => {
        const cell = find(group, bin);
        return cell === undefined ? null : bar(cell);
      }),
    }));
    return {
      ...words,
      names: bins,
      nameLabel: answer.column === null ? "bin" : columnText(answer, answer.column),
      series,
    };
  }
  const names = cells.map((cell) =>
    [...(hasGroups ? [groupText(cell, answer)] : []), ...(hasBins ? [binText(answer, cell)] : [])].join(", "),
  );
  const nameLabel = [...answer.groupBy, ...(hasBins && answer.column !== null ? [answer.column] : [])]
    .map((name) => columnText(answer, name))
    .join(", ");
  return { ...words, names, nameLabel, series: [{ name: answer.label, values: cells.map(bar) }] };
}

/** One row per cell, for reading: each answer as it was drawn, with its one interval. */
export function answerTable(answer: Answer): Table {
  const hasErrors = answer.cells.some((cell) => cell.standardError !== undefined);
  const hasMarks = isMarked(answer);
  const more = [...(hasErrors ? ["standard error"] : []), ...(hasMarks ? ["mark"] : [])];
  return cellTable(answer, more, (cell) => [
    ...valueCells(cell, measureOf(answer)),
    ...(hasErrors ? [cell.standardError ?? null] : []),
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
  return table(
    names,
    answer.cells.map((cell) => [
      ...answer.groupBy.map((name) => valueText(answer, name, cell.group[name])),
      ...(hasBins ? [binText(answer, cell)] : []),
      ...parts(cell),
    ]),
    // Years are the values and their intervals; an error is a number of years.
    areYears(measureOf(answer).unit) ? values : [],
  );
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

/** What else is known of one answer: its value that agrees with the others of its release, and the fresh draw of an average. */
export function comparisonSentences(answer: Answer): readonly string[] {
  const [only] = answer.cells;
  const [raw] = answer.raw ?? [];
  if (answer.cells.length !== 1 || only === undefined) return [];
  const { unit, calendar } = measureOf(answer);
  const measure = areYears(unit) ? { unit } : { calendar };
  const shown = ({ value, interval }: Pick<AnswerCell, "value" | "interval">): string =>
    `${measureText(value, measure)} (${intervalText(interval, measure)})`;
  return [
    ...(only.consistent === undefined ? [] : [`Made to agree: ${shown(only.consistent)}.`]),
    ...(raw === undefined ? [] : [`The fresh draw alone: ${shown(raw)}.`]),
  ];
}

const binHeading = (answer: Answer): string =>
  answer.shows.bin ?? (answer.column === null ? "bin" : columnText(answer, answer.column));

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

/** What one number means, in a sentence. */
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

/** What the whiskers of a chart of answers mean, or what stands in their place. */
export function captionOf(answer: Answer): string {
  const at = casesText(answer.confidence);
  if (answer.simultaneous !== undefined)
    return `The band holds each point of the curve without noise ${at}; the whole curve at once is within ± ${errorText(answer.simultaneous)} rows.`;
  if (answer.shows.chart === "series") return `The band holds each total to date without noise ${at}.`;
  const rank = answer.cells.find((cell) => cell.rank !== undefined)?.rank;
  if (rank !== undefined)
    return `${capital(at)} at most ${formatNumber(rank)} rows lie ${placeOf(answer, "each answer")}: the error is in rows, so there are no whiskers.`;
  if (isLine(answer))
    return answer.cells
      .filter(isSlope)
      .map((cell) => answerSentence(answer, cell))
      .slice(0, 3)
      .join(" ");
  return `Each whisker holds the answer without noise ${at}.${isMarked(answer) ? " An answer marked unreliable has no bar." : ""}`;
}

/** How the answer was protected. */
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

/** Its label; of one answer also which share or bin it is. */
export function titleOf(answer: Answer): string {
  const [only] = answer.cells;
  const part = answer.cells.length === 1 && only?.bin !== undefined ? `: ${binText(answer, only)}` : "";
  return `${capital(answer.label)}${part}`;
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];
const groupText = (cell: AnswerCell, answer: Answer): string =>
  answer.groupBy
    .map((name) => {
      const value = valueText(answer, name, cell.group[name]);
      return answer.groupBy.length > 1 ? `${columnText(answer, name)} ${value}` : value;
    })
    .join(", ");
function valueLabel(answer: Answer): string {
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

/** A heading of numbers with the unit that they are in. */
function withUnit(heading: string, answer: Answer): string {
  const unit = unitOf(answer);
  return unit === undefined ? heading : `${heading} (${unit})`;
}

/** `standardDeviation` as words. */
const words = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
