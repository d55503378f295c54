import { invalid } from "@dosimeter/core";
import { isRecord, present } from "@dosimeter/core/internal";
import { type Fields, list, own, text } from "../input/check.ts";
import type { SourceKind } from "./kind.ts";

/** How the text of a CSV file in UTF-8 is read. */
interface CsvReading {
  readonly delimiter?: string;
  /** Lines that begin with this sign are no rows. */
  readonly comment?: string;
  /** What stands for a missing value next to the empty field. */
  readonly missing?: readonly string[];
}

/** A source that is a file or several. */
export type FileSource =
  | ({ readonly csv: string } & CsvReading)
  | { readonly parquet: string }
  /** A table or view of a DuckDB database file. */
  | { readonly duckdb: string; readonly schema?: string; readonly table: string };

/** Formats of files that people upload, by the field of a source that holds the path. A name that fits none is the first's. */
export const uploadFormats = {
  csv: { label: "CSV", extensions: [".csv"] },
  parquet: { label: "Parquet", extensions: [".parquet", ".pq"] },
} as const;
export type UploadFormat = keyof typeof uploadFormats;

const formats = Object.keys(uploadFormats) as readonly UploadFormat[];

/** Formats of uploads that the server makes a CSV file of. */
const convertedFormats = {
  xlsx: { label: "Excel", extensions: [".xlsx", ".xlsm"] },
  arrow: { label: "Arrow", extensions: [".arrow", ".feather", ".arrows"] },
} as const;
export type ConvertedFormat = keyof typeof convertedFormats;

/** Endings of the names of files that people upload. */
export const uploadExtensions: readonly string[] = [uploadFormats, convertedFormats].flatMap((each) =>
  Object.values(each).flatMap(({ extensions }) => extensions),
);

/** Whether such a file may be a text, by its name. */
export const mayBeText = (name: string): boolean =>
  !uploadExtensions.some((ending) => ending !== ".csv" && name.toLowerCase().endsWith(ending));

export function uploadFormatOf(name: string): UploadFormat {
  const lower = name.toLowerCase();
  const fits = (format: UploadFormat) => uploadFormats[format].extensions.some((ending) => lower.endsWith(ending));
  return formats.find(fits) ?? "csv";
}

/** The path that a source from outside gives to a file of such a format. */
export const pathIn = (source: Fields): unknown =>
  formats.map((format) => source[format]).find((path) => path !== undefined && path !== null);

/** The sign of comments of a declaration from outside: without it the header of its file is not found. */
export const commentOf = ({ source }: Fields): { readonly comment?: string } =>
  isRecord(source) && typeof source.comment === "string" ? { comment: source.comment } : {};

/** A checked source over another file of its format. */
export function movedTo<S extends object>(source: S, path: string): S {
  const format = formats.find((one) => Object.hasOwn(source, one));
  return format === undefined ? source : { ...source, [format]: path };
}

/** A source from outside over another file: how the file is read stays. */
export function overFile(source: Fields, format: UploadFormat, path: string): Fields {
  const reading = Object.entries(source).filter(([field]) => !Object.hasOwn(uploadFormats, field));
  return { [format]: path, ...Object.fromEntries(reading) };
}

/** How a `source` that has this field is read: the fields that may stand next to it, and what it says. */
interface Field {
  readonly more: readonly string[];
  readonly parse: (path: string, given: Fields) => FileSource;
}

const fields: Readonly<Record<UploadFormat | "duckdb", Field>> = {
  csv: { more: ["delimiter", "comment", "missing"], parse: (csv, given) => ({ csv, ...readingOf(given) }) },
  parquet: { more: [], parse: (parquet) => ({ parquet }) },
  duckdb: {
    more: ["schema", "table"],
    parse: (duckdb, given) => {
      const name = (key: string): string => text(own(given, key), `source.${key}`, 200);
      return {
        duckdb,
        ...(own(given, "schema") === undefined ? {} : { schema: name("schema") }),
        table: name("table"),
      };
    },
  },
};

export const fileKind = {
  fields: Object.fromEntries(Object.entries(fields).map(([field, { more }]) => [field, more])),
  shape: "{csv: path}, {parquet: path}, {duckdb: path, table}",
  parse: (given: Fields, field: keyof typeof fields): FileSource =>
    fields[field].parse(text(own(given, field), `source.${field}`, 4096), given),
  isLive: () => false,
  limitsStatements: false,
  identity: () => null,
  connection: null,
  words: {
    place: "A file on this computer",
    hint: "CSV with a header, Parquet, an Excel workbook or an Arrow (Feather) file. Its names and types are read from the header, never from a row.",
  },
} as const satisfies SourceKind<FileSource>;

function readingOf(given: Fields): CsvReading {
  const delimiter = own(given, "delimiter");
  const comment = own(given, "comment");
  const missing = own(given, "missing");
  if (delimiter !== undefined && !(typeof delimiter === "string" && /^[,;\t| ]$/.test(delimiter)))
    return invalid("source.delimiter", delimiter, "one of comma, semicolon, tab, bar, space");
  if (comment !== undefined && !(typeof comment === "string" && /^[!#$%&*/:;<=>?@^|~]$/.test(comment)))
    return invalid("source.comment", comment, "one of ! # $ % & * / : ; < = > ? @ ^ | ~");
  if (comment !== undefined && comment === delimiter)
    return invalid("source.comment", comment, "another sign than the delimiter");
  return {
    ...present({ delimiter, comment }),
    ...(missing === undefined
      ? {}
      : {
          missing: list(missing, "source.missing").map((value, index) => text(value, `source.missing[${index}]`, 100)),
        }),
  };
}
