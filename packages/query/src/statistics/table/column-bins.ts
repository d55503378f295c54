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

/** The longest text of bins; longer lists are given as an object. */
const MAX_TEXT = 20_000;

const WANT =
  "a whole number >= 1: the bins of each column of numbers; or those of single columns, such as income = 0, 20000, 50000; city = Oslo, Bergen";

/** Bins as a request gives them: a number for all columns, or an object by column, or the same as text. */
export function tableBins(given: unknown, columns: Readonly<Record<string, Column>>, path: string): TableBins {
  if (given === undefined || typeof given === "number") return { all: given, of: new Map() };
  if (isRecord(given)) return { all: undefined, of: new Map(Object.entries(given)) };
  if (typeof given !== "string" || !given.includes("=")) return invalid(path, given, WANT);
  if (given.length > MAX_TEXT) return invalid(path, given.length, `at most ${MAX_TEXT} characters`);
  const of = new Map<string, unknown>();
  for (const part of parts(given, ";")) {
    const [name, said] = nameAndBins(part.trim()) ?? invalid(path, part.trim(), "such as age = 10");
    const column = unquoted(name);
    if (of.has(column)) return invalid(`${path}.${column}`, column, "named once");
    of.set(column, readBins(parts(said, ","), own(columns, column) as Column | undefined, `${path}.${column}`));
  }
  return { all: undefined, of };
}

/** A text cut at a sign that is not in quotes, in time linear in its length. A quote that none closes cuts too, and is left out. */
export function parts(text: string, sign: ";" | ","): readonly string[] {
  const ends = quoteEnds(text);
  const found: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const end = text[at] === '"' ? (ends[at + 1] ?? -1) : -1;
    if (end !== -1) at = end;
    else if (text[at] === sign || text[at] === '"') {
      found.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, text.slice(from)].filter((part) => part.trim() !== "");
}

/** Of each place, were it in quotes, where the quote after it is that closes them; -1 without one. */
function quoteEnds(text: string): Int32Array {
  const ends = new Int32Array(text.length + 2).fill(-1);
  for (let at = text.length - 1; at >= 0; at--) {
    const isEscape = text[at] === "\\";
    if (text[at] === '"') ends[at] = at;
    else if (!isEscape) ends[at] = ends[at + 1] ?? -1;
    else if (!/[\n\r\u2028\u2029]/.test(text[at + 1] ?? "")) ends[at] = ends[at + 2] ?? -1;
  }
  return ends;
}

/** What stands before the first `=` that is not in the quotes of a name, and after it. */
function nameAndBins(part: string): readonly [string, string] | undefined {
  const quotes = part.startsWith('"') ? (quoteEnds(part)[1] ?? -1) + 1 : 0;
  const at = part.indexOf("=", quotes);
  const between = part.slice(quotes, Math.max(at, quotes));
  if (at === -1 || between.includes('"') || (quotes > 0 && between.trim() !== "")) return undefined;
  return [part.slice(0, at).trimEnd(), part.slice(at + 1)];
}

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
export const binnedColumns = (text: string): readonly string[] =>
  parts(text, ";")
    .filter((part) => part.includes("="))
    .map(columnOf);

/** The same bins with those of some columns in place of what these had. */
export function withColumnBins(text: string, bins: Readonly<Record<string, ColumnBins>>): string {
  const kept = parts(text, ";").filter((part) => part.includes("=") && !Object.hasOwn(bins, columnOf(part)));
  return [...kept.map((part) => part.trim()), columnBinsText(bins)].join("; ");
}
