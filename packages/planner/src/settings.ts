import { clockOf, formatPeriod } from "@dosimeter/core";
import { type NumberWish, plainNumber, typedNumber } from "@dosimeter/core/internal";
import { type Column, type Declaration, predicateText } from "@dosimeter/query/declaration";
import {
  type ColumnBins,
  columnBinsText,
  type OwnField,
  type Statistic,
  type StatisticName,
  type StatisticRequest,
  statisticNames,
  statisticOf,
  tablesText,
  takesNoise,
  weightsText,
} from "@dosimeter/query/statistics";

/** The settings of a row exactly as typed, including text that is not a number yet. Absent is "". */
export type SettingTexts = Readonly<Record<string, string>>;

/** One field of a request as people fill it in: pages, files and spreadsheets read this table. */
export interface Setting {
  readonly key: Exclude<keyof StatisticRequest, "id" | "epsilon" | "rho">;
  readonly label: string;
  readonly kind: "number" | "decimal" | "numbers" | "bins" | "text" | "choice" | "columns" | "predicate";
  /** The meaning of an empty field. */
  readonly hint: (column: Column | undefined) => string;
  /** Whether the field exists for this statistic and column, with the other settings as they are. */
  readonly applies: (statistic: Statistic, column: Column | undefined, texts: SettingTexts) => boolean;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

const isNumber = (column: Column | undefined): boolean => column?.type === "integer" || column?.type === "number";
const isDate = (column: Column | undefined): boolean => column?.type === "date";
const isClock = (column: Column | undefined): boolean => clockOf(column?.calendar ?? "day") !== null;
const readsNumbers = ({ column: reads }: Statistic, column: Column | undefined): boolean =>
  reads !== "none" && reads !== "present" && (isNumber(column) || isDate(column));
/** Whether the groups are found in the rows instead of declared. */
const selectsKeys = ({ column }: Statistic, _: Column | undefined, { keys }: SettingTexts): boolean =>
  column === "key" || keys === "select";
const takes =
  (field: OwnField) =>
  (statistic: Statistic): boolean =>
    statistic.takes.includes(field);
/** Whether it is about columns together, of which none is its own. */
const isOfTable = (statistic: Statistic): boolean => statistic.table !== undefined || takes("tables")(statistic);
const declared = (value: number | undefined, otherwise: string, { calendar }: Pick<Column, "calendar"> = {}): string =>
  value === undefined ? otherwise : `${calendar === undefined ? value : formatPeriod(value, calendar)}, declared`;

/** Every setting, in the order that a page shows them. */
export const settings: readonly Setting[] = [
  {
    key: "lower",
    label: "Lower bound",
    kind: "number",
    hint: (column) => declared(column?.lower, "not declared", column),
    applies: readsNumbers,
  },
  {
    key: "upper",
    label: "Upper bound",
    kind: "number",
    hint: (column) => declared(column?.upper, "not declared", column),
    applies: readsNumbers,
  },
  {
    key: "granularity",
    label: "Rounded to",
    kind: "number",
    hint: (column) => declared(column?.granularity, "as fine as needed"),
    applies: (statistic, column) => statistic.column === "numeric" && isNumber(column),
  },
  {
    key: "bins",
    label: "Bins",
    kind: "bins",
    hint: (column) =>
      column === undefined
        ? "20 at most; or income = 0, 20000, 50000; city = Oslo, Bergen"
        : isDate(column)
          ? `few enough to read; or ${isClock(column) ? "hour, " : ""}day, month, quarter, year, 10, or dates as edges`
          : column?.type === "integer"
            ? "one per value; or 10, 0 18 65, 2:5"
            : "10, or edges: 0 50 100, or 0:100:10",
    applies: (statistic, column) =>
      statistic.takes.includes("bins") && (isOfTable(statistic) || isNumber(column) || isDate(column)),
  },
  {
    key: "with",
    label: "And the columns",
    kind: "columns",
    hint: () => "age, educ",
    applies: (statistic) => takes("with")(statistic) && !isOfTable(statistic) && statistic.others !== "over",
  },
  {
    key: "with",
    label: "Over the periods of",
    kind: "columns",
    hint: () => "a column of dates or numbers",
    applies: ({ others }) => others === "over",
  },
  { key: "with", label: "Columns", kind: "columns", hint: () => "all that are declared", applies: isOfTable },
  { key: "tables", label: "Tables", kind: "text", hint: () => "1-way, 2-way", applies: takes("tables") },
  {
    key: "weights",
    label: "Weights",
    kind: "text",
    hint: () => "all alike; or age = 3, age+sex = 5",
    applies: takes("weights"),
  },
  {
    key: "impossible",
    label: "Impossible combinations",
    kind: "predicate",
    hint: () => "age < 15 and married = true",
    applies: takes("impossible"),
  },
  {
    key: "numbers",
    label: "Numbers",
    kind: "choice",
    choices: [
      { value: "", label: "Right on average" },
      { value: "whole", label: "Also whole and not below zero" },
    ],
    hint: () => "",
    applies: takes("numbers"),
  },
  { key: "k", label: "How many", kind: "number", hint: () => "10", applies: takes("k") },
  {
    key: "valuesPerUnit",
    label: "Values that count of one person",
    kind: "number",
    hint: () => "1",
    applies: takes("valuesPerUnit"),
  },
  {
    key: "quantiles",
    label: "Quantiles",
    kind: "numbers",
    hint: () => "0.25 0.5 0.75",
    applies: takes("quantiles"),
  },
  {
    key: "unitLower",
    label: "One person’s least total",
    kind: "number",
    hint: (column) => declared(column?.lower, "the column’s bound"),
    applies: takes("unitLower"),
  },
  {
    key: "unitUpper",
    label: "One person’s largest total",
    kind: "number",
    hint: (column) => declared(column?.upper, "the column’s bound"),
    applies: takes("unitUpper"),
  },
  {
    key: "groupBy",
    label: "Group by",
    kind: "columns",
    hint: () => "",
    applies: (statistic) => statistic.column !== "key" && !isOfTable(statistic),
  },
  {
    key: "keys",
    label: "Groups",
    kind: "choice",
    hint: () => "",
    applies: ({ column }, _, { groupBy = "" }) => column !== "key" && groupBy !== "",
    choices: [
      { value: "", label: "Declared values" },
      { value: "select", label: "Found in the data" },
    ],
  },
  {
    key: "keysFrom",
    label: "Groups found by row",
    kind: "text",
    hint: () => "s1",
    applies: ({ column }, _, { groupBy = "", keys = "" }) => column !== "key" && groupBy !== "" && keys === "",
  },
  {
    key: "keyShare",
    label: "Part of the price for finding groups",
    kind: "decimal",
    hint: () => "0.25",
    applies: selectsKeys,
  },
  {
    key: "delta",
    label: "δ of finding groups",
    kind: "decimal",
    hint: () => "must be given",
    applies: selectsKeys,
  },
  {
    key: "atLeast",
    label: "Groups of fewer people stay hidden",
    kind: "number",
    hint: () => "no public limit",
    applies: selectsKeys,
  },
  {
    key: "where",
    label: "Only rows where",
    kind: "predicate",
    hint: () => "age >= 18 and married = true",
    applies: () => true,
  },
  {
    key: "noise",
    label: "Noise",
    kind: "choice",
    hint: () => "",
    applies: takesNoise,
    choices: [
      { value: "", label: "Laplace, paid in ε" },
      { value: "gaussian", label: "Gaussian, paid in ρ" },
      { value: "auto", label: "The smaller error, paid in ε" },
    ],
  },
];

const isStatistic = (name: string): name is StatisticName => (statisticNames as readonly string[]).includes(name);

/** The settings that a row of this statistic and column has; none until the statistic is chosen. */
export function settingsFor(texts: SettingTexts, declaration: Declaration): readonly Setting[] {
  const name = texts.statistic ?? "";
  if (!isStatistic(name)) return [];
  const column = declaration.columns[texts.column ?? ""];
  return settings.filter(({ applies }) => applies(statisticOf(name), column, texts));
}

/** Converts texts to values; a text that is no value stays as typed, and the planner's error states what it must be. */
export function requestOfTexts(texts: SettingTexts, declaration: Declaration): Partial<StatisticRequest> {
  const column = texts.column ?? "";
  const fields = settingsFor(texts, declaration).flatMap(({ key, kind }) => {
    const text = (texts[key] ?? "").trim();
    if (text === "") return [];
    const of = declaration.columns[column];
    const isBound = isDate(of) && (key === "lower" || key === "upper");
    return [[key, isBound ? text : readSetting(text, kind, of)] as const];
  });
  return {
    statistic: texts.statistic ?? "",
    ...(column === "" ? {} : { column }),
    ...Object.fromEntries(fields),
  } as Partial<StatisticRequest>;
}

export function textsOfRequest(request: Partial<StatisticRequest>): SettingTexts {
  const { id: _, epsilon: __, rho: ___, ...rest } = request;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, textOf(key, value)]));
}

