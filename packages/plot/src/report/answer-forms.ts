import { formatDate, periodText, readPeriod } from "@dosimeter/core";
import { meaningfulDigits } from "@dosimeter/core/internal";
import { type Chart, type ChartSize, table } from "../chart.ts";
import { type BarChartSpec, type BarValue, columnChart, reach } from "../charts/bar-chart.ts";
import { type DotRowsSpec, dotEnds, dotRows } from "../charts/dot-rows.ts";
import { type HeatCell, type HeatTableSpec, heatFits, heatTable } from "../charts/heat-table.ts";
import { type LineChartSpec, lineChart } from "../charts/line-chart.ts";
import { pyramidChart } from "../charts/pyramid.ts";
import { smallMultiples } from "../charts/small-multiples.ts";
import { dateScale, linearScale, type Scale, type ScaleOptions } from "../frame/scale.ts";
import { areYears, formatNumber, intervalText, type Measure, measureText, yearText } from "../scene/number.ts";
import type { ReportedAnswer as Answer, ReportedCell as AnswerCell } from "./answer.ts";
import {
  binHeading,
  binText,
  columnHeading,
  columnMeasure,
  columnText,
  distinct,
  groupText,
  isOrder,
  isSlope,
  measureOf,
  subtitleOf,
  titleOf,
  valueLabel,
  valueText,
} from "./answer-words.ts";

/** In which order groups are listed: the largest value first, or as they are declared. */
export type RowOrder = "value" | "declared";
type Draw = (size: ChartSize) => Chart;
type Form = (answer: Answer, order: RowOrder) => Draw | null;

const MAX_ROWS = 40;
const MAX_SERIES = 6;
const MAX_PANELS = 12;
/** Whole numbers from which on groups are a line. */
const LONG = 12;

/** Which chart shows an answer of several cells: a row for each kind of answer. Null: it is a table. */
export const forms: { readonly [Kind in Answer["shows"]["chart"]]: Form } = {
  number: groupsForm,
  bars: binsForm,
  curve: curveForm,
  series: seriesForm,
  // The intercept is in another unit.
  slopes: (answer) => rowsForm({ ...answer, cells: answer.cells.filter(isSlope) }, "declared"),
  ends: () => null,
  ranking: (answer, order) => (isOrder(answer) ? null : groupsForm(answer, order)),
};

export function isSortable(answer: Answer): boolean {
  const { shows, groupBy, cells } = answer;
  if (cells.length < 3 || cells.length > MAX_ROWS || answer.simultaneous !== undefined || isOrder(answer)) return false;
  const hasBins = cells.some(({ bin }) => bin !== undefined);
  if (shows.chart === "number" || shows.chart === "ranking")
    return !hasBins && groupBy.length === 1 && placesIn(answer, groupBy[0] ?? "") === null;
  return shows.chart === "bars" && shows.bin === undefined && groupBy.length === 0 && !hasOrderedBins(answer);
}

export const wordsOf = (answer: Answer) => ({
  title: titleOf(answer),
  subtitle: subtitleOf(answer),
  valueLabel: valueLabel(answer),
  confidence: `${formatNumber(answer.confidence * 100)} %`,
});

/** Numbers of rows and people, and totals, have a zero to begin at. */
const isAmount = ({ shows }: Answer): boolean =>
  shows.value === "rows" || shows.value === "people" || shows.value === "values" || shows.measures === "total";
const isCounted = ({ shows }: Answer): boolean => shows.value === "rows" || shows.value === "people";
const isInTime = ({ unit, calendar }: Measure): boolean => calendar != null || areYears(unit);
const hasOrderedBins = ({ cells }: Answer): boolean => cells.every(({ bin }) => bin !== undefined && "lower" in bin);

/** A quantile's error is in rows: its interval is the whole declared range, which as a whisker would say nothing. */
const barOf = ({ value, interval, rank, unreliable }: AnswerCell): BarValue => ({
  value,
  ...(rank === undefined ? { low: interval[0], high: interval[1] } : {}),
  ...(unreliable ? { isFaint: true } : {}),
});

