import { casesText, periodText } from "@dosimeter/core";
import { meaningful } from "@dosimeter/core/internal";
import { type Answer, notesOf, rereadCells } from "@dosimeter/query/answer";
import type { Key } from "@dosimeter/query/declaration";
import type { BoundedPlan, BoundedStatistic } from "@dosimeter/query/plan";
import type { AnswerCell } from "@dosimeter/query/statistics";
import { calendarOf, computedOver, instantOrder, isClock } from "./having.ts";
import type { SqlColumn, SqlTable } from "./table.ts";

/** A cell: several values where an answer has several. Dates are texts. */
type SqlReads = Exclude<SqlColumn, { is: "group" }>["reads"];
type SqlCell = Key | null | readonly (number | string | null)[];
type Row = readonly SqlCell[];

export interface SqlRows {
  readonly rows: readonly Row[];
  /** What a reader of the table must know of its values. */
  readonly notes: readonly string[];
}

/**
 * The table of one statement, from the answers of its release. Where noisy values decide which rows are shown, intervals hold for all
 * groups of a column at once: each at the failure probability divided by their number [M191]. Rows are picked by all digits of the
 * values, and have those that mean something unless all are asked for. In steps of a few milliseconds.
 */
export function* tableSteps(
  table: SqlTable,
  answers: readonly Pick<Answer, "id" | "cells" | "confidence" | "origin" | "notes">[],
  plan: Pick<BoundedPlan, "statistics">,
  { isExact = false } = {},
): Generator<void, SqlRows> {
  const wanted = new Set(table.columns.flatMap((column) => (column.is === "group" ? [] : [column.row])));
  const byRow = new Map<string, ReadonlyMap<string, Group>>();
  const groups = new Map<string, AnswerCell["group"]>();
  const notes = new Map<string, string[]>();
  for (const answer of answers) {
    if (!wanted.has(answer.id)) continue;
    const statistic = plan.statistics.find(({ id }) => id === answer.id);
    const atOnce = yield* cellsAtOnce(answer, statistic, table);
    const cells = atOnce ?? answer.cells;
    const found = yield* byGroup(cells, table.groupBy, groups);
    byRow.set(answer.id, found);
    const { name, said } = yield* about(answer, { cells, isAtOnce: atOnce !== null, statistic, table });
    for (const note of said) notes.set(note, [...(notes.get(note) ?? []), name]);
  }
  const cellsOf = (row: string, key: string) => byRow.get(row)?.get(key)?.cells ?? [];
  const found: Found[] = [];
  for (const [key, group] of groups) {
    if (!isAsked(group, table)) continue;
    const row = table.columns.map((column) =>
      column.is === "group" ? (group[column.column] ?? null) : shown(column, cellsOf(column.row, key)),
    );
    if (table.having === null || computedOver(table.having, (place) => known(row, place, table)) === true)
      found.push({ key, row });
    yield;
  }
  const ordered = table.orderBy.length === 0 ? found : yield* sorted(found, (a, b) => compared(a.row, b.row, table));
  const end = table.limit === null ? undefined : table.offset + table.limit;
  const picked = ordered.slice(table.offset, end);
  const rows = picked.map(({ key, row }) =>
    row.map((cell, place) => {
      const column = table.columns[place];
      if (column === undefined || column.is === "group")
        return column?.isText === undefined || cell === null ? cell : String(cell);
      return isExact ? cell : shown(column, cellsOf(column.row, key), meaningful);
    }),
  );
  const intervals = intervalNotes(table, answers, (row) => picked.map(({ key }) => cellsOf(row, key)));
  return { rows, notes: [...intervals, ...namedNotes(notes, wanted.size)] };
}

/** Whether a group is of one of the groupings that were written; answers have all that these add up to. */
const isAsked = (group: AnswerCell["group"], { sets, groupBy }: SqlTable): boolean =>
  sets === null || sets.some((set) => groupBy.every((name) => set.includes(name) === (group[name] !== undefined)));

/** A row with all digits, and the group that it is about. */
interface Found {
  readonly key: string;
  readonly row: Row;
}