function textOf(key: string, value: unknown): string {
  if (key === "bins" && typeof value === "object" && !Array.isArray(value))
    return columnBinsText(value as Readonly<Record<string, ColumnBins>>);
  if (key === "weights" && typeof value === "object" && value !== null)
    return weightsText(value as Readonly<Record<string, number>>);
  if ((key === "where" || key === "impossible") && typeof value === "object" && value !== null)
    return predicateText(value as Parameters<typeof predicateText>[0]);
  if (key === "tables" && Array.isArray(value)) return tablesText(value);
  if (Array.isArray(value)) return value.join(key === "groupBy" || key === "with" ? ", " : " ");
  return value === undefined ? "" : String(value);
}

function readSetting(text: string, kind: Setting["kind"], column: Column | undefined): unknown {
  switch (kind) {
    case "number":
      return numberOr(text);
    case "numbers":
      return isAmbiguous(text) ? text : wordsOf(text).map((word) => numberOr(word, { isShare: true }));
    case "bins": {
      if (isDate(column)) {
        const words = wordsOf(text);
        return words.length > 1 ? words : numberOr(text);
      }
      if (isAmbiguous(text) || text.includes("=")) return text;
      const words = wordsOf(text).map((word) => numberOr(word));
      return rangeOf(text, column) ?? (words.length === 1 ? words[0] : words);
    }
    case "columns":
      return text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");
    case "decimal":
      return decimalOr(text);
    case "text":
    case "choice":
    case "predicate":
      return text;
    default:
      return kind satisfies never;
  }
}