/** An axis of the values of an answer: of numbers, years or dates. */
function axisOf({ unit, calendar }: Measure): (ends: Pick<ScaleOptions, "domain" | "range">) => Scale {
  if (calendar != null) return (ends) => dateScale({ ...ends, calendar });
  return (ends) =>
    linearScale({ ...ends, nice: true, ...(areYears(unit) ? { label: (value: number) => yearText(value) } : {}) });
}

/** Where the values of a grouping column lie in time, or as whole numbers; null where they are names. */
function placesIn(answer: Answer, name: string): ReadonlyMap<string, number> | null {
  const { calendar } = columnMeasure({ ...answer, column: name });
  const keys = answer.cells.map(({ group }) => group[name]);
  const places = keys.map((key) =>
    calendar == null
      ? typeof key === "number" && valueText(answer, name, key) === String(key)
        ? key
        : null
      : placeOf(String(key)),
  );
  return places.every((place) => place !== null)
    ? new Map(keys.map((key, at) => [String(key), places[at] ?? 0]))
    : null;
}

const placeOf = (text: string): number | null => readPeriod(text)?.period ?? null;

function groupsForm(answer: Answer, order: RowOrder): Draw | null {
  const [first, second, third] = answer.groupBy;
  if (first === undefined || third !== undefined || answer.cells.some(({ bin }) => bin !== undefined))
    return rowsForm(answer, order);
  const inTime = answer.groupBy.find((name) => isInTime(columnMeasure({ ...answer, column: name })));
  const line = inTime ?? first;
  const places = placesIn(answer, line);
  const isLong = second === undefined && !isCounted(answer) && (places?.size ?? 0) > LONG;
  if (places !== null && places.size > 1 && (inTime !== undefined || isLong)) return overForm(answer, line, places);
  if (second === undefined) return rowsForm(answer, order);
  const pairs = [
    { bins: first, sides: second },
    { bins: second, sides: first },
  ];
  const pair = pairs.find(({ bins, sides }) => (placesIn(answer, bins)?.size ?? 0) > 2 && sizeOf(answer, sides) === 2);
  if (pair !== undefined && isCounted(answer)) {
    const text = (name: string) => (cell: AnswerCell) => valueText(answer, name, cell.group[name]);
    return pyramidOf(answer, { bin: text(pair.bins), side: text(pair.sides), label: columnText(answer, pair.bins) });
  }
  return heatForm(answer, order);
}

const sizeOf = (answer: Answer, name: string): number =>
  new Set(answer.cells.map(({ group }) => String(group[name]))).size;

/** A line over the values of a grouping column, with one for each other group. */
function overForm(answer: Answer, name: string, places: ReadonlyMap<string, number>): Draw | null {
  const { unit, calendar } = columnMeasure({ ...answer, column: name });
  const others = { ...answer, groupBy: answer.groupBy.filter((each) => each !== name) };
  const at = ({ group }: AnswerCell): number => places.get(String(group[name])) ?? 0;
  const by = calendar == null ? undefined : readPeriod(String(answer.cells[0]?.group[name]))?.unit;
  return linesForm(others, at, {
    label: columnText(answer, name),
    ...(by === undefined
      ? areYears(unit)
        ? { scale: (domain, range) => linearScale({ domain, range, label: yearText }), text: yearText }
        : {}
      : {
          scale: (domain, range) => dateScale({ domain, range, calendar: by }),
          text: (value) => formatDate(Math.round(value), by),
        }),
  });
}

function seriesForm(answer: Answer): Draw | null {
  const periods = distinct(answer.cells.map((cell) => binText(answer, cell)));
  const label = (at: number): string => (Number.isInteger(at) ? (periods[at] ?? "") : "");
  return linesForm(answer, (cell) => periods.indexOf(binText(answer, cell)), {
    label: binHeading(answer),
    scale: (domain, range) => linearScale({ domain, range, label }),
    text: (value) => label(Math.round(value)),
  });
}