/** More intervals than a note is read for: then `dp_interval_low` and `dp_interval_high` make columns of them. */
const MAX_INTERVALS = 12;

/** The interval of each answer that has no columns for it, in the order of the rows; a quantile errs in rows, which its note says. */
function intervalNotes(
  { columns }: SqlTable,
  answers: readonly Pick<Answer, "id" | "confidence">[],
  cellsOf: (row: string) => readonly (readonly AnswerCell[])[],
): readonly string[] {
  return columns.flatMap((column) => {
    if (column.is !== "value" || column.kind === "list") return [];
    if (columns.some((other) => other.is !== "group" && other.is !== "value" && other.row === column.row)) return [];
    const cells = cellsOf(column.row).map((all) => (column.reads === "all" ? undefined : oneOf(all, column.reads)));
    if (cells.length > MAX_INTERVALS || cells.some((cell) => cell?.rank !== undefined)) return [];
    if (cells.every((cell) => cell === undefined || cell.unreliable === true)) return [];
    const texts = cells.map((cell) => (cell === undefined ? "none" : endsText(cell, calendarOf(column.kind))));
    const at = casesText(answers.find(({ id }) => id === column.row)?.confidence ?? 1);
    return [`${column.name}: ${texts.join("; ")}${texts.length === 1 ? "," : ", in the order of the rows,"} ${at}.`];
  });
}

const digits = new Intl.NumberFormat("en", { maximumSignificantDigits: 15 });

function endsText(cell: AnswerCell, unit: ReturnType<typeof calendarOf>): string {
  const [from, to] = unit === null ? meaningful(cell).interval : cell.interval;
  return unit === null
    ? `${digits.format(from)} to ${digits.format(to)}`.replaceAll("-", "\u2212")
    : `${periodText(from, unit, "down")} to ${periodText(to, unit, "up")}`;
}

const oneOf = <T>(all: readonly T[], reads: Exclude<SqlReads, "all">): T | undefined =>
  all[reads === "first" ? 0 : reads.place];

/** Cells read again at the failure probability that picking from all of them leaves to each; null where they stay as they are. */
function* cellsAtOnce(
  { cells, confidence, origin }: Pick<Answer, "cells" | "confidence" | "origin">,
  statistic: BoundedStatistic | undefined,
  { isPicked }: SqlTable,
): Generator<void, readonly AnswerCell[] | null> {
  if (!isPicked || statistic === undefined || origin !== undefined || cells.length < 2) return null;
  return yield* rereadCells(statistic, cells, (1 - confidence) / cells.length);
}

interface Group {
  readonly group: AnswerCell["group"];
  readonly cells: AnswerCell[];
}

/** Adds the groups that no answer before had to `all`. */
function* byGroup(
  cells: readonly AnswerCell[],
  groupBy: readonly string[],
  all: Map<string, AnswerCell["group"]>,
): Generator<void, ReadonlyMap<string, Group>> {
  const groups = new Map<string, Group>();
  for (const [at, cell] of cells.entries()) {
    const key = JSON.stringify(groupBy.map((name) => cell.group[name] ?? null));
    const group = groups.get(key) ?? { group: cell.group, cells: [] };
    groups.set(key, group);
    if (!all.has(key)) all.set(key, cell.group);
    group.cells.push(cell);
    if (at % RUN === 0) yield;
  }
  return groups;
}

/** An unreliable value says nothing, so it is missing. */
function shown(
  column: Exclude<SqlColumn, { is: "group" }>,
  cells: readonly AnswerCell[],
  rounded: (cell: AnswerCell) => Pick<AnswerCell, "value" | "interval"> = (cell) => cell,
): SqlCell {
  const unit = calendarOf(column.kind);
  const values = cells.map((cell) => {
    const { value, interval } = unit === null ? rounded(cell) : cell;
    if (column.is === "value") {
      if (cell.unreliable === true) return null;
      return unit === null ? value : periodText(value, unit);
    }
    const isLow = column.is === "low";
    const end = interval[isLow ? 0 : 1];
    return unit === null ? end : periodText(end, unit, isLow ? "down" : "up");
  });
  const { reads } = column;
  return reads === "all" ? values : (oneOf(values, reads) ?? null);
}

