import { invalid } from "@dosimeter/core";
import { present, readTable, separatorOf } from "@dosimeter/core/internal";
import type { ColumnWords, SchemaWords } from "./schema-words.ts";
import { type ListedValues, parseValues } from "./values.ts";

type Field = Exclude<keyof ColumnWords, "names" | "labels" | "required" | "provenance"> | "name" | "range";

const headings: readonly (readonly [Field, RegExp])[] = [
  ["name", /^(?:(?:variable|column|field|item)(?: name)?|name|var)$/],
  ["type", /^(?:data ?)?type$|^format$/],
  ["values", /^(?:values?(?: labels?)?|categories|codes?|levels|coding|code list)$/],
  ["lower", /^(?:lower(?: bound)?|min(?:imum)?|at least|from)$/],
  ["upper", /^(?:upper(?: bound)?|max(?:imum)?|at most|to)$/],
  ["range", /^range$/],
  ["unit", /^units?$/],
  ["label", /^(?:label|title|question|meaning)$/],
  ["description", /^(?:description|definition|notes?|comment)$/],
];
const headingOf = (cell: string): Field | undefined =>
  headings.find(([, pattern]) =>
    pattern.test(
      cell
        .trim()
        .replace(/^"(.*)"$/, "$1")
        .toLowerCase(),
    ),
  )?.[0];

const typeWords: readonly (readonly [NonNullable<ColumnWords["type"]>, RegExp])[] = [
  ["integer", /^(?:int(?:eger)?|whole number|count|year)$/i],
  ["number", /^(?:num(?:ber|eric)?|float|double|decimal|real|continuous)$/i],
  ["date", /^(?:date|day)$/i],
  ["timestamp", /^(?:timestamp|date ?time)$/i],
  ["boolean", /^(?:bool(?:ean)?|yes or no|yes\/no|flag|logical)$/i],
  ["category", /^(?:categor(?:y|ical)|factor|enum|nominal|ordinal)$/i],
  ["text", /^(?:text|string|char(?:acter)?|varchar)$/i],
];
const typeOf = (text: string) => typeWords.find(([, pattern]) => pattern.test(text.trim()))?.[0];

/** More than the book of any survey, and than the longest list of codes in one line. */
const MAX_LINES = 2 ** 16;
const MAX_LINE = 2_000_000;

/** Before anything is looked for in all lines. */
export function refuseMany(lines: number, what = "columns"): void {
  if (lines > MAX_LINES) invalid("schema", `more than ${MAX_LINES} ${what}`, `of at most ${MAX_LINES}`);
}

const NUMBER = String.raw`[-+−]?\d[\d,]*(?:\.\d+)?`;
const RANGE = new RegExp(String.raw`^\(?(${NUMBER})\s*(?:\.\.\.?|…|–|-|to)\s*(${NUMBER})\)?\s*([^\d\s;=|]{1,20})?$`);
/** Of a label between single blanks. */
const MAX_LABEL_WORDS = 12;
const PAIR = /^(?:"[^"]*"|[^\s=:;]+)\s*[=:]\s*\S/;

/**
 * A code book: a table copied from a spreadsheet with a line of headings, or a line for each column: `sex  Sex  0=female; 1=male`,
 * whose codes may also follow on lines of their own.
 */
export function readCodeBook(text: string): SchemaWords {
  const lines = text.split(/\r\n?|\n/).filter((line) => line.trim() !== "");
  const long = lines.find(({ length }) => length > MAX_LINE);
  if (long !== undefined)
    invalid("schema", `a line of ${long.length} characters`, `lines of at most ${MAX_LINE}: is this a code book?`);
  return { kind: "code book", columns: tableOf(text, lines[0] ?? "") ?? listOf(lines), about: {} };
}

function tableOf(text: string, first: string): readonly ColumnWords[] | null {
  // A label may hold any separator, but no tab.
  const separator = first.includes("\t") ? "\t" : separatorOf(first);
  const fields = first.split(separator).map(headingOf);
  if (!fields.includes("name") || fields.filter((field) => field !== undefined).length < 2) return null;
  const { rows } = readTable(text, "the code book", { separator, heading: "always", mayEndEarly: true });
  refuseMany(rows.length);
  return rows.flatMap(({ cells }) => {
    const row = Object.fromEntries(
      fields.flatMap((field, at) => {
        const cell = cells[at] ?? "";
        return field === undefined || cell === "" ? [] : [[field, cell]];
      }),
    ) as Partial<Record<Field, string>>;
    return row.name === undefined ? [] : [ofRow({ ...row, name: row.name })];
  });
}

