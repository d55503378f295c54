import { type CalendarUnit, casesText, formatDate, readPeriod } from "@dosimeter/core";
import { meaningful } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, type Table, table } from "../chart.ts";
import { lineChart, type Series } from "../charts/line-chart.ts";
import { dateScale } from "../frame/scale.ts";
import type { ReportedAnswer, ReportedCell } from "./answer.ts";
import { binText, cellValueIn, columnText, measureOf, titleOf, valueText } from "./answer-words.ts";

/** The answers of the report of one period; null where they are not there. */
export interface PeriodAnswers {
  readonly block: string;
  readonly answers: readonly ReportedAnswer[] | null;
}

/** A number that every report has: of one statistic, one group and one bin. */
export interface PeriodSeries {
  readonly answer: ReportedAnswer;
  /** What it is about where its statistic has several: "surgery"; else empty. */
  readonly name: string;
  readonly values: readonly { readonly block: string; readonly cell: ReportedCell }[];
}

/** The numbers of reports over time, in the order of the newest report. A group that a report lacks has no value there. */
export function periodSeries(reports: readonly PeriodAnswers[]): readonly PeriodSeries[] {
  const all = new Map<string, { answer: ReportedAnswer; name: string; values: PeriodSeries["values"][number][] }>();
  for (const { block, answers } of reports.toReversed())
    for (const answer of answers ?? [])
      for (const cell of answer.cells) {
        const key = JSON.stringify([answer.id, answer.groupBy.map((name) => cell.group[name]), cell.bin?.label]);
        const series = all.get(key) ?? { answer, name: nameOf(answer, cell), values: [] };
        all.set(key, series);
        series.values.unshift({ block, cell });
      }
  return [...all.values()];
}

/** What people call a group and a bin. */
function nameOf(answer: ReportedAnswer, cell: ReportedCell): string {
  const groups = answer.groupBy.map((name) => {
    const value = valueText(answer, name, cell.group[name]);
    return answer.groupBy.length > 1 ? `${columnText(answer, name)} ${value}` : value;
  });
  return [...groups, binText(answer, cell)].filter((text) => text !== "").join(", ");
}

/** Every number of every report in the digits that its interval tells: for spreadsheets and for reading aloud. */
export function periodTable(series: readonly PeriodSeries[], every: CalendarUnit): Table {
  const rows = series.flatMap(({ answer, name, values }) =>
    values.map(({ block, cell }) => {
      const { value, interval } = meaningful(cell);
      return { block, row: [block, answer.id, titleOf(answer), name, value, ...interval, answer.confidence] };
    }),
  );
  const inOrder = rows.toSorted((a, b) => placeOf(a.block) - placeOf(b.block)).map(({ row }) => row);
  return table([every, "id", "answer", "group", "value", "lower", "upper", "confidence"], inOrder);
}

const placeOf = (block: string): number => readPeriod(block)?.period ?? 0;

/** The most lines that one picture tells apart. */
const MAX_LINES = 8;

/** Some numbers of one statistic over time, each with its interval. */
export function periodChart(
  { series, every }: { readonly series: readonly PeriodSeries[]; readonly every: CalendarUnit },
  size: ChartSize,
): Chart {
  const shown = series.slice(0, MAX_LINES);
  const [first] = shown;
  const { calendar, unit } = first === undefined ? {} : measureOf(first.answer);
  const drawn = lineChart(
    {
      title: first === undefined ? "No answers yet" : titleOf(first.answer),
      summary:
        summaryOf(shown) +
        (series.length > MAX_LINES ? ` The first ${MAX_LINES} of ${series.length} are drawn; the table has all.` : ""),
      x: {
        label: every,
        scale: (domain, range) => dateScale({ domain, range, calendar: every }),
        text: (value) => formatDate(Math.round(value), every),
      },
      y: {
        label: unit ?? "",
        ...(calendar == null ? {} : { scale: (domain, range) => dateScale({ domain, range, calendar }) }),
      },
      series: shown.map(
        ({ name, answer, values }): Series => ({
          name: name === "" ? titleOf(answer) : name,
          draw: "both",
          points: values.map(({ block, cell }) => [placeOf(block), cell.value] as const),
          intervals: values.map(({ block, cell: { interval } }) => ({
            x: placeOf(block),
            low: interval[0],
            high: interval[1],
          })),
        }),
      ),
    },
    size,
  );
  return { ...drawn, table: periodTable(series, every) };
}

function summaryOf(series: readonly PeriodSeries[]): string {
  const said = series.flatMap(({ answer, name, values }) => {
    const last = values.at(-1);
    return last === undefined
      ? []
      : [`${name === "" ? "" : `${name}: `}${cellValueIn(answer, last.cell)} in ${last.block}`];
  });
  const [first] = series;
  return first === undefined
    ? "No report has come yet."
    : `${said.join("; ")}. Each whisker holds the answer without noise ${casesText(first.answer.confidence)}.`;
}
