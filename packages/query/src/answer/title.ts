import { type Calendar, periodUnit } from "@dosimeter/core";
import { isRecord, present, unlessRefused } from "@dosimeter/core/internal";
import { shortWindow } from "../bind/typed-window.ts";
import { boundNumber } from "../declaration/dates.ts";
import type { Column, Declaration, UnitNoun } from "../declaration/declaration.ts";
import { predicateText } from "../declaration/predicate.ts";
import { readPredicate } from "../declaration/predicate-text.ts";
import { inNoun, spokenColumn, unitNounOf } from "../declaration/words.ts";
import { withDerived } from "../expression/derive.ts";
import { withJoin } from "../join/join.ts";
import type { AnswerCell } from "../statistics/cell.ts";
import { isStatisticName, statisticOf, withKind } from "../statistics/registry.ts";
import type { Plan, StatisticRequest } from "../statistics/request.ts";
import type { AnswerKind } from "../statistics/statistic.ts";
import { cappedText, unitOfError, unitShown } from "../statistics/words.ts";
import type { Answer } from "./answer.ts";

type Bounds = "lower" | "upper" | "unitLower" | "unitUpper";
type Row = Pick<StatisticRequest, "statistic" | "column" | "with" | "groupBy" | "where" | Bounds>;

const MAX_LENGTH = 160;
const MAX_WHERE = 60;

type Titled = Pick<Declaration, "columns" | "unitNoun" | "privacyUnit" | "joinable">;

/** What a plan asks of its table, in a line and in the declared labels: "Mean of income by education", "Count, mean of income and 3 more". */
export function planTitle(plan: { readonly statistics: readonly Row[] }, table: Titled): string {
  const rows = [...new Set(plan.statistics.map((row) => rowTitle(row, table)))];
  const [first = "no statistics", second, third] = rows;
  const text =
    second === undefined
      ? first
      : third === undefined
        ? `${first} and ${second}`
        : `${first}, ${second} and ${rows.length - 2} more`;
  return cut(text.charAt(0).toUpperCase() + text.slice(1), MAX_LENGTH);
}

/** A stored row may name a statistic of another version. */
function rowTitle(row: Row, declaration: Titled): string {
  const { statistic, column, with: others, groupBy = [], where } = row;
  const called = (name: string): string => spokenColumn(name, declaration);
  const definition = isStatisticName(statistic) ? statisticOf(statistic) : null;
  const joined =
    others === undefined ? "" : ` ${definition?.others ?? "with"} ${[others].flat().map(called).join(", ")}`;
  const of = column === undefined ? "" : ` of ${called(column)}${joined}`;
  const by = groupBy.length === 0 ? "" : ` by ${groupBy.map(called).join(" and ")}`;
  const only =
    where === undefined
      ? ""
      : isRecord(where)
        ? ", some rows"
        : ` where ${cut(filterText(where, declaration), MAX_WHERE)}`;
  const capped = definition?.asksBounds === true ? "" : capsOfRow(row, declaration);
  return `${inNoun(definition?.label ?? statistic, declaration.unitNoun)}${of}${capped}${by}${only}`;
}

/** A filter as answers say it, in one order; as it was written where this program cannot read it any more. */
const filterText = (where: string, declaration: Titled): string =>
  unlessRefused(() => predicateText(readPredicate(where, declaration)), where);

/** How the bounds of a stored row narrow those of its column, as its label says it [M350]. */
function capsOfRow({ column: name, lower, upper, unitLower, unitUpper }: Row, { columns }: Titled): string {
  const column = name !== undefined && Object.hasOwn(columns, name) ? columns[name] : undefined;
  const least = boundNumber(lower, column) ?? column?.lower;
  const most = boundNumber(upper, column, true) ?? column?.upper;
  if (column === undefined || least === undefined || most === undefined) return "";
  const range = { lower: least, upper: most, ...present({ calendar: column.calendar }) };
  const text = cappedText(range, column, { lower: unitLower, upper: unitUpper });
  return text === null ? "" : ` ${text}`;
}

const cut = (text: string, most: number): string => {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
};

export const planColumns = ({ statistics }: { readonly statistics: readonly Row[] }): readonly string[] => [
  ...new Set(statistics.flatMap((row) => [row.column ?? [], row.with ?? [], row.groupBy ?? []].flat())),
];

type ColumnWords = Pick<Column, "label" | "unit" | "valueLabels" | "calendar">;

/** What answers are read with: what units are called, and the columns of a plan with their values. Plain JSON. */
export interface AnswerWords {
  readonly noun: UnitNoun;
  /** The blocks of the plan are cohorts. */
  readonly protects?: "person";
  readonly columns: Readonly<Record<string, ColumnWords>>;
  /** By the id of a count of the values of a column, what it says of the rows that have none. */
  readonly missing?: Readonly<Record<string, string>> | undefined;
}

/** A declaration with the columns that a plan joins and derives; without them where this program cannot make them any more. */
export function planTable<D extends Pick<Declaration, "columns" | "privacyUnit" | "joinable">>(
  plan: { readonly join?: unknown; readonly let?: unknown },
  declaration: D,
): D {
  return unlessRefused(() => withDerived(withJoin(declaration, plan.join), plan.let), declaration);
}

export function planWords(
  plan: { readonly statistics: readonly Row[] },
  table: Titled & Pick<Declaration, "blocks">,
): AnswerWords {
  const columns = planColumns(plan).flatMap((name) => {
    const column = Object.hasOwn(table.columns, name) ? table.columns[name] : undefined;
    if (column === undefined) return [];
    const { label, unit, valueLabels, calendar } = column;
    const words = Object.entries({ label, unit, valueLabels, calendar }).filter(([, word]) => word !== undefined);
    return words.length === 0 ? [] : [[name, Object.fromEntries(words) as ColumnWords] as const];
  });
  return {
    noun: unitNounOf(table),
    ...(table.blocks?.protects === undefined ? {} : { protects: table.blocks.protects }),
    columns: Object.fromEntries(columns),
  };
}

