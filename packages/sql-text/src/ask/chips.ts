import { type Predicate, predicateText, readPredicate, spokenColumn } from "@dosimeter/query/declaration";
import {
  families,
  fits,
  isStatisticName,
  type StatisticName,
  type StatisticRequest,
  spoken,
  statisticNames,
  statisticOf,
} from "@dosimeter/query/statistics";
import { askable, labelOf, type Table } from "./vocabulary.ts";

/** A part of what was understood, which can be changed or left out. */
export interface Chip {
  /** The row that it is of. */
  readonly row: number;
  readonly role: "statistic" | "column" | "with" | "group" | "filter" | "setting";
  /** Its place among those of its role in the row. */
  readonly at: number;
  readonly text: string;
  /** The name of the statistic or column; of others what they say. */
  readonly value: string;
}

const SETTINGS: Readonly<Partial<Record<keyof StatisticRequest, string>>> = {
  quantiles: "at",
  k: "first",
  bins: "bins",
  lower: "from",
  upper: "capped at",
  unitLower: "total from",
  unitUpper: "total capped at",
};

/** The parts of rows, in the order of a sentence. */
export const chipsOf = (rows: readonly StatisticRequest[], declaration: Table): readonly Chip[] =>
  rows.flatMap((asked, row) => {
    const { statistic, column, with: more, groupBy = [], where } = asked;
    const called = (name: string): string => spokenColumn(name, declaration);
    const label = isStatisticName(statistic) ? labelOf(statistic, declaration) : statistic;
    return [
      { row, role: "statistic" as const, at: 0, text: label, value: statistic },
      ...(column === undefined ? [] : [{ row, role: "column" as const, at: 0, text: called(column), value: column }]),
      ...[more ?? []].flat().map((name, at) => ({ row, role: "with" as const, at, text: called(name), value: name })),
      ...(Object.keys(SETTINGS) as (keyof StatisticRequest)[]).flatMap((key) =>
        asked[key] === undefined
          ? []
          : [{ row, role: "setting" as const, at: 0, text: `${SETTINGS[key]} ${String(asked[key])}`, value: key }],
      ),
      ...groupBy.map((name, at) => ({ row, role: "group" as const, at, text: called(name), value: name })),
      ...partsOf(where, declaration).map((part, at) => ({
        row,
        role: "filter" as const,
        at,
        text: predicateText(part),
        value: predicateText(part),
      })),
    ];
  });

function partsOf(where: StatisticRequest["where"], declaration: Table): readonly Predicate[] {
  if (where === undefined) return [];
  const predicate = readPredicate(where, declaration);
  return predicate.op === "and" ? predicate.of : [predicate];
}

/** What a chip can be instead. */
export interface Choices {
  readonly group: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/** The statistics in their families, or the columns, that a chip may name instead; null of one that is only left out. */
export function choicesOf(
  { role, row }: Chip,
  rows: readonly StatisticRequest[],
  declaration: Table,
): readonly Choices[] | null {
  if (role === "filter" || role === "setting") return null;
  const { statistic = "count", column } = rows[row] ?? {};
  if (role === "statistic") {
    const declared = column === undefined ? undefined : declaration.columns[column];
    const isOffered = (name: StatisticName): boolean =>
      declared === undefined || fits(statisticOf(name).column, declared);
    return Object.entries(families).map(([key, group]) => ({
      group,
      items: statisticNames
        .filter((name) => spoken[name][0] === key && isOffered(name))
        .map((value) => ({ value, label: labelOf(value, declaration) })),
    }));
  }
  const reads = role === "column" && isStatisticName(statistic) ? statisticOf(statistic).column : "any";
  const names = askable(declaration).filter(([, each]) => fits(reads, each));
  return [{ group: "Columns", items: names.map(([value]) => ({ value, label: spokenColumn(value, declaration) })) }];
}

/** The rows with another value of a chip; without the chip where that is null. A statistic is never left out: its row is. */
export function withChip(
  rows: readonly StatisticRequest[],
  chip: Chip,
  value: string | null,
  declaration: Table,
): readonly StatisticRequest[] {
  return rows.flatMap((asked, at) => (at !== chip.row ? [asked] : changed(asked, chip, value, declaration)));
}

function changed(
  asked: StatisticRequest,
  { role, at, value: before }: Chip,
  value: string | null,
  declaration: Table,
): readonly StatisticRequest[] {
  const listed = (names: readonly string[]): readonly string[] =>
    names.flatMap((name, place) => (place !== at ? [name] : value === null ? [] : [value]));
  switch (role) {
    case "statistic": {
      if (value === null) return [];
      // Settings of another statistic are not its own.
      const keys = isStatisticName(value) && statisticOf(value).takes.includes("with") ? [...KEPT, "with"] : KEPT;
      const isOther = value !== before;
      const kept = Object.entries(asked).filter(([key]) => !isOther || keys.includes(key));
      const reads = isStatisticName(value) ? statisticOf(value).column : "none";
      const row = { ...Object.fromEntries(kept), statistic: value } as StatisticRequest;
      return [reads === "none" && isOther ? without(row, "column") : row];
    }
    case "column":
      return [value === null ? without(asked, "column") : { ...asked, column: value }];
    case "with":
      return [{ ...asked, with: listed([asked.with ?? []].flat()) }];
    case "group": {
      const { groupBy = [], ...rest } = asked;
      const names = listed(groupBy);
      return [names.length === 0 ? rest : { ...rest, groupBy: names }];
    }
    case "setting":
      return [without(asked, before)];
    case "filter": {
      const { where, ...rest } = asked;
      const of = partsOf(where, declaration).flatMap((part, place) =>
        place !== at ? [part] : value === null ? [] : [readPredicate(value, declaration)],
      );
      return [
        of.length === 0
          ? rest
          : { ...rest, where: predicateText(of.length === 1 && of[0] !== undefined ? of[0] : { op: "and", of }) },
      ];
    }
    default:
      return role satisfies never;
  }
}

const KEPT = ["column", "groupBy", "where"];

const without = (row: StatisticRequest, key: string): StatisticRequest =>
  Object.fromEntries(Object.entries(row).filter(([each]) => each !== key)) as unknown as StatisticRequest;
