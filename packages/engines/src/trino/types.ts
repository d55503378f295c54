/** Stored types without their lengths. */
export type StoredKind =
  | "tinyint"
  | "smallint"
  | "integer"
  | "bigint"
  | "decimal"
  | "real"
  | "double"
  | "boolean"
  | "varchar"
  | "char"
  | "uuid"
  | "date"
  | "timestamp"
  | "timestamp with time zone"
  | "other";

export const STORAGES: readonly StoredKind[] = [
  "tinyint",
  "smallint",
  "integer",
  "bigint",
  "decimal",
  "real",
  "double",
  "boolean",
  "varchar",
  "char",
  "uuid",
  "date",
  "timestamp",
  "timestamp with time zone",
];
const KINDS: ReadonlySet<string> = new Set(STORAGES);

/** "timestamp(6) with time zone" is a "timestamp with time zone". */
export function kindOf(storage: string): StoredKind {
  const name = storage.replace(/\([0-9, ]*\)/, "");
  return KINDS.has(name) ? (name as StoredKind) : "other";
}

const WHOLE: readonly StoredKind[] = ["tinyint", "smallint", "integer", "bigint"];
const TEXTS: readonly StoredKind[] = ["varchar", "char", "uuid", "date", "boolean", ...WHOLE];

export const isWhole = (storage: string): boolean => WHOLE.includes(kindOf(storage));
/** Whether its text is the same everywhere: that of a whole number, but of no other one. */
export const isText = (storage: string): boolean => TEXTS.includes(kindOf(storage));

const DIGITS: { readonly [K in StoredKind]?: number } = { tinyint: 3, smallint: 5, integer: 10, bigint: 19 };
/** How many digits a stored whole number or decimal may have before its point: `decimal(38, 30)` 8. */
export function wholeDigits(storage: string): number {
  const [, precision = "38", scale = "0"] = /^decimal\((\d+), ?(\d+)\)$/.exec(storage) ?? [];
  return DIGITS[kindOf(storage)] ?? Number(precision) - Number(scale);
}
