import { invalid } from "@dosimeter/core";
import { isRecord, present } from "@dosimeter/core/internal";
import { type Fields, list, oneOf, own, record, text } from "../input/check.ts";
import { NUMBERS_WANTED, readNumberSpelling } from "../input/number-spelling.ts";
import type { SourceKind } from "./kind.ts";

/** How the text of a CSV file in UTF-8 is read. */
interface CsvReading {
  readonly delimiter?: string;
  /** Lines that begin with this sign are no rows. */
  readonly comment?: string;
  /** What stands around a value that holds a delimiter: a double quote when absent, none where it is "none". */
  readonly quote?: Quote;
  /** How it writes the number 1234.5, such as `1.234,5`. */
  readonly numbers?: string;
  /** What stands for a missing value next to the empty field. */
  readonly missing?: readonly string[];
}

const QUOTES = ['"', "'", "none"] as const;
type Quote = (typeof QUOTES)[number];

/** Columns that are made of several others, which together name a person. [M405] */
interface Keyed {
  readonly keys?: Readonly<Record<string, readonly string[]>>;
}

/** A source that is a file or several. */
export type FileSource = Keyed &
  (
    | ({ readonly csv: string } & CsvReading)
    | { readonly parquet: string }
    /** A table or view of a DuckDB database file. */
    | { readonly duckdb: string; readonly schema?: string; readonly table: string }
  );

/** One kind of file that people upload. */
interface FileFormat {
  readonly label: string;
  readonly extensions: readonly string[];
  /** How its bytes begin, as Latin-1; none of a text. */
  readonly begins: readonly string[];
  /** What it must be, for refusals. */
  readonly want: string;
}

/** Formats that are kept as they are, by the field of a source that holds the path. A name that fits none is the first's. */
export const uploadFormats = {
  csv: { label: "CSV", extensions: [".csv"], begins: [], want: "a text with a header line" },
  parquet: { label: "Parquet", extensions: [".parquet", ".pq"], begins: ["PAR1"], want: "a Parquet file" },
} as const satisfies Record<string, FileFormat>;
export type UploadFormat = keyof typeof uploadFormats;

const formats = Object.keys(uploadFormats) as readonly UploadFormat[];

/** Formats of uploads that the server makes a CSV file of. */
export const convertedFormats = {
  xlsx: { label: "Excel", extensions: [".xlsx", ".xlsm"], begins: [], want: "an Excel workbook (.xlsx)" },
  ods: { label: "OpenDocument", extensions: [".ods"], begins: [], want: "an OpenDocument spreadsheet (.ods)" },
  arrow: {
    ...{ label: "Arrow", extensions: [".arrow", ".feather", ".arrows"], begins: ["ARROW1\0\0", "\xff\xff\xff\xff"] },
    want: "an Arrow file (Feather version 2 or a stream), compressed with LZ4 or ZSTD or not at all",
  },
  dta: {
    ...{ label: "Stata", extensions: [".dta"] },
    begins: ["<stata_dta>", ...["q", "r", "s"].flatMap((of) => [`${of}\x01\x01\0`, `${of}\x02\x01\0`])],
    want: "a whole Stata file of release 113 to 115 or 117 to 119 (Stata 8 and later)",
  },
  sav: {
    ...{ label: "SPSS", extensions: [".sav", ".zsav"], begins: ["$FL2", "$FL3"] },
    want: "a whole SPSS file (.sav or .zsav) without a password",
  },
  xpt: {
    ...{ label: "SAS transport", extensions: [".xpt", ".v5xpt", ".v8xpt"] },
    begins: ["HEADER RECORD*******LIBRARY", "HEADER RECORD*******LIBV8"],
    want: "a whole transport file of SAS (.xpt, version 5 or 8) with one table",
  },
  sas7bdat: {
    ...{ label: "SAS", extensions: [".sas7bdat"], begins: [`${"\0".repeat(12)}\xc2\xea\x81\x60`] },
    want: "a whole table of SAS (.sas7bdat) without a password",
  },
  json: {
    ...{ label: "JSON", extensions: [".json", ".jsonl", ".ndjson"], begins: [] },
    want: "JSON: an array of objects, or an object a line, whose values are texts, numbers, true, false or null",
  },
} as const satisfies Record<string, FileFormat>;
export type ConvertedFormat = keyof typeof convertedFormats;

/** Files that hold one of the others. */
export const packedFormats = {
  zip: { label: "ZIP", extensions: [".zip"], begins: ["PK\x03\x04"], want: "a ZIP file with one file in it" },
  gz: { label: "gzip", extensions: [".gz"], begins: ["\x1f\x8b"], want: "a whole gzip file" },
  zst: { label: "Zstandard", extensions: [".zst"], begins: ["\x28\xb5\x2f\xfd"], want: "a whole Zstandard file" },
} as const satisfies Record<string, FileFormat>;
export type PackedFormat = keyof typeof packedFormats;

/** Every row. */
export const fileFormats = { ...uploadFormats, ...convertedFormats, ...packedFormats };
export type AnyFormat = keyof typeof fileFormats;

