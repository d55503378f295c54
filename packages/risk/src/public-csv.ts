import { invalid, PrivacyError } from "@dosimeter/core";
import { choiceOf, columnsIn, readTable } from "@dosimeter/core/internal";
import type { Rows } from "./statistic.ts";

/** The named columns of a separated text of public or synthetic records, first line names; every cell must be a finite number. */
export function readNumericColumns(text: string, columns: readonly string[]): Rows {
  // A name that is asked for may be a number, such as a year; a first line of numbers may also be a row.
  const table = readTable(text, "the table", columns.length === 0 ? {} : { heading: "always" });
  const { heading: names, rows } = table;
  if (names === null)
    return invalid("the table", rows.length === 0 ? "empty" : "without a heading", "a line of names and rows");
  const wanted = columns.length === 0 ? names.slice(0, 1) : columns;
  const places = wanted.map((name) => {
    const place = names.indexOf(name);
    if (place < 0) throw new PrivacyError("UNKNOWN_COLUMN", { name: "column", got: name, want: choiceOf(name, names) });
    return place;
  });
  const numbers = columnsIn(table, places);
  return rows.map(({ line }, row) =>
    numbers.map((column) => {
      const value = column[row] ?? Number.NaN;
      return Number.isFinite(value) ? value : invalid(`the table, line ${line}`, value, "a finite number");
    }),
  );
}