interface About {
  readonly cells: readonly AnswerCell[];
  readonly isAtOnce: boolean;
  readonly statistic: BoundedStatistic | undefined;
  readonly table: SqlTable;
}

/** The column that shows an answer, and what must be known of it. */
function* about(
  { id, confidence, notes }: Pick<Answer, "id" | "confidence" | "notes">,
  { cells, isAtOnce, statistic, table }: About,
): Generator<void, { readonly name: string; readonly said: readonly string[] }> {
  const columns = table.columns.filter((column) => column.is !== "group" && column.row === id);
  const name = columns.find(({ is }) => is === "value")?.name ?? id;
  const isSeveral = columns.some(({ kind }) => kind === "list");
  let unreliable = 0;
  const bins = new Set<string>();
  for (const [at, cell] of cells.entries()) {
    if (cell.unreliable === true) unreliable += 1;
    if (isSeveral && cell.bin !== undefined) bins.add(cell.bin.label);
    if (at % RUN === 0) yield;
  }
  const interval = isAtOnce
    ? `Intervals hold for all ${cells.length} answers at once, ${casesText(confidence)}; the page and report of the release show them one by one.`
    : `Intervals hold one by one, ${casesText(confidence)}, and not for rows that were picked.`;
  const said = [
    ...(bins.size > 0 && bins.size <= MAX_BINS ? [`The list has, in this order: ${[...bins].join("; ")}.`] : []),
    ...(unreliable === 0
      ? []
      : [`NULL in ${unreliable} of ${cells.length} answers: the noise was larger than the data.`]),
    ...(table.isPicked && cells.length > 1
      ? ["Noisy values pick the rows, so a value that looks large may owe it to the noise.", interval]
      : []),
    ...(isAtOnce && statistic !== undefined ? notesOf(statistic, cells, (1 - confidence) / cells.length) : notes),
  ];
  return { name, said };
}

const MAX_BINS = 100;

/** A note that is not about all answers says which it is about. */
const namedNotes = (notes: ReadonlyMap<string, readonly string[]>, count: number): readonly string[] =>
  [...notes].map(([note, names]) => (names.length === count ? note : `${names.join(", ")}: ${note}`));

type Scalar = Key | null;
const scalar = (cell: SqlCell | undefined): Scalar =>
  cell === undefined || Array.isArray(cell) ? null : (cell as Scalar);

/** What a condition and an order see: the rows without a number, date or truth value have none, whatever is shown. */
function known(row: Row, place: number, { columns }: SqlTable): Scalar {
  const column = columns[place];
  const isMissing = column?.is === "group" && column.kind !== "text" && row[place] === "missing";
  return isMissing ? null : scalar(row[place]);
}

function compared(a: Row, b: Row, table: SqlTable): number {
  const { orderBy, columns } = table;
  for (const { place, isDescending, nullsFirst } of orderBy) {
    const [left, right] = [known(a, place, table), known(b, place, table)];
    if (left === right) continue;
    if (left === null) return nullsFirst ? -1 : 1;
    if (right === null) return nullsFirst ? 1 : -1;
    const isTime = isClock(columns[place]?.kind ?? "text");
    const isLess = isTime ? instantOrder(left) < instantOrder(right) : left < right;
    return isLess === isDescending ? 1 : -1;
  }
  return 0;
}

const RUN = 256;

/** Sorts short runs, then merges them, as sorting 200,000 rows at once would hold up a server. */
function* sorted<T>(rows: readonly T[], compare: (a: T, b: T) => number): Generator<void, readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let at = 0; at < rows.length; at += RUN) {
    runs.push(rows.slice(at, at + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(a: readonly T[], b: readonly T[], compare: (a: T, b: T) => number): Generator<void, readonly T[]> {
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < a.length || right < b.length) {
    const [first, second] = [a[left], b[right]];
    const isLeft = first !== undefined && (second === undefined || compare(first, second) <= 0);
    const next = isLeft ? first : second;
    if (next !== undefined) merged.push(next);
    if (isLeft) left += 1;
    else right += 1;
    if (merged.length % RUN === 0) yield;
  }
  return merged;
}
