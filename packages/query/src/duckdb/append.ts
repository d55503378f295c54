import type { BlockRange } from "@dosimeter/core";
import { type RawBuilder, sql } from "kysely";
import type { Declaration } from "../declaration/declaration.ts";
import { blockSql, inWindow } from "../expression/block-sql.ts";
import { typed } from "../sql/sql.ts";
import { unreadable } from "../sql/table-check.ts";
import { duckdbDialect } from "./dialect.ts";
import type { Inspected } from "./source.ts";

/** A CSV file that was read whole. */
type CsvFile = Pick<Inspected, "from" | "header" | "records">;

/** The statements that append the rows of a window of blocks. Every column is a text. */
export interface Append {
  /** How many rows of the file that was brought lie in the window. */
  readonly count: RawBuilder<unknown>;
  /** Writes the file before, and those rows. */
  readonly write: RawBuilder<unknown>;
}

/** DATA_UNREADABLE where the file that was brought has other columns than the one before. Their order does not matter. */
export function appendOf(
  declaration: Declaration,
  { before, more, window, to }: { before: CsvFile; more: CsvFile; window: readonly BlockRange[]; to: string },
): Append {
  const [names, brought] = [before.header ?? [], more.header ?? []];
  if (JSON.stringify([...names].sort()) !== JSON.stringify([...brought].sort()))
    throw unreadable("file", "the file cannot be appended: it must have the columns of the table, by the same names");
  const { source } = declaration;
  const delimiter = ("csv" in source ? source.delimiter : undefined) ?? ",";
  const read = (name: string) =>
    typed(duckdbDialect, name, declaration.columns[name] ?? { type: "text", provenance: "asserted" }, "VARCHAR");
  const isIn = inWindow(duckdbDialect, blockSql(duckdbDialect, declaration, read), window);
  const columns = sql.join(names.map((name) => sql`${sql.id(name)}`));
  const all = sql`SELECT ${columns} FROM ${before.from} UNION ALL SELECT ${columns} FROM ${more.from} WHERE ${isIn}`;
  return {
    count: sql`SELECT count(*) FROM ${more.from} WHERE ${isIn}`,
    write: sql`COPY (${all}) TO ${sql.lit(to)} (FORMAT csv, HEADER true, DELIMITER ${sql.lit(delimiter)}, QUOTE '"', ESCAPE '"', NULLSTR '')`,
  };
}
