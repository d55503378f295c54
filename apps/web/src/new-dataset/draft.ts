import type { File } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import {
  type ColumnType,
  type ConnectedTable,
  type ConnectionKind,
  checkDeclaration,
  connectedSource,
  type Declaration,
  overFile,
  type Provenance,
  uploadExtensions,
} from "@dosimeter/query";
import { numberOf } from "../parts/number-text.ts";

/** A column being declared, as the texts of its inputs. `leaveOut` columns are not part of the dataset. */
export interface ColumnDraft {
  readonly name: string;
  /** The file's own type, from its header. */
  readonly storage: string;
  readonly type: ColumnType | "leaveOut";
  readonly lower: string;
  readonly upper: string;
  readonly granularity: string;
  /** One per line. */
  readonly categories: string;
  readonly isRequired: boolean;
  readonly provenance: Provenance;
}

/** All inputs of the page, as typed. */
export interface Draft {
  readonly name: string;
  readonly columns: readonly ColumnDraft[];
  /** A column that names the protected unit; "" when each row is one. */
  readonly unitColumn: string;
  /** What one unit is, in words for the guarantee. */
  readonly unit: string;
  readonly adjacency: Declaration["adjacency"];
  readonly rows: string;
  readonly groups: string;
  readonly rowsPerGroup: string;
  readonly size: string;
  readonly isSizePublic: boolean;
  /** "" for a new population. */
  readonly population: string;
  readonly missing: string;
}

/** `auto`: what the header holds most often, as the engine reads it. */
export type DelimiterName = "auto" | keyof typeof delimiters;
const delimiters = { comma: ",", semicolon: ";", tab: "\t", bar: "|", space: " " } as const;

const typeOf: readonly (readonly [RegExp, ColumnType])[] = [
  [/^BOOL/i, "boolean"],
  [/INT/i, "integer"],
  [/DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC/i, "number"],
];

/** The type that a header suggests; a CSV file says only text. Never from a value. */
function columnDraft({ name, type }: File["columns"][number]): ColumnDraft {
  return {
    name,
    storage: type,
    type: typeOf.find(([pattern]) => pattern.test(type))?.[1] ?? "text",
    lower: "",
    upper: "",
    granularity: "",
    categories: "",
    isRequired: false,
    provenance: "asserted",
  };
}

function withoutExtension(name: string): string {
  const extension = uploadExtensions.find((each) => name.toLowerCase().endsWith(each)) ?? "";
  return name.slice(0, name.length - extension.length);
}

/** The initial draft of a file: each row is one person. */
export function draftOf(file: Pick<File, "name" | "columns" | "sameAs">): Draft {
  return {
    name: withoutExtension(file.name),
    columns: file.columns.map(columnDraft),
    unitColumn: "",
    unit: "person",
    adjacency: "addRemove",
    rows: "1",
    groups: "",
    rowsPerGroup: "",
    size: "",
    isSizePublic: false,
    population: file.sameAs[0]?.population ?? "",
    missing: "",
  };
}

/** The columns of another header; columns that are still there keep their inputs. */
export function withColumns(draft: Draft, columns: File["columns"]): Draft {
  const before = new Map(draft.columns.map((column) => [column.name, column]));
  return { ...draft, columns: columns.map((column) => before.get(column.name) ?? columnDraft(column)) };
}

/** The source of the rows. */
export type Reading =
  | { readonly format: File["format"]; readonly file: string; readonly delimiter?: DelimiterName }
  | ({ readonly format: ConnectionKind } & ConnectedTable);

/** A table whose header is known. */
export interface ChosenTable {
  readonly name: string;
  readonly columns: File["columns"];
  readonly sameAs: File["sameAs"];
  readonly reading: Reading;
  /** The uploaded file; absent for a table of a connection. */
  readonly file?: string;
}

export const tableOf = ({ id, name, columns, sameAs, format }: File): ChosenTable => ({
  name,
  columns,
  sameAs,
  file: id,
  reading: format === "csv" ? { format, file: name, delimiter: "auto" } : { format, file: name },
});

