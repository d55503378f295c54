import { invalid } from "@dosimeter/core";
import { isRecord, typedNumber } from "@dosimeter/core/internal";
import type { Column } from "../../declaration/declaration.ts";
import { own } from "../../input/check.ts";

/** Bins of one column: how many, a period of dates, or edges; of texts the values that count. */
export type ColumnBins = number | string | readonly (number | string)[];

/** Bins of all columns that have none of their own, and those that do. */
export interface TableBins {
  readonly all: unknown;
  readonly of: ReadonlyMap<string, unknown>;
}

const WANT =
  "a whole number >= 1: the bins of each column of numbers; or those of single columns, such as income = 0, 20000, 50000; city = Oslo, Bergen";

/** Bins as a request gives them: a number for all columns, or an object by column, or the same as text. */
export function tableBins(given: unknown, columns: Readonly<Record<string, Column>>, path: string): TableBins {
  if (given === undefined || typeof given === "number") return { all: given, of: new Map() };
  if (isRecord(given)) return { all: undefined, of: new Map(Object.entries(given)) };
  if (typeof given !== "string" || !given.includes("=")) return invalid(path, given, WANT);
  const of = new Map<string, unknown>();
  for (const part of parts(given, ";")) {
    const [, name, said] = /^("(?:[^"\\]|\\.)*"|[^="]*?)\s*=(.*)$/s.exec(part.trim()) ?? [];
    if (name === undefined || said === undefined) return invalid(path, part.trim(), "such as age = 10");
    const column = unquoted(name);
    if (of.has(column)) return invalid(`${path}.${column}`, column, "named once");
    of.set(column, readBins(parts(said, ","), own(columns, column) as Column | undefined, `${path}.${column}`));
  }
  return { all: undefined, of };
}

/** A text cut at a sign that is not in quotes. */
const parts = (text: string, at: ";" | ","): readonly string[] =>
  (text.match(at === ";" ? /("(?:[^"\\]|\\.)*"|[^;"])+/g : /("(?:[^"\\]|\\.)*"|[^,"])+/g) ?? []).filter(
    (part) => part.trim() !== "",
  );

function unquoted(text: string): string {
  const trimmed = text.trim();
  if (!/^".*"$/s.test(trimmed)) return trimmed;
  try {
    return String(JSON.parse(trimmed));
  } catch {
    return trimmed;
  }
}

const RELEASED = /^release:(\S+)$/;

/** The releases that columns name in place of bins, such as `income = release:chg_1`; the command line fills theirs in. */
export const releasesNamed = (text: string): readonly { readonly column: string; readonly release: string }[] =>
  parts(text, ";").flatMap((part) => {
    const [column = "", said = ""] = part.split("=");
    const [, release] = RELEASED.exec(said.trim()) ?? [];
    return release === undefined ? [] : [{ column: unquoted(column), release }];
  });

function readBins(words: readonly string[], column: Column | undefined, path: string): unknown {
  const values = words.map((word) => {
    const text = unquoted(word);
    if (RELEASED.test(text))
      return invalid(path, text, "bins: the command line reads them from that release, no plan does");
    if (column?.type === "text" || column?.type === "category") return text;
    if (column?.type === "date" && (words.length > 1 || !/^\d+$/.test(text))) return text;
    return typedNumber(text, {}, path).value;
  });
  return values.length === 1 && column?.type !== "text" ? values[0] : values;
}

const quoted = (value: number | string, isName = false): string =>
  typeof value === "number" || !(isName ? /[=;"]|^\s|\s$|^$/ : /[,;"]|^\s|\s$|^$/).test(value)
    ? String(value)
    : JSON.stringify(value);

/** As people write them: `income = 0, 20000, 50000; city = Oslo, Bergen`. */
export const columnBinsText = (bins: Readonly<Record<string, ColumnBins>>): string =>
  Object.entries(bins)
    .map(
      ([name, of]) =>
        `${quoted(name, true)} = ${(typeof of === "object" ? of : [of]).map((each) => quoted(each)).join(", ")}`,
    )
    .join("; ");

const columnOf = (part: string): string => unquoted(part.split("=")[0] ?? "");
/** The columns that have bins of their own in such a text. */
export const binnedColumns = (text: string): readonly string[] =>
  parts(text, ";")
    .filter((part) => part.includes("="))
    .map(columnOf);

/** The same bins with those of some columns in place of what these had. */
export function withColumnBins(text: string, bins: Readonly<Record<string, ColumnBins>>): string {
  const kept = parts(text, ";").filter((part) => part.includes("=") && !Object.hasOwn(bins, columnOf(part)));
  return [...kept.map((part) => part.trim()), columnBinsText(bins)].join("; ");
}