function curveForm(answer: Answer): Draw | null {
  const { unit, calendar } = columnMeasure(answer);
  return linesForm(
    answer,
    ({ bin }) => (bin !== undefined && "upper" in bin ? (bin.upper ?? 0) : 0),
    {
      label: columnHeading(answer),
      ...(calendar != null
        ? {
            scale: (domain, range) => dateScale({ domain, range, calendar }),
            text: (value) => periodText(value, calendar),
          }
        : areYears(unit)
          ? { scale: (domain, range) => linearScale({ domain, range, label: yearText }), text: yearText }
          : {}),
    },
    { draw: "line", label: "rows at or below" },
  );
}

/** A line in its band for each group; of two groups a panel for each of one. Null for more than one picture tells apart. */
function linesForm(
  answer: Answer,
  at: (cell: AnswerCell) => number,
  x: LineChartSpec["x"],
  { draw = "both", label = valueLabel(answer) }: { readonly draw?: "line" | "both"; readonly label?: string } = {},
): Draw | null {
  const { title, subtitle } = wordsOf(answer);
  const measure = draw === "line" ? {} : measureOf(answer);
  const specOf = (cells: readonly AnswerCell[], nameOf: (cell: AnswerCell) => string): LineChartSpec => ({
    ...{ title, subtitle, x },
    y: {
      label,
      includeZero: draw === "line" || isAmount(answer),
      scale: (domain, range) => axisOf(measure)({ domain, range }),
    },
    series: distinct(cells.map(nameOf)).map((name) => {
      const own = cells.filter((cell) => nameOf(cell) === name).toSorted((a, b) => at(a) - at(b));
      const told = own.filter(({ unreliable }) => unreliable !== true);
      return {
        name: name === "" ? answer.label : name,
        draw,
        points: told.map((cell) => [at(cell), cell.value] as const),
        faint: own.filter((cell) => !told.includes(cell)).map((cell) => [at(cell), cell.value] as const),
        band: told.flatMap((cell) =>
          cell.rank === undefined ? [{ x: at(cell), low: cell.interval[0], high: cell.interval[1] }] : [],
        ),
      };
    }),
  });
  const whole = specOf(answer.cells, (cell) => groupText(cell, answer));
  const [panel, ...rest] = answer.groupBy;
  if (rest.length === 0 && whole.series.length <= MAX_SERIES) return (size) => lineChart(whole, size);
  if (panel === undefined) return null;
  const names = distinct(answer.cells.map((cell) => valueText(answer, panel, cell.group[panel])));
  const inner = { ...answer, groupBy: rest };
  const lines = names.map((name) => ({
    name,
    spec: specOf(
      answer.cells.filter((cell) => valueText(answer, panel, cell.group[panel]) === name),
      (cell) => groupText(cell, inner),
    ),
  }));
  if (names.length > MAX_PANELS || lines.some(({ spec }) => spec.series.length > MAX_SERIES)) return null;
  const ends = lines.flatMap(({ spec }) =>
    spec.series.flatMap(({ band = [], points }) => [
      ...band.flatMap(({ low, high }) => [low, high]),
      ...points.map(([, y]) => y),
    ]),
  );
  const domain = [
    Math.min(...(whole.y.includeZero ? [0] : []), ...ends),
    Math.max(...(whole.y.includeZero ? [0] : []), ...ends),
  ] as const;
  return (size) =>
    smallMultiples(
      {
        ...{ title, subtitle },
        summary: lineChart(whole, { width: 720 }).summary,
        table: table([], []),
        panels: lines.map(({ name, spec }) => ({
          name,
          draw: (room) => lineChart({ ...spec, y: { ...spec.y, domain } }, room),
        })),
      },
      size,
    );
}

