import type { Column, Declaration } from "../declaration.ts";
import type { StatisticRequest } from "../plan.ts";
import { predicateText } from "../predicate.ts";
import { type Statistic, type StatisticName, statisticNames, statisticOf } from "../statistics.ts";

/** The settings of a row exactly as typed: a text that is not a number yet is kept, not lost. Absent is "". */
export type SettingTexts = Readonly<Record<string, string>>;

/** One field of a request as people fill it in: pages, files and spreadsheets read this table. */
export interface Setting {
  readonly key: Exclude<keyof StatisticRequest, "id" | "epsilon" | "rho">;
  readonly label: string;
  readonly kind: "number" | "numbers" | "bins" | "keys" | "choice" | "columns" | "predicate";
  /** What an empty field means here. */
  readonly hint: (column: Column | undefined) => string;
  /** Whether the statistic and its column know the field. */
  readonly applies: (statistic: Statistic, column: Column | undefined) => boolean;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
}

const isNumber = (column: Column | undefined): boolean => column?.type === "integer" || column?.type === "number";
const readsNumbers = ({ column: reads }: Statistic, column: Column | undefined): boolean =>
  reads !== "none" && isNumber(column);
const declared = (value: number | undefined, otherwise: string): string =>
  value === undefined ? otherwise : `${value}, declared`;

/** Every setting, in the order that a page shows them. */
export const settings: readonly Setting[] = [
  {
    key: "lower",
    label: "Lower bound",
    kind: "number",
    hint: (column) => declared(column?.lower, "not declared"),
    applies: readsNumbers,
  },
  {
    key: "upper",
    label: "Upper bound",
    kind: "number",
    hint: (column) => declared(column?.upper, "not declared"),
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
    hint: (column) => (column?.type === "integer" ? "one per value" : "10, or edges: 0 50 100"),
    applies: (statistic, column) => statistic.column === "binned" && isNumber(column),
  },
  {
    key: "quantiles",
    label: "Quantiles",
    kind: "numbers",
    hint: () => "0.25 0.5 0.75",
    applies: (statistic) => statistic.selects === null,
  },
  {
    key: "unitLower",
    label: "One person’s least total",
    kind: "number",
    hint: (column) => declared(column?.lower, "the column’s bound"),
    applies: (statistic) => statistic.byUnit === true,
  },
  {
    key: "unitUpper",
    label: "One person’s largest total",
    kind: "number",
    hint: (column) => declared(column?.upper, "the column’s bound"),
    applies: (statistic) => statistic.byUnit === true,
  },
  { key: "groupBy", label: "One answer for each", kind: "columns", hint: () => "", applies: () => true },
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
    applies: (statistic) => statistic.selects === undefined,
    choices: [
      { value: "", label: "Laplace, paid in ε" },
      { value: "gaussian", label: "Gaussian, paid in ρ" },
    ],
  },
];

const isStatistic = (name: string): name is StatisticName => (statisticNames as readonly string[]).includes(name);

/** The settings that a row of this statistic and column has; none until the statistic is chosen. */
export function settingsFor(texts: SettingTexts, declaration: Declaration): readonly Setting[] {
  const name = texts.statistic ?? "";
  if (!isStatistic(name)) return [];
  const column = declaration.columns[texts.column ?? ""];
  return settings.filter(({ applies }) => applies(statisticOf(name), column));
}

/** Texts become values where they are some; what is not goes on as typed, and the planner says what it should be. */
export function requestOfTexts(texts: SettingTexts, declaration: Declaration): Partial<StatisticRequest> {
  const fields = settingsFor(texts, declaration).flatMap(({ key, kind }) => {
    const text = (texts[key] ?? "").trim();
    return text === "" ? [] : [[key, readSetting(text, kind)] as const];
  });
  const column = texts.column ?? "";
  return {
    statistic: texts.statistic ?? "",
    ...(column === "" ? {} : { column }),
    ...Object.fromEntries(fields),
  } as Partial<StatisticRequest>;
}

/** A request as it would be typed. */
export function textsOfRequest(request: Partial<StatisticRequest>): SettingTexts {
  const { id: _, epsilon: __, rho: ___, ...rest } = request;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, textOf(key, value)]));
}

function textOf(key: string, value: unknown): string {
  if (key === "where" && typeof value === "object" && value !== null)
    return predicateText(value as Parameters<typeof predicateText>[0]);
  if (Array.isArray(value)) return value.join(key === "groupBy" ? ", " : " ");
  return value === undefined ? "" : String(value);
}

function readSetting(text: string, kind: Setting["kind"]): unknown {
  switch (kind) {
    case "number":
      return numberOr(text);
    case "numbers":
      return wordsOf(text).map((word) => (word.endsWith("%") ? Number(word.slice(0, -1)) / 100 : numberOr(word)));
    case "bins": {
      const words = wordsOf(text).map(numberOr);
      return words.length === 1 ? words[0] : words;
    }
    case "keys":
      return wordsOf(text).flatMap(keysIn);
    case "columns":
      return text
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== "");
    case "choice":
    case "predicate":
      return text;
    default:
      return kind satisfies never;
  }
}

const wordsOf = (text: string): readonly string[] => text.split(/[\s,;]+/).filter((word) => word !== "");

/** "1,000" and "1 000" are 1000; anything else that is no number stays a text. */
function numberOr(text: string): number | string {
  const plain = text.trim().replaceAll(/[,_\s]/g, "");
  return plain !== "" && Number.isFinite(Number(plain)) ? Number(plain) : text.trim();
}

const MOST_KEYS = 10_000;

/** `2:5` is 2 3 4 5 and `A:D` is A B C D; a single word is itself. */
export function keysIn(word: string): readonly (string | number)[] {
  const whole = /^(-?\d+):(-?\d+)$/.exec(word);
  const letter = /^([A-Za-z]):([A-Za-z])$/.exec(word);
  const [from, to] =
    whole !== null
      ? [Number(whole[1]), Number(whole[2])]
      : [letter?.[1]?.charCodeAt(0) ?? 1, letter?.[2]?.charCodeAt(0) ?? 0];
  if (from > to || to - from >= MOST_KEYS) return [numberOr(word)];
  return Array.from({ length: to - from + 1 }, (_, i) => (whole === null ? String.fromCharCode(from + i) : from + i));
}
