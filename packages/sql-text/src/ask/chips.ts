import {
  type Declaration,
  type Predicate,
  predicateText,
  readPredicate,
  spokenColumn,
} from "@dosimeter/query/declaration";
import {
  families,
  isStatisticName,
  type StatisticName,
  type StatisticRequest,
  spoken,
  statisticNames,
  statisticOf,
} from "@dosimeter/query/statistics";
import { canAsk, isNamed, mayAsk, mayGroup, plainest, type RowPart } from "./plainest.ts";
import { askable, labelOf } from "./vocabulary.ts";

/** A part of what was understood, which can be changed or left out. */
export interface Chip {
  readonly row: number;
  readonly role: "statistic" | "column" | "with" | "group" | "filter" | "setting";
  /** Its place among those of its role in the row. */
  readonly at: number;
  readonly text: string;
  /** The name of the statistic or column, "" of one that was not understood; of a filter what it says, of a setting its value. */
  readonly value: string;
}

const SETTINGS = {
  quantiles: "at",
  k: "first",
  bins: "bins",
  lower: "from",
  upper: "capped at",
  unitLower: "total from",
  unitUpper: "total capped at",
} as const;
const settingNames = Object.keys(SETTINGS) as (keyof typeof SETTINGS)[];

export const chipsOf = (rows: readonly RowPart[], declaration: Declaration): readonly Chip[] =>
  rows.flatMap((asked, row) => {
    const { statistic, column, with: more, groupBy = [], where } = asked;
    const called = (name: string): string => spokenColumn(name, declaration);
    const chip = (role: Chip["role"], text: string, value: string, at = 0): Chip => ({ row, role, at, text, value });
    return [
      chip("statistic", statistic === "" ? "statistic?" : labelOf(statistic, declaration), statistic),
      ...(column === undefined ? [] : [chip("column", called(column), column)]),
      ...[more ?? []].flat().map((name, at) => chip("with", called(name), name, at)),
      ...settingsIn(asked).map((key, at) => chip("setting", `${SETTINGS[key]} ${asked[key]}`, String(asked[key]), at)),
      ...groupBy.map((name, at) => chip("group", called(name), name, at)),
      ...partsOf(where, declaration).map((part, at) => chip("filter", predicateText(part), predicateText(part), at)),
    ];
  });

const settingsIn = (row: RowPart) => settingNames.filter((key) => row[key] !== undefined);

function partsOf(where: StatisticRequest["where"], declaration: Declaration): readonly Predicate[] {
  if (where === undefined) return [];
  const predicate = readPredicate(where, declaration);
  return predicate.op === "and" ? predicate.of : [predicate];
}

/** What a chip can be instead. */
export interface Choices {
  readonly group: string;
  readonly items: readonly { readonly value: string; readonly label: string }[];
}

/** The statistics in their families, or the columns, that a chip may name instead; null of one whose value is typed. */
export function choicesOf(
  { role, row, at, value }: Chip,
  rows: readonly RowPart[],
  declaration: Declaration,
): readonly Choices[] | null {
  if (role === "filter" || role === "setting") return null;
  const asked = rows[row];
  const { statistic = "count", column, groupBy = [] } = asked ?? {};
  if (role === "statistic")
    return Object.entries(families).map(([key, group]) => ({
      group,
      items: statisticNames
        .filter((name) => spoken[name][0] === key && isOffered(name, column, declaration))
        .map((name) => ({ value: name, label: labelOf(name, declaration) })),
    }));
  const grouped = (names: readonly string[]): boolean =>
    mayGroup(names, declaration) &&
    (asked === undefined || mayAsk({ ...asked, groupBy: names }, declaration) || !mayAsk(asked, declaration));
  const isFitting = (name: string): boolean =>
    role === "group"
      ? name !== column && grouped(groupBy.toSpliced(at, 1, name))
      : role === "column"
        ? statistic === "" || plainest(statistic, name, declaration) !== null
        : withOther(asked, name, declaration);
  const names = askable(declaration).filter(([name]) => name === value || isFitting(name));
  return [
    { group: "Columns", items: names.map(([name]) => ({ value: name, label: spokenColumn(name, declaration) })) },
  ];
}