function binsForm(answer: Answer, order: RowOrder): Draw | null {
  const [group, another] = answer.groupBy;
  if (another !== undefined || answer.cells.some(({ bin }) => bin === undefined)) return rowsForm(answer, order);
  if (!hasOrderedBins(answer)) {
    if (group !== undefined) return heatForm(answer, order);
    return rowsForm(answer, answer.shows.bin === undefined ? order : "declared");
  }
  if (isInTime(columnMeasure(answer))) return seriesForm(answer);
  const spec = columnsOf(answer);
  if (group === undefined) return (size) => columnChart(spec, size);
  if (spec.series.length === 2 && isCounted(answer))
    return pyramidOf(answer, {
      bin: (cell) => binText(answer, cell),
      side: (cell) => groupText(cell, answer),
      label: binHeading(answer),
    });
  if (spec.series.length > MAX_PANELS) return null;
  const domain = reach(spec);
  return (size) =>
    smallMultiples(
      {
        ...wordsOf(answer),
        summary: columnChart(spec, { width: 720 }).summary,
        table: table([], []),
        panels: spec.series.map((one) => ({
          name: one.name,
          draw: (room) => columnChart({ ...spec, domain, series: [one] }, room),
        })),
      },
      size,
    );
}

const columnsOf = (answer: Answer): BarChartSpec =>
  crossed(answer, {
    name: (cell) => binText(answer, cell),
    series: (cell) => groupText(cell, answer),
    label: binHeading(answer),
  });

/** Every series over every name. */
function crossed(
  answer: Answer,
  {
    name,
    series,
    label,
  }: {
    readonly name: (cell: AnswerCell) => string;
    readonly series: (cell: AnswerCell) => string;
    readonly label: string;
  },
): BarChartSpec {
  const names = distinct(answer.cells.map(name));
  const found = new Map(answer.cells.map((cell) => [JSON.stringify([series(cell), name(cell)]), cell]));
  return {
    ...wordsOf(answer),
    names,
    nameLabel: label,
    series: distinct(answer.cells.map(series)).map((each) => ({
      name: each,
      values: names.map((one) => {
        const cell = found.get(JSON.stringify([each, one]));
        return cell === undefined ? null : barOf(cell);
      }),
    })),
  };
}

function pyramidOf(
  answer: Answer,
  {
    bin,
    side,
    label,
  }: {
    readonly bin: (cell: AnswerCell) => string;
    readonly side: (cell: AnswerCell) => string;
    readonly label: string;
  },
): Draw {
  const spec = crossed(answer, { name: bin, series: side, label });
  return (size) => pyramidChart(spec, size);
}

function dotsOf(answer: Answer, cells: readonly AnswerCell[], nameOf: (cell: AnswerCell) => string): DotRowsSpec {
  const bins = cells.some(({ bin }) => bin !== undefined) ? [binHeading(answer)] : [];
  return {
    ...wordsOf(answer),
    names: cells.map(nameOf),
    nameLabel: [...answer.groupBy.map((name) => columnText(answer, name)), ...bins].join(", "),
    series: [{ name: answer.label, values: cells.map(barOf) }],
    notes: cells.map(({ rows }) =>
      rows === undefined || isCounted(answer) ? null : `n ≈ ${formatNumber(Math.max(0, Math.round(rows.value)), 15)}`,
    ),
    scale: axisOf(measureOf(answer)),
    includeZero: isAmount(answer),
    text: (value) => textOf(answer, value),
  };
}

function rowsForm(answer: Answer, order: RowOrder): Draw | null {
  const hasBins = answer.cells.some(({ bin }) => bin !== undefined);
  const sorted =
    order === "value" && (isSortable(answer) || answer.groupBy.length > 1)
      ? answer.cells.toSorted(
          (a, b) => Number(a.unreliable ?? false) - Number(b.unreliable ?? false) || b.value - a.value,
        )
      : answer.cells;
  const nameOf = (cell: AnswerCell): string =>
    [groupText(cell, answer), hasBins ? binText(answer, cell) : ""].filter((part) => part !== "").join(", ");
  const spec = dotsOf(answer, sorted, nameOf);
  if (spec.names.length <= MAX_ROWS) return (size) => dotRows(spec, size);
  // Columns begin at zero, and no date and no year does.
  return isInTime(measureOf(answer)) ? null : (size) => columnChart(spec, size);
}

