import { formatPeriod, invalid, PrivacyError } from "@dosimeter/core";
import { isPrintable, present } from "@dosimeter/core/internal";
import { unitOfDates } from "../../declaration/dates.ts";
import type { Column, Declaration } from "../../declaration/declaration.ts";
import { declaredColumn } from "../../declaration/predicate.ts";
import { list, own, text } from "../../input/check.ts";
import type { Bin, TableColumn, TableTask } from "../../plan/task.ts";
import { histogramBins } from "../histogram/bins.ts";
import type { CheckedRow } from "../statistic.ts";
import { type TableBins, tableBins } from "./column-bins.ts";
import { impossibleCells } from "./impossible.ts";
import { weighted } from "./weights.ts";

/** Of 64 columns all 2,016 pairs are counted. */
const MAX_COLUMNS = 64;
/** A column has at most this many cells. */
const MAX_VALUES = 10_000;
/** A pair with more cells drowns in its own noise, and is no candidate. */
const MAX_PAIR = 4096;
/** Bins of a column of numbers, where no number is asked for and it has more values. */
const DEFAULT_BINS = 20;
/** The most whole numbers that a unit's rows are ordered by; they hold all their cells. */
const MAX_WORDS = 3;
/** Bits of one of them. */
const WORD_BITS = 62;

/** Columns and their cells: those asked for, or all whose values are declared. */
export function tableTask(row: CheckedRow): TableTask {
  const { given, path, declaration, groupBy } = row;
  if (groupBy.length > 0)
    invalid(`${path}.groupBy`, groupBy, "absent: a synthetic table has no groups; filter instead");
  const asked = own(given, "with");
  const bins = tableBins(own(given, "bins"), declaration.columns, `${path}.bins`);
  const names =
    asked === undefined
      ? Object.keys(declaration.columns).filter((name) => isCountable(name, declaration) || bins.of.has(name))
      : (typeof asked === "string" ? [asked] : list(asked, `${path}.with`)).map((name, at) =>
          text(name, `${path}.with[${at}]`, 200),
        );
  if (names.length === 0 || names.length > MAX_COLUMNS)
    return invalid(`${path}.with`, names.length, `1 to ${MAX_COLUMNS} columns with declared categories or bounds`);
  const columns = names.map((name, at) => {
    const place = `${path}.with[${at}]`;
    if (names.indexOf(name) !== at) invalid(place, name, "named once");
    return tableColumn(name, declaration, { bins, place, path });
  });
  for (const name of bins.of.keys())
    if (!names.includes(name)) invalid(`${path}.bins.${name}`, name, "a column of the table");
  if (row.unit === "column" && orderWords(columns).length > MAX_WORDS)
    invalid(`${path}.with`, names.length, "fewer columns: each unit's rows are ordered by all of them");
  const candidates = columns.flatMap((first, a) =>
    columns.flatMap((second, b) =>
      a < b && first.cells > 1 && second.cells > 1 && first.cells * second.cells <= MAX_PAIR ? [[a, b] as const] : [],
    ),
  );
  const { pairs, ...weights } = weighted(candidates, names, {
    given: own(given, "weights"),
    path: `${path}.weights`,
  });
  const facts = own(given, "impossible");
  const impossible =
    facts === undefined
      ? {}
      : { impossible: impossibleCells(facts, columns, { declaration, path: `${path}.impossible` }) };
  const counted = pairs.reduce((sum, [a, b]) => sum + (columns[a]?.cells ?? 0) * (columns[b]?.cells ?? 0), 0);
  const cells = counted + columns.reduce((sum, { cells }) => sum + cells, 0);
  return { kind: "table", columns, pairs, ...weights, ...impossible, cells };
}

/** The columns whose cells one whole number holds, each with its distance from the low end, for as many numbers as are needed. */
export function orderWords(
  columns: readonly Pick<TableColumn, "cells" | "isLevel">[],
): readonly (readonly { readonly at: number; readonly left: number }[])[] {
  const words: { at: number; left: number }[][] = [[]];
  let left = WORD_BITS;
  columns.forEach(({ cells, isLevel }, at) => {
    if (isLevel === true) return;
    const bits = cells.toString(2).length;
    if (bits > left) {
      words.push([]);
      left = WORD_BITS;
    }
    left -= bits;
    words.at(-1)?.push({ at, left });
  });
  return words;
}

