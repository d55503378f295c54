import { invalid, parsePeriod } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { Column, Declaration } from "../../declaration/declaration.ts";
import { holds } from "../../declaration/holds.ts";
import type { Key } from "../../declaration/key.ts";
import { comparedWith, inPeriods, type Predicate, predicateColumns } from "../../declaration/predicate.ts";
import { readPredicate } from "../../declaration/predicate-text.ts";
import type { ReleasedColumn, ReleasedTable } from "../released.ts";
import { type EstimatedTable, estimate } from "./estimate.ts";
import { pointsOf } from "./impossible.ts";
import { type PairStanding, standingOfPair } from "./released-table.ts";
import { syntheticValues } from "./synthesize.ts";

/** The most made-up rows that a question reads; what it counts is scaled up to the number of rows of the table. */
const MAX_ASKED_ROWS = 100_000;
/** Rows of one piece. */
const PIECE = 4096;
/** The combinations of values at which a condition is evaluated to see which cells it holds in. */
const MAX_EVALUATED = 50_000;
/** The mean size of a sum of k draws is at most this times √k times that of one: of Laplace draws; of Gaussian ones 1. */
const OF_A_SUM = 2 / Math.sqrt(Math.PI);

const twoDigits = new Intl.NumberFormat("en", { maximumSignificantDigits: 2 });
const plain = (value: number): string => twoDigits.format(value);
const listed = new Intl.ListFormat("en-GB");

/** A question to made-up rows: how many there are, and the mean of a column over them. */
export interface RowsQuestion {
  readonly where?: Predicate | string | undefined;
  readonly mean?: string | undefined;
  readonly seed?: number | undefined;
}

/** What made-up rows say, and what that is worth. */
export interface RowsAnswer {
  /** As many rows as the table seems to have, of which `read` were made up. */
  readonly rows: number;
  readonly read: number;
  readonly count: number;
  /** Of the rows that have a value; null where none does. */
  readonly mean?: number | null;
  /** `assumed`: more than two columns together, which no table measures. */
  readonly basis: PairStanding | "assumed";
  /** About how far the noise alone moves them [M204]; null where it is not the noise that decides. */
  readonly noise: { readonly count: number | null; readonly mean: number | null };
  readonly notes: readonly string[];
}

export function checkRowsQuestion(
  table: ReleasedTable,
  { where, mean, seed }: RowsQuestion,
): RowsQuestion & { readonly where?: Predicate | undefined } {
  const column = table.columns.find(({ name }) => name === mean);
  if (mean !== undefined && (column === undefined || !isNumeric(column)))
    invalid("mean", mean, "a column of numbers or of true and false in the table");
  if (where === undefined || where === "")
    return mean === undefined ? invalid("where", where, "given, or mean") : { mean, seed };
  return { where: readPredicate(where, declarationOf(table)), mean, seed };
}

const isNumeric = ({ type, bins }: ReleasedColumn): boolean =>
  type === "boolean" || (type !== "date" && bins.every((bin) => !("value" in bin) || typeof bin.value === "number"));

/** The columns of a table as if they were declared: of texts only those that count are known. */
const declarationOf = ({ columns }: ReleasedTable): Pick<Declaration, "privacyUnit" | "columns"> => ({
  privacyUnit: "row",
  columns: Object.fromEntries(
    columns.map(({ name, type, bins, calendar }): [string, Column] => [
      name,
      type === "text" || type === "category"
        ? {
            type: "category",
            categories: bins.flatMap((bin) => ("value" in bin && typeof bin.value !== "boolean" ? [bin.value] : [])),
            provenance: "asserted",
          }
        : { type, ...present({ calendar }), provenance: "asserted" },
    ]),
  ),
});

/** Counts made-up rows, and takes the mean of a column over them: free, the same for the same seed, and no better than what was measured. */
export function askRows(table: ReleasedTable, question: RowsQuestion): RowsAnswer {
  const { where, mean, seed } = checkRowsQuestion(table, question);
  const asked = where === undefined ? undefined : inPeriods(where, declarationOf(table));
  const estimated = estimate(table);
  const read = Math.min(estimated.rows, MAX_ASKED_ROWS);
  const names = [...new Set([...predicateColumns(asked ?? null), ...(mean === undefined ? [] : [mean])])];
  const places = names.map((name) => table.columns.findIndex((column) => column.name === name));
  let [count, known, total] = [0, 0, 0];
  for (const columns of syntheticValues(table, { rows: read, seed }, PIECE))
    for (let row = 0; row < (columns[0]?.length ?? 0); row++) {
      const values: Record<string, Key | null> = {};
      for (const at of places) {
        const { name = "", calendar } = table.columns[at] ?? {};
        const value = columns[at]?.[row] ?? null;
        values[name] =
          calendar === undefined || value === null ? value : (parsePeriod(String(value), calendar) ?? null);
      }
      if (asked !== undefined && !holds(asked, values)) continue;
      count += 1;
      const value = mean === undefined ? null : (values[mean] ?? null);
      if (value !== null) [known, total] = [known + 1, total + Number(value)];
    }
  const scaled = Math.round((count * estimated.rows) / read);
  const worth = worthOf(table, estimated, { asked, mean, places });
  return {
    ...{ rows: estimated.rows, read, count: scaled },
    ...(mean === undefined ? {} : { mean: known === 0 ? null : total / known }),
    ...{ basis: worth.basis, noise: { count: worth.count, mean: worth.mean } },
    notes: notesOf(worth, { count: scaled, names, mean, step: estimated.rows / read }),
  };
}