const MAX_EDGES = 10_001;

/** `2:5` is one bin for each whole number, `0:100:10` edges in steps of 10; null for anything else. */
function rangeOf(text: string, column: Column | undefined): readonly number[] | null {
  const parts = text.split(":").map((part) => numberOr(part));
  const [from, to, step = 1] = parts;
  if (parts.length < 2 || parts.length > 3) return null;
  if (typeof from !== "number" || typeof to !== "number" || typeof step !== "number") return null;
  const count = Math.floor((to - from) / step + 1e-9);
  if (!(step > 0) || !(count >= 1) || count >= MAX_EDGES) return null;
  const edges = Array.from({ length: count + 1 }, (_, index) => Number((from + index * step).toPrecision(15)));
  return column?.type === "integer" && parts.length === 2 ? [...edges, to] : edges;
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s,;]+/).filter((word) => word !== "");

/** A number as people type it; anything else stays a text. */
function numberOr(text: string, wish: NumberWish = {}): number | string {
  try {
    return typedNumber(text, wish).value;
  } catch {
    return text.trim();
  }
}

/** A decimal that is passed on with all its digits. */
const decimalOr = (text: string): string => plainNumber(text) ?? text;

/** “1,500” is one number or two: refused, where a list is asked for. */
const isAmbiguous = (text: string): boolean => text.includes(",") && plainNumber(text) !== null;
