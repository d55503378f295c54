import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import type { SourceColumn } from "@dosimeter/query/plan";
import { unreadable } from "./table-check.ts";

/** Characters of one column's name, of all names of a table and of all types: they are kept, sent and shown. */
const MAX_NAME = 1000;
const MAX_NAMES = 2 ** 18;
const MAX_TYPES = 2 ** 20;

/** DATA_UNREADABLE for columns that no one could read, which a file or a database says it has. */
export function refuseWide(columns: readonly SourceColumn[], noun: "file" | "table"): void {
  const refuse = (want: string): never => {
    throw unreadable("source", `the ${noun} cannot be read: ${want}`);
  };
  const all = (field: keyof SourceColumn): number => columns.reduce((sum, column) => sum + column[field].length, 0);
  if (columns.length > MAX_COLUMNS) refuse(`it must hold at most ${MAX_COLUMNS} columns`);
  if (columns.some(({ name }) => name.length > MAX_NAME))
    refuse(`a column's name must have at most ${MAX_NAME} characters`);
  if (all("name") > MAX_NAMES) refuse(`its columns' names must have at most ${MAX_NAMES} characters`);
  if (all("type") > MAX_TYPES) refuse(`its columns' types must have at most ${MAX_TYPES} characters`);
}