interface Worth {
  readonly basis: RowsAnswer["basis"];
  readonly count: number | null;
  readonly mean: number | null;
  /** A condition holds in a part of a cell. */
  readonly isCut: boolean;
  /** How far values within their bins can move the mean. */
  readonly within: number;
}

interface Reading {
  readonly asked: Predicate | undefined;
  readonly mean: string | undefined;
  readonly places: readonly number[];
}

function worthOf(table: ReleasedTable, estimated: EstimatedTable, { asked, mean, places }: Reading): Worth {
  const [a = 0, b] = [...places].sort((x, y) => x - y);
  const nothing = { count: null, mean: null, isCut: false, within: 0 };
  if (places.length > 2) return { basis: "assumed", ...nothing };
  const basis = b === undefined ? "measured" : standingOfPair(table, [a, b]);
  const cells = basis === "measured" ? cellsOf(table, asked, b === undefined ? [a] : [a, b]) : null;
  if (cells === null) return { basis, ...nothing };
  const counts =
    b === undefined
      ? estimated.columns[a]
      : estimated.pairs.find(({ columns: [one, other] }) => one === a && other === b)?.counts;
  const size = OF_A_SUM * (b === undefined ? table.noise.columns : table.noise.pairs);
  const isCut = cells.some(({ isPart }) => isPart);
  const count = size * Math.sqrt(cells.length);
  const of = table.columns.findIndex(({ name }) => name === mean);
  const width = table.columns[b ?? a]?.counts.length ?? 1;
  const held = cells.flatMap(({ cell }) => {
    const bin = table.columns[of]?.bins[b === undefined || of === b ? cell % width : Math.floor(cell / width)];
    if (bin === undefined) return [];
    const [low, high] = "value" in bin ? [Number(bin.value), Number(bin.value)] : [bin.lower, bin.upper];
    return [{ rows: counts?.[cell] ?? 0, middle: (low + high) / 2, half: (high - low) / 2 }];
  });
  const rows = held.reduce((sum, each) => sum + each.rows, 0);
  if (mean === undefined || rows === 0) return { basis, count, mean: null, isCut, within: 0 };
  const at = held.reduce((sum, each) => sum + each.rows * each.middle, 0) / rows;
  const spread = Math.sqrt(held.reduce((sum, { middle }) => sum + (middle - at) ** 2, 0));
  const within = held.reduce((sum, each) => sum + each.rows * each.half, 0) / rows;
  return { basis, count, mean: (size * spread) / rows, isCut, within };
}

/** The cells of one or two columns in which the condition holds, or holds in part; null where there are too many values to look at. */
function cellsOf(
  { columns }: ReleasedTable,
  asked: Predicate | undefined,
  places: readonly number[],
): readonly { readonly cell: number; readonly isPart: boolean }[] | null {
  const [first, second] = places.map((at) => columns[at]);
  if (first === undefined) return null;
  const pointsIn = (column: ReleasedColumn): ReturnType<typeof pointsOf> =>
    pointsOf(column, asked === undefined ? [] : comparedWith(asked, column.name));
  const [left, right] = [pointsIn(first), second === undefined ? [[null]] : pointsIn(second)];
  if (left.flat().length * right.flat().length > MAX_EVALUATED) return null;
  return left.flatMap((xs, i) =>
    right.flatMap((ys, j) => {
      const isSo = xs.flatMap((x) =>
        ys.map((y) => asked === undefined || holds(asked, { [first.name]: x, ...(second && { [second.name]: y }) })),
      );
      return isSo.includes(true) ? [{ cell: i * right.length + j, isPart: isSo.includes(false) }] : [];
    }),
  );
}

/** What counts of columns that were not measured together are worth: the rest of a sentence that begins with the columns. */
export const UNMEASURED: Readonly<Record<Exclude<RowsAnswer["basis"], "measured">, string>> = {
  linked: "were not measured together: this follows from measured pairs, or from what the plan says is impossible.",
  independent: "were not measured together: made-up rows take them as independent, whatever they are.",
  assumed: "are more than two columns: together they were not measured, and made-up rows only follow pairs of them.",
};

function notesOf(
  { basis, count: noise, mean: noiseOfMean, isCut, within }: Worth,
  {
    count,
    names,
    mean,
    step,
  }: {
    readonly count: number;
    readonly names: readonly string[];
    readonly mean: string | undefined;
    /** How many rows of the table each made-up one stands for. */
    readonly step: number;
  },
): readonly string[] {
  return [
    "Made-up rows were counted: this is free, and without an interval. Where it matters, plan it as a statistic of its own.",
    ...(step > 1
      ? [`Each made-up row stands for ${plain(step)} rows: the count may be off by several times that.`]
      : []),
    ...(basis === "measured" ? [] : [`${listed.format(names)} ${UNMEASURED[basis]}`]),
    ...(noise === null ? [] : [`The noise alone moves the count by about ± ${plain(noise)}.`]),
    ...(noise !== null && noise * 2 > count ? ["That is as much as the count: do not use it."] : []),
    ...(noiseOfMean === null ? [] : [`The noise alone moves the mean by about ± ${plain(noiseOfMean)}.`]),
    ...(isCut ? ["The condition ends within bins, where made-up values are spread evenly: that is assumed."] : []),
    ...(mean !== undefined && within > 0
      ? [`Within their bins true values may lie elsewhere: that moves the mean by up to ± ${plain(within)}.`]
      : []),
  ];
}
