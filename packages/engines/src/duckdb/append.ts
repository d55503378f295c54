import type { BlockRange } from "@dosimeter/core";
import { type Declaration, isByCohort } from "@dosimeter/query/declaration";
import { integer } from "@dosimeter/query/dialect";
import { blockSql, inCohorts, inWindow } from "@dosimeter/query/expression";
import { type RawBuilder, sql } from "kysely";
import { personSql, typed } from "../sql/sql.ts";
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

/** DATA_UNREADABLE where the file that was brought has other columns than the one before. Their order does not matter. [M306] */
export function appendOf(
  declaration: Declaration,
  { before, more, window, to }: { before: CsvFile; more: CsvFile; window: readonly BlockRange[]; to: string },
): Append {
  const [names, brought] = [before.header ?? [], more.header ?? []];
  if (JSON.stringify([...names].sort()) !== JSON.stringify([...brought].sort()))
    throw unreadable("file", "the file cannot be appended: it must have the columns of the table, by the same names");
  const { source } = declaration;
  const { delimiter = ",", comment, quote = '"' } = "csv" in source ? source : {};
  // Where no sign is a quote no value holds a delimiter, nor a sign that no one writes.
  const sign = sql.lit(quote === "none" ? "\u0001" : quote);
  // A field that begins with the sign of comments, first in its row, would make a comment of it.
  const quotes = comment === undefined ? sql`` : sql`, FORCE_QUOTE *`;
  const read = (name: string) =>
    typed(duckdbDialect, name, declaration.columns[name] ?? { type: "text", provenance: "asserted" }, "VARCHAR");
  const block = blockSql(duckdbDialect, declaration, read);
  const isIn = isByCohort(declaration)
    ? comesToCohort(personSql(duckdbDialect, declaration, read), block, { before, more, window })
    : inWindow(duckdbDialect, block, window);
  const columns = sql.join(names.map((name) => sql`${sql.id(name)}`));
  const all = sql`SELECT ${columns} FROM ${before.from} UNION ALL SELECT ${columns} FROM ${more.from} WHERE ${isIn}`;
  return {
    count: sql`SELECT count(*) FROM ${more.from} WHERE ${isIn}`,
    write: sql`COPY (${all}) TO ${sql.lit(to)} (FORMAT csv, HEADER true, DELIMITER ${sql.lit(delimiter)}, QUOTE ${sign}, ESCAPE ${sign}, NULLSTR ''${quotes})`,
  };
}

/**
 * Whether a row that is brought is one of a person of this cohort, and does not give them an earlier one: who had a cohort keeps it, and others
 * have the least date that comes. [M170]
 */
function comesToCohort(
  person: RawBuilder<unknown>,
  block: RawBuilder<unknown>,
  { before, more, window }: { before: CsvFile; more: CsvFile; window: readonly BlockRange[] },
): RawBuilder<unknown> {
  const [only, ...others] = window;
  if (only === undefined || others.length > 0 || only.from !== only.to)
    throw new RangeError("rows come to one cohort at a time");
  const rows = sql`SELECT ${person} AS u, ${block} AS b, true AS old FROM ${before.from} UNION ALL SELECT ${person}, ${block}, false FROM ${more.from}`;
  const cohort = sql`coalesce(min(b) FILTER (WHERE old), min(b))`;
  return sql`(${inCohorts(person, rows, window, cohort)} AND coalesce(${block} >= ${integer(only.from)}, true))`;
}