/** The answers of several releases to one question next to each other, named in their order; null where they ask something else. */
export function comparedChart(answers: readonly Answer[], names: readonly string[]): Draw | null {
  const [first] = answers;
  const asks = ({ label, groupBy, shows }: Answer): string => JSON.stringify([label, groupBy, shows]);
  if (first === undefined || isOrder(first) || answers.some((answer) => asks(answer) !== asks(first))) return null;
  const nameOf = (cell: AnswerCell): string =>
    [groupText(cell, first), binText(first, cell)].filter((part) => part !== "").join(", ") || titleOf(first);
  const slots = distinct(answers.flatMap(({ cells }) => cells.map(nameOf)));
  if (slots.length === 0 || slots.length > MAX_ROWS) return null;
  const spec: DotRowsSpec = {
    ...dotsOf(first, first.cells, nameOf),
    subtitle: "",
    names: slots,
    notes: [],
    series: answers.map(({ cells }, at) => {
      const found = new Map(cells.map((cell) => [nameOf(cell), cell]));
      return {
        name: names[at] ?? "",
        values: slots.map((slot) => {
          const cell = found.get(slot);
          return cell === undefined ? null : barOf(cell);
        }),
      };
    }),
  };
  return (size) => dotRows(spec, size);
}

/** A value in the digits that its interval tells, without its unit, which the axis has. */
function textOf(answer: Answer, { value, low, high }: BarValue): string {
  const { unit, calendar } = measureOf(answer);
  const digits = low === undefined || high === undefined ? 6 : meaningfulDigits({ value, interval: [low, high] });
  return measureText(value, areYears(unit) ? { unit } : { calendar }, digits);
}

/** A table of two groups, or of a group and its bins; below each other where its cells have no room. */
function heatForm(answer: Answer, order: RowOrder): Draw | null {
  const [first = "", second] = answer.groupBy;
  const ofGroup = (name: string) => ({
    label: columnText(answer, name),
    text: (cell: AnswerCell) => valueText(answer, name, cell.group[name]),
  });
  const other =
    second === undefined
      ? { label: binHeading(answer), text: (cell: AnswerCell) => binText(answer, cell) }
      : ofGroup(second);
  const [few, many] = [other, ofGroup(first)].toSorted(
    (a, b) => distinct(answer.cells.map(a.text)).length - distinct(answer.cells.map(b.text)).length,
  ) as [typeof other, typeof other];
  const found = new Map(answer.cells.map((cell) => [JSON.stringify([many.text(cell), few.text(cell)]), cell]));
  const [rows, columns] = [distinct(answer.cells.map(many.text)), distinct(answer.cells.map(few.text))];
  const spec: HeatTableSpec = {
    ...wordsOf(answer),
    rows,
    columns,
    rowLabel: many.label,
    columnLabel: few.label,
    cells: rows.map((row) =>
      columns.map((column) => {
        const cell = found.get(JSON.stringify([row, column]));
        return cell === undefined ? null : heatCellOf(answer, cell);
      }),
    ),
  };
  if (columns.length > MAX_PANELS || rows.length > MAX_ROWS) return rowsForm(answer, order);
  const panels = columns.map((name) => {
    const own = answer.cells.filter((cell) => few.text(cell) === name);
    return { name, spec: dotsOf(answer, own, many.text) };
  });
  const domain = dotEnds(dotsOf(answer, answer.cells, many.text));
  return (size) => {
    const table = heatTable(spec, size);
    if (heatFits(spec, size.width)) return table;
    const drawn = panels.map(({ name, spec }) => ({
      name,
      draw: (room: ChartSize) => dotRows({ ...spec, domain }, room),
    }));
    return smallMultiples({ ...table, subtitle: subtitleOf(answer), panels: drawn }, size);
  };
}

export function heatCellOf(answer: Answer, cell: AnswerCell): HeatCell {
  const { unit, calendar } = measureOf(answer);
  const measure = areYears(unit) ? { unit } : { calendar };
  const between = intervalText(cell.interval, measure);
  return {
    value: cell.value,
    // Its value says nothing, and would be quoted.
    text: cell.unreliable ? "–" : textOf(answer, barOf(cell)),
    // A dash before a minus would be read as one.
    note: cell.rank !== undefined ? "" : /[\u2212-]/.test(between) ? between : between.replace(" to ", "–"),
    ...(cell.unreliable ? { isFaint: true } : {}),
  };
}
