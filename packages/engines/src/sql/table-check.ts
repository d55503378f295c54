import { invalid, PrivacyError } from "@dosimeter/core";
import { type Column, type Declaration, isScaled, isTimestamp, mostRowsOf } from "@dosimeter/query/declaration";
import { type Fragment, isMarker, type Sql } from "@dosimeter/query/dialect";
import { type RawBuilder, sql } from "kysely";
import { type Table, typed } from "./sql.ts";

export const unreadable = (name: string, message: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name }, message);

/** Rows come to a table of a database where it is. */
export const refuseAppend = async (): Promise<never> =>
  invalid("source", undefined, "an uploaded CSV file: rows come to a table of a database where it is");

/** The rows of a table in a database are its operator's: who declares it may not be allowed to read them. [M340] */
export const refuseFit = async (): Promise<never> => invalid("source", undefined, "an uploaded file");

/** A table of a database, to compare with its declaration. */
export interface TableToCheck {
  readonly table: Table;
  /** "file" or "table": for messages. */
  readonly noun: string;
  /** The number of rows, where the source states it. */
  readonly records: number | null;
  /** Why a stored type cannot be read as declared; null when it can. */
  readonly refusal: (column: Column, storage: string, isUnit: boolean) => string | null;
  /** True for a present value that the declared type, which has no markers, cannot hold. */
  readonly faulty: (name: string, column: Column, storage: string) => RawBuilder<unknown>;
  /** Throws a PrivacyError where the reason is none of the rows. */
  readonly query: (sql: Sql) => Promise<readonly (readonly unknown[])[]>;
}

/** A word that is a marker is no fault, whatever the declared type; a number that is one is a value of it. */
export function faultyIn(
  { table: { dialect, types }, faulty }: Pick<TableToCheck, "table" | "faulty">,
  name: string,
  column: Column,
): Fragment {
  const storage = types[name] ?? "";
  const { missing = [], ...bare } = column;
  // Any text is one, of spaces alone too, which a category reads as missing.
  const isTexts = typeof column.categories?.[0] === "string";
  const fault = faulty(name, isTexts ? { type: "text", provenance: column.provenance } : bare, storage);
  if (missing.length === 0) return fault;
  const text = dialect.typed(sql`${sql.id(name)}`, { type: "text", provenance: "asserted" }, storage);
  return sql`CASE WHEN ${isMarker(text, missing)} THEN false ELSE ${fault} END`;
}

const PLURAL = {
  integer: "whole numbers within ±2^63, written as 1234 or in the declared pattern: declare longer ids as texts",
  number: "numbers, written as 1234.5 or in the declared pattern, such as 1.234,5",
  date: "dates in the declared pattern, such as DD.MM.YYYY, D MMM YYYY or YYYYQ",
  boolean: "true or false, or words of the declared pattern, such as yes/no",
  category: "numbers, like its categories",
  text: "texts",
} as const;

/** DATA_UNREADABLE for a declared column that is not there, or is stored as something else. Reads no row. */
export function checkStorage(
  { columns, privacyUnit }: Declaration,
  { table, noun, refusal }: Pick<TableToCheck, "table" | "noun" | "refusal">,
): void {
  for (const [name, column] of Object.entries(columns)) {
    const storage = table.types[name];
    if (storage === undefined) throw unreadable(`columns.${name}`, `the ${noun} has no column "${name}"`);
    const isUnit = privacyUnit !== "row" && privacyUnit.column === name;
    const why = refusal(column, storage, isUnit);
    if (why !== null) throw unreadable(`columns.${name}`, `column "${name}" ${why}`);
  }
}

/**
 * The owner's check at registration: every declared column exists and holds values of its declared type. The result may
 * depend on the data, so only the owner sees it; it names columns only.
 */
export async function checkTable(declaration: Declaration, checked: TableToCheck): Promise<void> {
  const { table, noun } = checked;
  const columns = Object.entries(declaration.columns);
  const { privacyUnit, size } = declaration;
  checkStorage(declaration, checked);
  const storageOf = (name: string): string => table.types[name] ?? "";
  const faults = columns.map(([name, column]) => sql`count(*) FILTER (WHERE ${faultyIn(checked, name, column)})`);
  const values = columns.map(([name, column]) =>
    column.mostValues === undefined
      ? sql`0`
      : sql`count(DISTINCT ${typed(table.dialect, name, column, storageOf(name))})`,
  );
  let row: readonly unknown[] | undefined;
  try {
    [row] = await checked.query(
      table.dialect.compile(sql`SELECT count(*), ${sql.join([...faults, ...values])} FROM ${table.from}`),
    );
  } catch (error) {
    if (error instanceof PrivacyError) throw error;
    throw unreadable("source", `the ${noun} cannot be read: it is damaged or not what its declaration says`);
  }
  const [records, ...counts] = (row ?? []).map((value) => BigInt(value as bigint | string));
  if (checked.records !== null && records !== BigInt(checked.records))
    throw unreadable("source.csv", "the file cannot be read: its quotes or line ends are ambiguous");
  if (size !== undefined && "public" in size && privacyUnit === "row" && records !== BigInt(size.public))
    throw unreadable("size.public", `the ${noun} does not hold the declared public number of rows`);
  const mostRows = mostRowsOf(declaration);
  if ((records ?? 0n) > BigInt(mostRows))
    throw unreadable(
      "mostRows",
      `the ${noun} holds more than ${mostRows} rows: declare the most that it may hold, as in mostRows: ${2 * mostRows}`,
    );
  columns.forEach(([name, column], index) => {
    if ((counts[index] ?? 0n) > 0n)
      throw unreadable(
        `columns.${name}`,
        `column "${name}" holds values that are not ${isScaled(column) ? "decimals of the declared scale" : isTimestamp(column) ? "times in the declared pattern" : PLURAL[column.type]}`,
      );
    if (column.mostValues !== undefined && (counts[columns.length + index] ?? 0n) > BigInt(column.mostValues))
      throw unreadable(
        `columns.${name}.mostValues`,
        `column "${name}" holds more than ${column.mostValues} different values: declare the most that it may hold, as in mostValues: ${2 * column.mostValues}`,
      );
  });
}