function ofRow({
  name,
  range,
  values,
  ...row
}: Partial<Record<Field, string>> & { readonly name: string }): ColumnWords {
  const { type: typed, ...texts } = row;
  const type = typed === undefined ? undefined : typeOf(typed);
  const bounds = range === undefined ? {} : (rangeIn(range) ?? {});
  const fromValues = values === undefined ? null : rangeIn(values);
  const listed = values === undefined || fromValues !== null ? {} : codes(values);
  return {
    names: [name],
    ...bounds,
    ...fromValues,
    ...listed,
    ...texts,
    ...(type === undefined ? {} : typedAs(type, listed)),
  };
}

/** Codes of a column that is said to be numbers are labels of some of them. */
const typedAs = (type: NonNullable<ColumnWords["type"]>, listed: Partial<ColumnWords>): Partial<ColumnWords> =>
  type === "text" && listed.values !== undefined ? {} : { type };

function rangeIn(text: string): Partial<ColumnWords> | null {
  const [, low, high, unit] = RANGE.exec(text.trim()) ?? [];
  if (low === undefined || high === undefined) return null;
  const plain = (number: string) => number.replaceAll(",", "").replace("−", "-");
  const [lower, upper] = [plain(low), plain(high)];
  const type = lower.includes(".") || upper.includes(".") ? "number" : "integer";
  return { type, lower, upper, ...present({ unit }) };
}

const codes = (text: string): Partial<ColumnWords> => {
  const { values, labels } = listedIn(text);
  return { type: "category", values, ...(Object.keys(labels).length === 0 ? {} : { labels }) };
};

/** `0=female; 1=male`, `0 = female, 1 = male`, `0: female | 1: male`, `A; B; C`. */
function listedIn(text: string): ListedValues {
  const bars = text.includes("|") ? text.split("|") : text.includes(";") || /\n/.test(text) ? [text] : text.split(",");
  const parts = bars.flatMap((part) => (part.includes(";") ? part.split(";") : [part]));
  return parseValues(parts.map((part) => part.trim().replace(/^([^\s=:"]+)\s*:\s*(?=\S)/, "$1=")).join("\n"));
}

const isCodes = (text: string): boolean => PAIR.test(text) || /^[^\s|;]+(?:\s?[|;]\s?[^\s|;]+)+$/.test(text.trim());

function listOf(lines: readonly string[]): readonly ColumnWords[] {
  const columns: string[][] = [];
  for (const line of lines) {
    const last = columns.at(-1);
    const isMore = /^\s/.test(line) || /^[-+]?\d+\s*[=:]/.test(line);
    if (last !== undefined && isMore && isCodes(line.trim())) refuseMany(last.push(line) - 1, "lines of codes");
    else refuseMany(columns.push([line]));
  }
  return columns
    .map(([first = "", ...more]) => withCodes(ofLine(first), more))
    .filter(({ names: [name = ""] }) => name !== "");
}

function withCodes(column: ColumnWords, lines: readonly string[]): ColumnWords {
  if (lines.length === 0) return column;
  const listed = [{ values: column.values ?? [], labels: column.labels ?? {} }, ...lines.map(listedIn)];
  return {
    ...column,
    type: column.type ?? "category",
    values: listed.flatMap(({ values }) => values),
    labels: Object.fromEntries(listed.flatMap(({ labels }) => Object.entries(labels))),
  };
}

/** Apart at the commas after the last code: those between codes belong to the list. */
function apartAtCommas(text: string): readonly string[] {
  const end = text.lastIndexOf("=") + 1;
  const [first = "", ...others] = text.slice(end).split(/,\s+/);
  return [text.slice(0, end) + first, ...others];
}

/** `age Age 0-120 years`: a blank alone tells the parts apart where the last is a range or codes; else all is one name. */
function apartAtBlanks(text: string): readonly string[] {
  const words = text.split(" ");
  for (let at = 1; at < Math.min(words.length, MAX_LABEL_WORDS + 2); at++) {
    const end = words.slice(at).join(" ");
    if (rangeIn(end) === null && !isCodes(end)) continue;
    return [words[0] ?? "", words.slice(1, at).join(" "), end].filter((part) => part !== "");
  }
  return [text];
}

function ofLine(line: string): ColumnWords {
  const apart = line.trim().split(/\t+|\s{2,}/);
  const [, before = "", after = ""] = /^(\S+?)\s*(?::|\s[-–]\s)\s*(.+)$/.exec(line.trim()) ?? [];
  const [name = "", ...parts] =
    apart.length > 1 ? apart : before === "" ? apartAtBlanks(line.trim()) : [before, ...apartAtCommas(after)];
  let column: ColumnWords = { names: [name] };
  for (const part of parts) {
    const range = rangeIn(part);
    const type = typeOf(part);
    if (range !== null) column = { ...range, ...column, ...present({ type: column.type }) };
    else if (type !== undefined) column = { ...column, type };
    else if (isCodes(part)) column = { ...column, ...codes(part) };
    else if (column.label === undefined) column = { ...column, label: part };
    else column = { ...column, description: part };
  }
  return column;
}