/** Statistics of the column, those of none, and without a column all. */
const isOffered = (name: StatisticName, column: string | undefined, declaration: Declaration): boolean =>
  column === undefined || statisticOf(name).column === "none"
    ? canAsk(name, declaration)
    : plainest(name, column, declaration) !== null;

/** Whether a column may stand next to that of a statistic of two. */
function withOther(row: RowPart | undefined, name: string, declaration: Declaration): boolean {
  if (row === undefined || !isNamed(row) || row.column === name || [row.with ?? []].flat().includes(name)) return false;
  const { groupBy: _, where: __, ...plain } = row;
  return mayAsk({ ...plain, with: [name] }, declaration);
}

/** The rows with another value of a chip; without the chip where that is null: of a statistic without its row. */
export const withChip = (
  rows: readonly RowPart[],
  chip: Chip,
  value: string | null,
  declaration: Declaration,
): readonly RowPart[] =>
  rows.flatMap((asked, at) =>
    at !== chip.row || (chip.role !== "setting" && chip.value === value)
      ? [asked]
      : changed(asked, chip, value, declaration),
  );

function changed(
  asked: RowPart,
  { role, at }: Chip,
  value: string | null,
  declaration: Declaration,
): readonly RowPart[] {
  const listed = (names: readonly string[]): readonly string[] =>
    names.flatMap((name, place) => (place !== at ? [name] : value === null ? [] : [value]));
  const { groupBy = [], where, column, with: more } = asked;
  switch (role) {
    case "statistic":
      return value === null || !isStatisticName(value) ? [] : [restarted(asked, value, column, declaration)];
    case "column":
      if (value === null)
        return [
          Object.fromEntries(FREE.flatMap((key) => (key in asked ? [[key, asked[key]]] : []))) as unknown as RowPart,
        ];
      return [
        asked.statistic === "" ? { ...asked, column: value } : restarted(asked, asked.statistic, value, declaration),
      ];
    case "with":
      return [{ ...asked, with: listed([more ?? []].flat()) }];
    case "group": {
      const names = listed(groupBy);
      return [names.length === 0 ? without(asked, "groupBy") : { ...asked, groupBy: names }];
    }
    case "setting": {
      const [key] = settingsIn(asked).slice(at);
      if (key === undefined) return [asked];
      return [value === null ? without(asked, key) : { ...asked, [key]: settingIn(key, value) }];
    }
    case "filter": {
      const of = partsOf(where, declaration).flatMap((part, place) =>
        place !== at ? [part] : value === null ? [] : [readPredicate(value, declaration)],
      );
      const [only, another] = of;
      if (only === undefined) return [without(asked, "where")];
      return [{ ...asked, where: predicateText(another === undefined ? only : { op: "and", of }) }];
    }
    default:
      return role satisfies never;
  }
}

/** What a row keeps without its column. */
const FREE = ["statistic", "quantiles", "k", "groupBy", "where"] as const;

/** Another statistic or column of a row, with the settings that it cannot do without; those of the one before are not its own. */
function restarted(
  { groupBy, where }: RowPart,
  statistic: StatisticName,
  column: string | undefined,
  declaration: Declaration,
): RowPart {
  const own = statisticOf(statistic).column === "none" ? undefined : column;
  const row: RowPart = plainest(statistic, own, declaration) ?? {
    statistic,
    ...(own === undefined ? {} : { column: own }),
  };
  const filtered = where === undefined ? row : { ...row, where };
  const grouped = groupBy === undefined ? filtered : { ...filtered, groupBy: groupBy.filter((name) => name !== own) };
  return groupBy === undefined || (mayAsk(filtered, declaration) && !mayAsk(grouped, declaration)) ? filtered : grouped;
}

/** A value as it is typed. */
function settingIn(key: keyof typeof SETTINGS, text: string): StatisticRequest[keyof typeof SETTINGS] {
  const number = (each: string): number => Number(each.trim());
  if (key === "quantiles") return text.split(/[\s,;]+/).map(number);
  return text.trim() === "" || Number.isNaN(number(text)) ? text.trim() : number(text);
}

const without = (row: RowPart, key: string): RowPart =>
  Object.fromEntries(Object.entries(row).filter(([each]) => each !== key)) as unknown as RowPart;