/** An answer with how it is drawn, what its units, columns and values are called, and whose rows it is about. */
type ShownAnswer<W> = Answer & {
  readonly shows: AnswerKind;
  readonly words: W;
  readonly about?: { readonly dataset: string; readonly when: string };
};

/** What of a release its answers need to be shown; without the name of its dataset, whose answers they are is known. */
interface Shown<W> {
  readonly answers: readonly { readonly statistic: string }[] | null;
  readonly words: W;
  readonly datasetName?: string;
  readonly chargedAt?: string;
  readonly plan?: { readonly window?: unknown; readonly statistics?: readonly unknown[] };
}

/**
 * The answers of a release as charts, tables and reports take them, with the share that is missing. The API leaves their fields open for
 * new kinds of answers; those of this version are exactly these.
 */
export function answersToShow<W extends Pick<AnswerWords, "noun" | "missing">>({
  answers,
  words,
  datasetName,
  chargedAt = "",
  plan,
}: Shown<W>): readonly ShownAnswer<W>[] | null {
  const when =
    plan?.window == null ? `as of ${chargedAt.slice(0, 10)}` : shortWindow(plan.window as NonNullable<Plan["window"]>);
  const about = datasetName === undefined ? undefined : { dataset: datasetName, when };
  const all = answers as readonly Answer[] | null;
  return (
    all?.map((each) => {
      const answer = { ...withKind(withRows(each, all, plan?.statistics ?? [])), words, ...present({ about }) };
      const share = Object.entries(words.missing ?? {}).find(([id]) => id === answer.id);
      return share === undefined ? answer : { ...answer, notes: [share[1], ...answer.notes] };
    }) ?? null
  );
}

/** Its groups with how many rows each has, where a count of the same rows was released with it. */
function withRows(answer: Answer, all: readonly Answer[], statistics: readonly unknown[]): Answer {
  const rows = statistics.filter(isRecord).map((row, at): Record<string, unknown> => ({ id: `s${at + 1}`, ...row }));
  const asks = (row: Record<string, unknown>): string =>
    JSON.stringify([row.groupBy ?? [], row.where ?? null, row.keys ?? null]);
  const own = rows.find(({ id }) => id === answer.id);
  const counted = rows.find(
    (row) => own !== undefined && row.statistic === "count" && row.column === undefined && asks(row) === asks(own),
  );
  const count = all.find(({ id }) => id === counted?.id);
  if (count === undefined || count === answer || answer.groupBy.length === 0) return answer;
  const place = ({ group }: AnswerCell): string => JSON.stringify(answer.groupBy.map((name) => group[name]));
  const known = new Map(count.cells.map((cell) => [place(cell), cell]));
  return {
    ...answer,
    cells: answer.cells.map((cell) => {
      const found = known.get(place(cell));
      return cell.rows !== undefined || found === undefined
        ? cell
        : { ...cell, rows: { value: found.value, interval: found.interval } };
    }),
  };
}

/** The unit of an answer of one number, where it is in that of its column. */
export function answerUnit(row: Row, { columns }: Pick<Declaration, "columns">): string | null {
  if (!isStatisticName(row.statistic) || row.column === undefined || !Object.hasOwn(columns, row.column)) return null;
  const { shows } = statisticOf(row.statistic);
  const column = columns[row.column];
  if (column?.calendar !== undefined) return shows.measures === "length" ? `${periodUnit(column.calendar)}s` : null;
  return unitShown(shows, column);
}

/** What the error of an answer is counted in: rows, the periods of dates or the unit of its column; null where it has none. */
export function errorUnit(
  row: { readonly statistic?: string | undefined; readonly column?: string | undefined },
  { columns }: Pick<Declaration, "columns">,
): string | null {
  if (row.statistic === undefined || !isStatisticName(row.statistic)) return null;
  const { byRank, shows } = statisticOf(row.statistic);
  if (byRank !== undefined) return "rows";
  const column = row.column !== undefined && Object.hasOwn(columns, row.column) ? columns[row.column] : undefined;
  if (column?.calendar !== undefined) return shows.measures === undefined ? null : `${periodUnit(column.calendar)}s`;
  return unitOfError(unitShown(shows, column));
}

/** The periods that an answer of one number counts from 1970 on, where it is a date. */
export function answerCalendar(row: Row, { columns }: Pick<Declaration, "columns">): Calendar | null {
  if (!isStatisticName(row.statistic) || row.column === undefined || !Object.hasOwn(columns, row.column)) return null;
  return statisticOf(row.statistic).shows.measures === "place" ? (columns[row.column]?.calendar ?? null) : null;
}

/** The public range of an answer of one number, against which it is drawn: null where the declaration gives none. */
export function answerRange(
  row: Row,
  { columns, size }: Pick<Declaration, "columns" | "size">,
): readonly [number, number] | null {
  if (!isStatisticName(row.statistic)) return null;
  const { measures, value } = statisticOf(row.statistic).shows;
  const column = row.column !== undefined && Object.hasOwn(columns, row.column) ? columns[row.column] : undefined;
  const [lower, upper] = [row.lower ?? column?.lower, row.upper ?? column?.upper].map((end, index) =>
    boundNumber(end, column, index === 1),
  );
  const rows = size === undefined ? undefined : "public" in size ? size.public : size.assumed;
  if (value === "rows") return rows === undefined ? null : [0, rows];
  if (lower === undefined || upper === undefined) return null;
  if (measures === "place") return [lower, upper];
  return measures === "length" ? [0, upper - lower] : null;
}
