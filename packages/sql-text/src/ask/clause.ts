import {
  checkPredicate,
  type Declaration,
  type Key,
  type Predicate,
  predicateText,
} from "@dosimeter/query/declaration";
import {
  fits,
  needWords,
  type StatisticName,
  type StatisticRequest,
  statisticNames,
  statisticOf,
} from "@dosimeter/query/statistics";
import type { Missed } from "./condition.ts";
import { plainest, type RowPart } from "./plainest.ts";
import { askable, labelOf } from "./vocabulary.ts";

export type Span = readonly [from: number, to: number];

/** One answer that is asked for, while its sentence is read. */
export interface Clause {
  /** Where it begins, and where its statistic and its column stand, in pieces. */
  readonly at: number;
  said: Span | null;
  named: Span | null;
  statistic: StatisticName | "share" | null;
  /** It counts what follows: people, or rows. */
  counts: boolean;
  column: string | null;
  readonly others: string[];
  readonly groups: string[];
  readonly filters: Condition[];
  readonly numbers: number[];
  bins: number | string | null;
  lower: Key | null;
  upper: Key | null;
}

export interface Condition {
  readonly predicate: Predicate;
  /** The piece that is its first value. */
  readonly value: number;
  readonly join: "and" | "or" | "beside";
  /** The word, or the mark, right before it. */
  readonly by: string;
  /** Groups that were named before it. */
  readonly groups: number;
  /** It begins with what compares: its column is not said. */
  readonly isBare: boolean;
  /** Of a share: part of what is counted, or said of those among whom it is; all that follows a base is. */
  readonly among: "part" | "place" | "base";
  /** In the question, of its first word, of its first value, and its end. */
  readonly place: { readonly from: number; readonly at: number; readonly end: number };
}

export const newClause = (at: number): Clause => ({
  at,
  said: null,
  named: null,
  statistic: null,
  counts: false,
  column: null,
  others: [],
  groups: [],
  filters: [],
  numbers: [],
  bins: null,
  lower: null,
  upper: null,
});

/** The conditions as one; values of one column next to each other are a list, for no row has two of them. */
function filterOf(filters: readonly Condition[]): Predicate | null {
  const sides = sidesOf(filters).map(
    (of): Predicate => (of.length === 1 && of[0] !== undefined ? of[0] : { op: "and", of }),
  );
  const [only] = sides;
  return only === undefined ? null : sides.length === 1 ? only : { op: "or", of: sides };
}

/** What stands between "or"s. */
export function sidesOf(filters: readonly Condition[]): readonly (readonly Predicate[])[] {
  const joined: Condition[] = [];
  for (const one of filters) {
    const last = joined.at(-1);
    const merged =
      last === undefined || one.join === "beside"
        ? null
        : (amongBoth(last.predicate, one.predicate) ??
          (one.join === "or" ? eitherOf(last.predicate, one.predicate) : null));
    if (last === undefined || merged === null) joined.push(one);
    else joined[joined.length - 1] = { ...last, predicate: merged };
  }
  const parts: Predicate[][] = [];
  for (const { predicate, join } of joined) {
    if (parts.length === 0 || join === "or") parts.push([predicate]);
    else parts.at(-1)?.push(predicate);
  }
  return parts;
}

/** "under 30 or over 60": of one column, they belong together. */
const eitherOf = (one: Predicate, other: Predicate): Predicate | null =>
  "column" in one && "column" in other && one.column === other.column ? { op: "or", of: [one, other] } : null;

export function amongBoth(one: Predicate, other: Predicate): Predicate | null {
  const [values, more] = [valuesIn(one), valuesIn(other)];
  if (values === null || more === null || !("column" in one && "column" in other) || one.column !== other.column)
    return null;
  return { op: "in", column: one.column, values: [...values, ...more] };
}

export const valuesIn = (predicate: Predicate): readonly Key[] | null =>
  predicate.op === "=" ? [predicate.value] : predicate.op === "in" ? predicate.values : null;

export type ClauseRead =
  | { readonly rows: readonly StatisticRequest[]; readonly note?: string }
  | {
      readonly missed: Pick<Missed, "says"> & {
        /** What is replaced, and by which texts, of the words for the statistic and for the column. */
        readonly over: "said" | "named" | "both";
        readonly nearest: readonly ((said: string, named: string) => string)[];
      };
      /** What was understood all the same. */
      readonly part?: RowPart;
    };

