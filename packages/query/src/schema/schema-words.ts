import type { Fields } from "@dosimeter/core/internal";

/** What a schema says of one column, as texts for the fields of a form; nothing is checked yet. */
export interface ColumnWords {
  /** What it may be called in the header of the table. */
  readonly names: readonly string[];
  readonly type?: "integer" | "number" | "decimal" | "date" | "timestamp" | "boolean" | "category" | "text";
  readonly lower?: string;
  readonly upper?: string;
  readonly granularity?: string;
  /** How a date is written, and the first year that two digits may mean: `DD.MM.YY from 1930`. */
  readonly pattern?: string;
  /** Of a timestamp, the time zone. */
  readonly zone?: string;
  readonly values?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly required?: boolean;
  /** The coarser column that its categories lie in, and which of its own each lies in: `state: Fulton=Georgia`. */
  readonly within?: string;
  /** What else counts as which category: `m=M; male=M`. */
  readonly spellings?: string;
  /** What stands for a missing value: `-9; NA`. */
  readonly missing?: string;
  readonly label?: string;
  readonly unit?: string;
  readonly description?: string;
  readonly provenance?: "public" | "asserted";
}

export interface SchemaWords {
  readonly kind: "Table Schema" | "CSVW" | "JSON Schema" | "declaration" | "DDI" | "data dictionary" | "code book";
  readonly columns: readonly ColumnWords[];
  /** Of a declaration: its parts other than the columns. */
  readonly about: Fields;
}