/** Whether a synthetic table has a column if none are named: not the unit itself, no text, no numbers without bounds, nothing derived. */
export function isCountable(name: string, { columns, privacyUnit }: Declaration): boolean {
  const column = columns[name];
  if (column === undefined || column.derived !== undefined) return false;
  if (privacyUnit !== "row" && privacyUnit.column === name) return false;
  if (column.type === "boolean" || column.type === "category") return true;
  return column.type !== "text" && column.lower !== undefined && column.upper !== undefined;
}

interface BinsAsked {
  readonly bins: TableBins;
  readonly place: string;
  readonly path: string;
}

/** A column with its cells: bins of its own, or those of all columns. */
export function tableColumn(name: string, declaration: Declaration, { bins, place, path }: BinsAsked): TableColumn {
  const column = declaredColumn(name, declaration, place);
  const isText = column.type === "text";
  if (isText && !bins.of.has(name))
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: place,
      got: name,
      want: "not a text column: its values are not declared; bins may list those that count",
    });
  const found = bins.of.has(name)
    ? ownBins(column, bins.of.get(name), `${path}.bins.${name}`)
    : binsOfColumn(column, bins.all, place, path);
  if (found.length > MAX_VALUES) invalid(place, found.length, `a column with at most ${MAX_VALUES} values`);
  const hasMissing = isText || column.required !== true;
  return {
    ...{ name, type: column.type, bins: found, hasMissing, cells: found.length + (hasMissing ? 1 : 0) },
    ...(column.type === "date" ? { calendar: unitOfDates(column) } : {}),
    ...present({ granularity: column.granularity }),
  };
}

/** Bins of this column alone: as many as are asked for, edges, periods of dates; of texts the values that count, all others are missing. */
function ownBins(column: Column, asked: unknown, path: string): readonly Bin[] {
  if (column.type === "text") return listedTexts(asked, path);
  const { lower, upper } = column;
  const bounds = lower === undefined || upper === undefined ? null : { lower, upper };
  return histogramBins(column, asked, bounds, path);
}

function listedTexts(asked: unknown, path: string): readonly Bin[] {
  const listed = list(asked, path);
  if (listed.length > MAX_VALUES) invalid(path, listed.length, `at most ${MAX_VALUES} values`);
  const values = listed.map((value, at) => text(value, `${path}[${at}]`, 200).normalize("NFC"));
  if (values.length === 0) invalid(path, asked, "at least one value");
  const seen = new Set<string>();
  values.forEach((value, at) => {
    if (seen.has(value)) invalid(`${path}[${at}]`, value, "listed once");
    seen.add(value);
    if (!isPrintable(value)) invalid(`${path}[${at}]`, at, "printable characters");
  });
  return values.map((value) => ({ label: value, value }));
}

/** Every value of its own where they are few, else bins of equal width. */
function binsOfColumn(column: Column, asked: unknown, place: string, path: string): readonly Bin[] {
  if (column.type === "boolean" || column.type === "category") return histogramBins(column, undefined, null, path);
  const { lower, upper } = column;
  if (lower === undefined || upper === undefined)
    return invalid(place, undefined, "a column with declared bounds: they are never read from the data");
  const most = asked ?? DEFAULT_BINS;
  if (typeof most !== "number" || !Number.isSafeInteger(most) || most < 1)
    return invalid(`${path}.bins`, asked, "a whole number >= 1: the bins of each column of numbers");
  const isWhole = column.type !== "number";
  const bins = isWhole ? Math.min(most, upper - lower + 1) : most;
  const numbers = histogramBins({ ...column, type: isWhole ? "integer" : "number" }, bins, { lower, upper }, path);
  if (column.type !== "date") return numbers;
  const unit = unitOfDates(column);
  return numbers.map((bin) => {
    if (!("lower" in bin)) return bin;
    const [from, to] = [formatPeriod(bin.lower, unit), formatPeriod(bin.upper, unit)];
    return { ...bin, label: from === to ? from : `${from} – ${to}` };
  });
}
