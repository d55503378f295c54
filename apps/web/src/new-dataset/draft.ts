import type { File } from "@dosimeter/client";
import { present } from "@dosimeter/core/internal";
import type { ColumnType, Declaration, Provenance } from "@dosimeter/query/declaration";
import type { ColumnWords } from "@dosimeter/query/schema";
import { type ConnectedTable, type ConnectionKind, uploadExtensions } from "@dosimeter/query/source";
import { type Guess, guessOf } from "./guess.ts";

/** A column being declared, as the texts of its inputs. `leaveOut` columns are not part of the dataset. */
export interface ColumnDraft {
  readonly name: string;
  /** The file's own type, from its header. */
  readonly storage: string;
  readonly type: ColumnType | "decimal" | "timestamp" | "leaveOut";
  /** Where the type comes from until a person chooses one. */
  readonly guessed: Guess["from"];
  readonly lower: string;
  readonly upper: string;
  readonly granularity: string;
  /** Categories, and what values are called: `0=female; 1=male`, or one a line. */
  readonly values: string;
  /** Of a text or an integer: how many different ones there are at most. */
  readonly mostValues: string;
  readonly isRequired: boolean;
  /** Of categories: the column that they lie in, and which of its own each lies in: `state: Fulton=Georgia`. */
  readonly within: string;
  /** Of categories: what else in the file counts as which: `m=M; male=M`. */
  readonly spellings: string;
  /** What stands for a missing value: `-9; NA`, or one a line. */
  readonly missing: string;
  readonly provenance: Provenance;
  readonly label: string;
  /** Of its numbers. */
  readonly unit: string;
  /** How its dates are written, and the first year that two digits may mean: `DD.MM.YY from 1930`. */
  readonly pattern: string;
  /** Of a timestamp: the time zone whose clocks decide its days. */
  readonly zone: string;
  readonly description: string;
}

/** All inputs of the page, as typed. */
export interface Draft {
  readonly name: string;
  readonly columns: readonly ColumnDraft[];
  /** A column that names the protected unit; "" when each row is one, null until a person chooses. */
  readonly unitColumn: string | null;
  /** The columns of a file that name one unit together, where several do: `unitColumn` is then what their key is called. */
  readonly unitKey: readonly string[] | null;
  /** What one unit is, in words for the guarantee, and what several are. */
  readonly unit: string;
  readonly units: string;
  readonly adjacency: Declaration["adjacency"];
  readonly rows: string;
  readonly groups: string;
  readonly rowsPerGroup: string;
  readonly size: string;
  readonly mostRows: string;
  readonly isSizePublic: boolean;
  /** What no row can be: `age < 15 and married = true`. */
  readonly impossible: string;
  /** "" for a new population. */
  readonly population: string;
  readonly missing: string;
}

/** `auto`: what the header holds most often, as the engine reads it. */
export type DelimiterName = "auto" | keyof typeof delimiters;
export const delimiters = { comma: ",", semicolon: ";", tab: "\t", bar: "|", space: " " } as const;

/** A stored decimal counts to its last digit. */
function typeAndStep(name: string, storage: string): Pick<ColumnDraft, "type" | "granularity" | "guessed" | "unit"> {
  const scale = Number(/^DECIMAL\(\d+,([1-9])\)$/.exec(storage)?.[1] ?? 0);
  const { type, unit, from } = guessOf(name, storage);
  const step =
    scale === 0 ? { type, granularity: "" } : { type: "decimal" as const, granularity: (10 ** -scale).toFixed(scale) };
  return { ...step, unit, guessed: from };
}

/** A column as someone changes it: a type that a person gave is no guess. */
export const changed = (column: ColumnDraft, change: Partial<ColumnDraft>): ColumnDraft => ({
  ...column,
  ...change,
  ...(change.type === undefined ? {} : { guessed: null }),
});

/** The type that the header suggests, by the file's own type or by the column's name. Never from a value. */
const columnDraft = ({ name, type }: File["columns"][number]): ColumnDraft => ({
  name,
  storage: type,
  lower: "",
  upper: "",
  ...typeAndStep(name, type),
  values: "",
  mostValues: "",
  isRequired: false,
  within: "",
  spellings: "",
  missing: "",
  provenance: "asserted",
  label: "",
  pattern: "",
  zone: "",
  description: "",
});

/** Of `visits.csv.gz` both. */
function withoutExtension(name: string): string {
  const extension = [...uploadExtensions, ".tsv", ".txt"].find((each) => name.toLowerCase().endsWith(each));
  return extension === undefined ? name : withoutExtension(name.slice(0, name.length - extension.length));
}

/** The initial draft of a file; who is protected is for a person to say. */
export function draftOf(file: Pick<File, "name" | "columns" | "sameAs">): Draft {
  return {
    name: withoutExtension(file.name),
    columns: file.columns.map(columnDraft),
    unitColumn: null,
    unitKey: null,
    unit: "person",
    units: "people",
    adjacency: "addRemove",
    rows: "1",
    groups: "",
    rowsPerGroup: "",
    size: "",
    mostRows: "",
    isSizePublic: false,
    impossible: "",
    population: file.sameAs[0]?.population ?? "",
    missing: "",
  };
}

/** The unit that several columns name, by a name that no column of the file has. */
export function unitOfSeveral(unitKey: readonly string[], { columns }: Pick<Draft, "columns">) {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  let unitColumn = unitKey.join("_").slice(0, 100) || "key";
  while (taken.has(unitColumn.toLowerCase())) unitColumn += "_";
  return { unitKey, unitColumn };
}

/** The columns of another header; columns that are still there keep their inputs. */
export function withColumns(draft: Draft, columns: File["columns"]): Draft {
  const before = new Map(draft.columns.map((column) => [column.name, column]));
  return { ...draft, columns: columns.map((column) => before.get(column.name) ?? columnDraft(column)) };
}

/** How the text of a file is read; no line is a comment where their sign is "". */
export interface TextReading {
  readonly delimiter: DelimiterName;
  readonly comment: string;
  /** "" for a double quote, and for numbers written 1234.5. */
  readonly quote: string;
  readonly numbers: string;
}

/** The source of the rows. */
export type Reading =
  | ({ readonly format: File["format"]; readonly file: string } & Partial<TextReading>)
  | ({ readonly format: ConnectionKind } & ConnectedTable);

export const isText = (reading: Reading): reading is Extract<Reading, { file: string }> & TextReading =>
  "delimiter" in reading;

/** A table whose header is known. */
export interface ChosenTable {
  readonly name: string;
  readonly columns: File["columns"];
  readonly sameAs: File["sameAs"];
  readonly reading: Reading;
  readonly says?: readonly ColumnWords[];
  /** The uploaded file; absent for a table of a connection. */
  readonly file?: string;
}

export const tableOf = ({ id, name, columns, sameAs, format, from }: File, comment = ""): ChosenTable => ({
  name,
  columns,
  sameAs,
  file: id,
  ...present({ says: from?.says?.columns as readonly ColumnWords[] | undefined }),
  reading:
    format === "csv"
      ? { format, file: name, delimiter: "auto", comment, quote: "", numbers: "" }
      : { format, file: name },
});

/** The usual plural, offered until the owner writes another. */
export const plural = (noun: string): string =>
  noun === "person"
    ? "people"
    : /[^aeiou]y$/.test(noun)
      ? `${noun.slice(0, -1)}ies`
      : /(?:s|x|z|ch|sh)$/.test(noun)
        ? `${noun}es`
        : `${noun}s`;