/** The declaration of the draft, or its error with the path of the input. */
export function declarationOf(
  draft: Draft,
  reading: Reading,
): { readonly declaration: Declaration } | { readonly name: string; readonly fault: string } {
  const lines = (text: string) =>
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "");
  const missing = lines(draft.missing);
  const source = sourceOf(reading, missing);
  const contribution =
    draft.unitColumn === ""
      ? { rows: 1 }
      : {
          ...whole("rows", draft.rows),
          ...whole("groups", draft.groups),
          ...whole("rowsPerGroup", draft.rowsPerGroup),
        };
  const size = draft.size.trim() === "" ? {} : { size: whole(draft.isSizePublic ? "public" : "assumed", draft.size) };
  try {
    const declaration = checkDeclaration({
      name: draft.name.trim(),
      source,
      privacyUnit: draft.unitColumn === "" ? "row" : { column: draft.unitColumn },
      adjacency: draft.adjacency,
      contribution,
      ...size,
      columns: draft.columns
        .filter(({ type }) => type !== "leaveOut")
        .map((column) => ({ name: column.name, ...columnOf(column, lines(column.categories)) })),
    });
    return { declaration };
  } catch (error) {
    if (!(error instanceof PrivacyError)) throw error;
    return { name: named(error.details.name ?? "", draft), fault: said(named(error.message, draft)) };
  }
}

function sourceOf(reading: Reading, missing: readonly string[]) {
  if ("connection" in reading) return connectedSource(reading.format, reading);
  const { format, file, delimiter } = reading;
  if (delimiter === undefined) return overFile({}, format, file);
  const separated = delimiter === "auto" ? {} : { delimiter: delimiters[delimiter] };
  return overFile({ ...separated, ...(missing.length === 0 ? {} : { missing }) }, format, file);
}

/** Leaves out an empty text; passes on a text that is no number, which is then refused with its path. */
const number = (name: string, text: string) => (text.trim() === "" ? {} : { [name]: numberOr(text) });
const numberOr = (text: string): number | string => {
  const value = numberOf(text);
  return Number.isNaN(value) ? text.trim() : value;
};
const whole = number;

function columnOf(column: ColumnDraft, categories: readonly string[]) {
  const { type, provenance } = column;
  const isNumeric = type === "integer" || type === "number";
  const areNumbers = categories.length > 0 && categories.every((text) => String(Number(text)) === text);
  const isNumberColumn = /INT|DOUBLE|FLOAT|REAL|DECIMAL|NUMERIC/i.test(column.storage);
  return {
    type,
    provenance,
    ...(isNumeric ? { ...number("lower", column.lower), ...number("upper", column.upper) } : {}),
    ...(isNumeric ? number("granularity", column.granularity) : {}),
    ...(type === "category" ? { categories: areNumbers && isNumberColumn ? categories.map(Number) : categories } : {}),
    ...(column.isRequired ? { required: true } : {}),
  };
}

/** Columns are checked as a list; people know them by name. */
function named(path: string, { columns }: Draft): string {
  const declared = columns.filter(({ type }) => type !== "leaveOut");
  return path.replaceAll(
    /columns\[(\d+)\]/g,
    (_, index: string) => `columns.${declared[Number(index)]?.name ?? index}`,
  );
}

const labels: Readonly<Record<string, string>> = {
  type: "Type",
  lower: "At least",
  upper: "At most",
  granularity: "In steps of",
  categories: "Categories",
  rows: "Rows in total",
  groups: "Groups",
  rowsPerGroup: "Rows per group",
};

/** A refusal with the labels of the form for the paths of the declaration. */
const said = (message: string): string =>
  message
    .replace(
      /^columns\.(.+)\.categories is \[\], must be at least one category$/,
      (_, column: string) => `Add at least one category for “${column}”.`,
    )
    .replaceAll(
      /\bcolumns\.(.+?)\.(type|lower|upper|granularity|categories)\b(\[\d+\])?/g,
      (_, column: string, field: string) => `“${labels[field]}” of ${column}`,
    )
    .replaceAll(/\bcontribution\.(rowsPerGroup|rows|groups)\b/g, (_, field: string) => `“${labels[field]}”`)
    .replaceAll(/\bsize\.(assumed|public)\b/g, "The number of rows")
    .replace(/^name is/, "“Dataset name” is");
