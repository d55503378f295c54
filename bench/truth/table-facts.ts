import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { Table } from "./tables.ts";

/** What a script of a few lines finds in a table: the code book of who made it. */
export interface Facts {
  readonly rows: number;
  readonly columns: Readonly<Record<string, ColumnFacts>>;
  /** The most rows of one unit. */
  readonly most: number;
}

export interface ColumnFacts {
  /** Its texts that are no missing value, the most frequent first. */
  readonly values: readonly string[];
  readonly hasMissing: boolean;
  /** Of a column of numbers: the least, the largest, and the value below which four fifths lie. */
  readonly least: number;
  readonly largest: number;
  readonly high: number;
  readonly isWhole: boolean;
}

export const name = (column: string): string => `"${column.replaceAll('"', '""')}"`;
export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** How public tables write that there is no value. */
const MISSING = "('NA', '')";
export const present = (value: string): string => `(CASE WHEN trim(${value}) NOT IN ${MISSING} THEN ${value} END)`;

/** The raw file as texts, each row with its number, apart from the product's own engine. */
export async function openRaw(file: string): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  await connection.run(
    `CREATE TABLE raw AS SELECT row_number() OVER () AS "row number", * FROM read_csv(${text(file)}, all_varchar = true, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', strict_mode = false)`,
  );
  return connection;
}

export async function rowsOf(raw: DuckDBConnection, sql: string): Promise<readonly Record<string, unknown>[]> {
  return (await raw.runAndReadAll(sql)).getRowObjectsJS();
}

export async function factsOf(raw: DuckDBConnection, { categories, numbers, unit }: Table): Promise<Facts> {
  const columns: Record<string, ColumnFacts> = {};
  const [{ n = 0 } = {}] = await rowsOf(raw, "SELECT count(*)::INT AS n FROM raw");
  for (const column of [...categories, ...numbers]) {
    const value = present(name(column));
    const found = categories.includes(column)
      ? await rowsOf(
          raw,
          `SELECT ${value} AS v FROM raw WHERE ${value} IS NOT NULL GROUP BY v ORDER BY count(*) DESC, v`,
        )
      : [];
    const number = `TRY_CAST(${value} AS DOUBLE)`;
    const [range = {}] = await rowsOf(
      raw,
      `SELECT min(${number}) AS least, max(${number}) AS largest, quantile_disc(${number}, 0.8) AS high, bool_and(${number} = round(${number})) AS whole, count(*) > count(${value}) AS missing FROM raw`,
    );
    columns[column] = {
      values: found.map(({ v }) => String(v)),
      hasMissing: range.missing === true,
      least: Number(range.least),
      largest: Number(range.largest),
      high: Number(range.high),
      isWhole: range.whole === true,
    };
  }
  const most =
    unit === undefined
      ? 1
      : Number(
          (await rowsOf(raw, `SELECT max(n)::INT AS n FROM (SELECT count(*) AS n FROM raw GROUP BY ${name(unit)})`))[0]
            ?.n,
        );
  return { rows: Number(n), columns, most };
}