/** Files that are not read, by how they begin, and what to do. */
export const unreadFormats: readonly (readonly [begins: string, want: string])[] = [
  ["\xd0\xcf\x11\xe0", "an Excel workbook without a password, saved as .xlsx"],
  ["RDX3\nX\n", "another file than .RData: in R, arrow::write_parquet(x, 't.parquet')"],
  ["X\n\0\0", "another file than .rds: in R, arrow::write_parquet(readRDS(path), 't.parquet')"],
  [
    `${"\0".repeat(12)}\xc2\xea\x81\x63`,
    "the table, not the catalog of its labels; for both, in R: haven::write_sav(haven::read_sas('t.sas7bdat', 'f.sas7bcat'), 't.sav')",
  ],
  ["SQLite format 3\0", "one table: sqlite3 -header -csv file.db 'SELECT * FROM t' > t.csv"],
  ["BZh91AY&SY", "packed with gzip, ZIP or Zstandard, or not at all: bunzip2 file"],
  ["\xfd7zXZ", "packed with gzip, ZIP or Zstandard, or not at all: unxz file"],
  ["7z\xbc\xaf", "packed with gzip, ZIP or Zstandard, or not at all"],
  ["Rar!\x1a", "packed with gzip, ZIP or Zstandard, or not at all"],
  ["\x89HDF", "another file than HDF5: in Python, pandas.read_hdf(path).to_parquet('t.parquet')"],
  ["Obj\x01", "another file than Avro: convert it to Parquet"],
  ["%PDF-", "a table, and no document: copy it into a spreadsheet and save that as .xlsx"],
];

/** Endings of the names of files that people upload. */
export const uploadExtensions: readonly string[] = Object.values(fileFormats).flatMap(({ extensions }) => extensions);

/** Whether the encoding of its texts may have to be given, by its name. */
export const mayBeText = (name: string): boolean =>
  ![uploadFormats.parquet, convertedFormats.xlsx, convertedFormats.ods, convertedFormats.arrow].some(({ extensions }) =>
    extensions.some((ending) => name.toLowerCase().endsWith(ending)),
  );

export function uploadFormatOf(name: string): UploadFormat {
  const lower = name.toLowerCase();
  const fits = (format: UploadFormat) => uploadFormats[format].extensions.some((ending) => lower.endsWith(ending));
  return formats.find(fits) ?? "csv";
}

/** The path that a source from outside gives to a file of such a format. */
export const pathIn = (source: Fields): unknown =>
  formats.map((format) => source[format]).find((path) => path !== undefined && path !== null);

/** The signs of comments and quotes of a declaration from outside: without them the header of its file is not found. */
export const signsOf = ({ source }: Fields): { readonly comment?: string; readonly quote?: Quote } => {
  const { comment, quote } = isRecord(source) ? source : {};
  return {
    ...(typeof comment === "string" ? { comment } : {}),
    ...present({ quote: QUOTES.find((each) => each === quote) }),
  };
};

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

const MAX_KEYS = 8;

function keysOf(given: Fields): Keyed {
  const json = own(given, "keys");
  if (json === undefined) return {};
  const keys = Object.entries(record(json, "source.keys")).map(([name, of]) => {
    const path = `source.keys.${name}`;
    const names = list(of, path).map((one, at) => text(one, `${path}[${at}]`, 200));
    if (names.length < 2 || names.length > MAX_KEYS || new Set(names).size < names.length)
      invalid(path, of, `2 to ${MAX_KEYS} different columns of the file`);
    return [text(name, "source.keys", 200), names] as const;
  });
  return { keys: Object.fromEntries(keys) };
}

/** How a `source` that has this field is read: the fields that may stand next to it, and what it says. */
interface Field {
  readonly more: readonly string[];
  readonly parse: (path: string, given: Fields) => FileSource;
}

const fields: Readonly<Record<UploadFormat | "duckdb", Field>> = {
  csv: {
    more: ["delimiter", "comment", "quote", "numbers", "missing", "keys"],
    parse: (csv, given) => ({ csv, ...readingOf(given), ...keysOf(given) }),
  },
  parquet: { more: ["keys"], parse: (parquet, given) => ({ parquet, ...keysOf(given) }) },
  duckdb: {
    more: ["schema", "table", "keys"],
    parse: (duckdb, given) => {
      const name = (key: string): string => text(own(given, key), `source.${key}`, 200);
      return {
        duckdb,
        ...(own(given, "schema") === undefined ? {} : { schema: name("schema") }),
        table: name("table"),
        ...keysOf(given),
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
    hint: "CSV with a header, Excel, OpenDocument (.ods), Stata, SPSS, SAS (.sas7bdat, .xpt), Parquet, Arrow (Feather) or JSON, also in ZIP, gzip or Zstandard. Names, types and labels are read from the header, never from a row.",
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
  const quote = own(given, "quote") === undefined ? undefined : oneOf(own(given, "quote"), "source.quote", QUOTES);
  const numbers = own(given, "numbers") === undefined ? undefined : text(own(given, "numbers"), "source.numbers", 40);
  if (numbers !== undefined && readNumberSpelling(numbers) === null) invalid("source.numbers", numbers, NUMBERS_WANTED);
  return {
    ...present({ delimiter, comment, quote, numbers }),
    ...(missing === undefined
      ? {}
      : {
          missing: list(missing, "source.missing").map((value, index) => text(value, `source.missing[${index}]`, 100)),
        }),
  };
}
