import type { Output } from "@dosimeter/client";
import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import { type ColumnWords, columnsJson } from "@dosimeter/query/schema";
import { type FileBytes, openFileBytes } from "./file-bytes.ts";
import type { TableWriter } from "./table-writer.ts";
import { unread } from "./unread.ts";

type Labels = ReadonlyMap<string, string>;

/** A column of a statistical file, by what the file says of it. */
export interface StatColumn {
  readonly name: string;
  readonly words: Omit<ColumnWords, "names" | "values" | "labels">;
  /** What its values are called, and what its codes of missing values. */
  readonly labels: Labels;
  readonly codes: Labels;
  /** Whether all its values have labels, where the file says so. */
  readonly isCategory?: boolean | undefined;
  /** The text of its value; "" where it is missing. */
  readonly value: (row: Buffer) => string;
  /** The code of a missing value. */
  readonly code: (row: Buffer) => string;
}

export interface StatTable {
  readonly kind: "Stata" | "SPSS" | "SAS";
  readonly columns: readonly StatColumn[];
  /** Each stays until the next. */
  readonly rows: Iterable<Buffer>;
}

/** A table whose file is open. */
export interface OpenedTable {
  readonly table: StatTable;
  close(): void;
}

/** Opens a file for as long as its table is read. */
export function openedTable(path: string, want: string, read: (file: FileBytes) => StatTable): OpenedTable {
  const file = openFileBytes(path, want);
  try {
    return { table: read(file), close: file.close };
  } catch (error) {
    file.close();
    throw error;
  }
}

export const noCodes: Labels = new Map();

/**
 * Writes the rows. A code of a missing value is an empty field, and stands in a column of its own where the file has a label for one of
 * the codes. Answers what the file says, for its declaration: its header alone decides.
 */
export function writeStatTable(
  { kind, columns, rows }: StatTable,
  writer: TableWriter,
): { readonly says: Output<"readCodeBook"> } {
  if (columns.length === 0) throw unread("a table with columns");
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const all = columns.flatMap((column) => (column.codes.size > 0 ? [column, codesOf(column, names)] : [column]));
  if (all.length > MAX_COLUMNS) throw tooWide(all.length);
  writer.header(all.map(({ name }) => name));
  for (const row of rows) writer.row(all.map(({ value }) => value(row)));
  const said = wordsOf(all);
  return {
    says: { kind, columns: said.map((each) => ({ ...each })), declaration: { columns: columnsJson(said) } },
  };
}

export const tooWide = (columns: number): Error =>
  unread(`a table of at most ${MAX_COLUMNS} columns: keep those that are needed`, String(columns));

function codesOf({ name, words, codes, code }: StatColumn, taken: Set<string>): StatColumn {
  let free = `${name}_missing`;
  while (taken.has(free.toLowerCase())) free += "_";
  taken.add(free.toLowerCase());
  const label = `Why ${words.label ?? name} is missing`;
  return { name: free, words: { label }, labels: codes, codes: noCodes, value: code, code: () => "" };
}

/** Of all labels together: what is beyond stays unsaid. */
const MAX_LETTERS = 500_000;

function wordsOf(columns: readonly StatColumn[]): readonly ColumnWords[] {
  let letters = 0;
  return columns.map(({ name, words: { label, ...words }, labels, isCategory = areCodes(labels, words.type) }) => {
    const [spoken, description] = [said(label, 200), (label?.length ?? 0) > 200 ? said(label, 500) : undefined];
    const column = { names: [name], ...words, ...(spoken && { label: spoken }), ...(description && { description }) };
    const pairs = [...labels].flatMap(([value, text]) => (value === "" ? [] : [[value, said(text, 200) ?? value]]));
    letters += pairs.reduce((sum, [value = "", text = ""]) => sum + value.length + text.length, 0);
    if (pairs.length === 0 || letters > MAX_LETTERS || words.type === "date" || words.type === "timestamp")
      return column;
    const named = { labels: Object.fromEntries(pairs) as Readonly<Record<string, string>> };
    const { unit: _, ...category } = column;
    if (isCategory) return { ...category, type: "category", values: pairs.map(([value = ""]) => value), ...named };
    return words.type === "integer" && pairs.length <= MAX_VALUE_LABELS ? { ...column, ...named } : column;
  });
}

/** Labels that begin to count at 0 or 1, and those of texts, are of all values; others may be of a few, such as 99 of an age. */
const areCodes = (labels: Labels, type: ColumnWords["type"]): boolean =>
  type === undefined || type === "text" || (labels.has("1") && (labels.has("0") || labels.has("2")));

/** Of an integer, as a declaration takes them. */
const MAX_VALUE_LABELS = 1000;

/** Without what is not shown as it is written. */
function said(text: string | undefined, most: number): string | undefined {
  const shown = (text ?? "")
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim()
    .normalize("NFC");
  return shown === "" ? undefined : [...shown].length <= most ? shown : `${[...shown].slice(0, most - 1).join("")}…`;
}