/** The row of a plan that a clause asks for; of a share two counts, or the histogram that holds it. */
export function rowsOfClause(clause: Clause, declaration: Declaration): ClauseRead {
  const where = filterOf(clause.filters);
  const groups = clause.groups.length === 0 ? {} : { groupBy: clause.groups };
  if (clause.statistic === "share") return sharesOf(clause, where, declaration);
  const named = clause.column === null ? {} : { column: clause.column };
  const rest = { ...groups, ...filterText(where, declaration) };
  const statistic = clause.statistic ?? (clause.column === null ? "count" : null);
  if (statistic === null)
    return {
      missed: { says: `What of ${clause.column}?`, over: "named", nearest: offersOf(OFFERED, clause, declaration) },
      part: { statistic: "", ...named, ...rest },
    };
  const { column: reads, takes } = statisticOf(statistic);
  const column = clause.column === null ? undefined : declaration.columns[clause.column];
  const label = labelOf(statistic, declaration);
  const isTotal = takes.includes("unitUpper");
  const shares = takes.includes("quantiles")
    ? clause.numbers.map((each) => (each > 1 && Number.isInteger(each) ? each / 100 : each))
    : [];
  const row: StatisticRequest = {
    statistic,
    ...(reads === "none" ? {} : named),
    ...(clause.others.length === 0 ? {} : { with: clause.others }),
    ...(shares.length === 0 ? {} : { quantiles: shares }),
    ...(takes.includes("k") && clause.numbers[0] !== undefined ? { k: clause.numbers[0] } : {}),
    ...(takes.includes("bins") && clause.bins !== null ? { bins: clause.bins } : {}),
    ...(clause.lower === null ? {} : { [isTotal ? "unitLower" : "lower"]: clause.lower }),
    ...(clause.upper === null ? {} : { [isTotal ? "unitUpper" : "upper"]: clause.upper }),
    ...rest,
  };
  const left = leftOver(clause, takes, label);
  if (left !== null) return { missed: left, part: row };
  if (reads === "none" && column !== undefined) {
    const says = `${label} is of no column: ${clause.column} is left over`;
    return { missed: { says, over: "both", nearest: [] }, part: row };
  }
  if (reads !== "none" && reads !== "present" && column === undefined) {
    const fitting = askable(declaration).filter(([name]) => plainest(statistic, name, declaration) !== null);
    const nearest = fitting.slice(0, 4).map(
      ([name]) =>
        (said: string): string =>
          `${said} of ${name}`,
    );
    return { missed: { says: `${label} of which column?`, over: "said", nearest }, part: row };
  }
  if (column !== undefined && !fits(reads, column)) {
    const says = `${label} needs ${needWords[reads]}, and ${clause.column} is ${column.type === "integer" ? "an" : "a"} ${column.type}`;
    const others = statisticNames.filter((name) => statisticOf(name).column !== "none");
    const nearest = offersOf(others, clause, declaration).slice(0, 3);
    return { missed: { says, over: "both", nearest }, part: row };
  }
  return { rows: [row] };
}

/** Numbers that were said, and that a statistic does not take so. */
function leftOver(
  { numbers, bins }: Clause,
  takes: readonly string[],
  label: string,
): Extract<ClauseRead, { missed: unknown }>["missed"] | null {
  const [first, ...more] = takes.includes("k") ? numbers : [];
  if (bins !== null && !takes.includes("bins")) return { says: `${label} has no bins`, over: "said", nearest: [] };
  if (first === undefined || (Number.isInteger(first) && first > 0 && more.length === 0)) return null;
  const says = `${label}: the ${[first, ...more].join(", ")} must be one whole number`;
  const share =
    first > 0 && first < 1 && more.length === 0 ? `${Number((100 - 100 * first).toPrecision(6))}th percentile` : null;
  return { says, over: "said", nearest: share === null ? [] : [() => share] };
}

const filterText = (where: Predicate | null, declaration: Declaration): { readonly where?: string } =>
  where === null ? {} : { where: predicateText(checkPredicate(where, declaration)) };

/** Statistics that are offered of a column alone. */
const OFFERED = ["mean", "median", "sum", "histogram", "count"] as const;

const offersOf = (
  names: readonly StatisticName[],
  { column }: Clause,
  declaration: Declaration,
): readonly ((said: string, named: string) => string)[] =>
  names.flatMap((name) => {
    const row = column === null ? null : plainest(name, column, declaration);
    return row === null || row.with !== undefined
      ? []
      : [(_: string, named: string) => `${labelOf(name, declaration)} of ${named}${binsText(row.bins)}`];
  });

/** How bins are said; null of a list of them. */
export const binsText = (bins: StatisticRequest["bins"]): string | null =>
  bins === undefined
    ? ""
    : typeof bins === "number"
      ? ` in ${bins} bins`
      : typeof bins === "string"
        ? ` by ${bins}`
        : null;

/** A share of rows by one value is in the histogram of its column; any other one is a count through another. */
function sharesOf({ filters, groups, column }: Clause, where: Predicate | null, declaration: Declaration): ClauseRead {
  const parts = filters.filter(({ among }) => among === "part");
  const [first, ...others] = parts.length === 0 ? filters : parts;
  const base = filterOf(parts.length === 0 ? others : filters.filter(({ among }) => among !== "part"));
  const by = groups.length === 0 ? {} : { groupBy: groups };
  const part = others.length === 0 || parts.length === 0 ? first?.predicate : undefined;
  const named = column ?? (part !== undefined && part.op === "=" ? part.column : null);
  const type = named === null ? undefined : declaration.columns[named]?.type;
  if (named !== null && (type === "category" || type === "boolean")) {
    const rest = column === null ? base : filterOf(filters);
    return {
      rows: [{ statistic: "histogram", column: named, ...by, ...filterText(rest, declaration) }],
      note: `The histogram of ${named} has every share at one price: a bar through the sum of all.`,
    };
  }
  if (where === null) return { missed: { says: "A share of what?", over: "said", nearest: [] } };
  return {
    rows: [
      { statistic: "count", ...by, ...filterText(where, declaration) },
      { statistic: "count", ...by, ...filterText(base, declaration) },
    ],
    note: "The share is the first count through the second.",
  };
}
