import { invalid, PrivacyError } from "@dosimeter/core";
import { boundsPair } from "../../declaration/check-declaration.ts";
import type { Column } from "../../declaration/declaration.ts";
import { declaredColumn } from "../../declaration/predicate.ts";
import { list, own, text } from "../../input/check.ts";
import type { Axis, JointTask, Range } from "../../plan/task.ts";
import { ticksOf } from "../../plan/ticks.ts";
import type { CheckedRow } from "../statistic.ts";
import { designOf } from "./design.ts";

/** Names of the columns that are measured together with the first. */
function othersOf({ given, path }: CheckedRow, most: number): readonly string[] {
  const asked = own(given, "with");
  const names = typeof asked === "string" ? [asked] : asked === undefined ? [] : list(asked, `${path}.with`);
  const want = most === 1 ? "the name of the other column" : `the names of 1 to ${most} other columns`;
  if (names.length === 0 || names.length > most) return invalid(`${path}.with`, asked, want);
  return names.map((name, index) => text(name, `${path}.with[${index}]`, 200));
}

/** The grids of all columns: their own steps when these are few enough. */
export const jointTask =
  (mostOthers: number) =>
  (row: CheckedRow): JointTask => {
    const { given, path, declaration, range, family, columnName = "" } = row;
    const names = [columnName, ...othersOf(row, mostOthers)];
    const columns: Omit<Axis, "steps">[] = [];
    const steps: bigint[] = [];
    names.forEach((name, index) => {
      const at = index === 0 ? path : `${path}.with[${index - 1}]`;
      if (names.indexOf(name) !== index) invalid(at, name, "named once");
      const column = declaredColumn(name, declaration, index === 0 ? `${path}.column` : at);
      const bounds = rangeOf(column, index === 0 ? range : null, index === 0 ? `${path}.column` : at, name);
      columns.push({ column: name, ...bounds });
      const granularity =
        (index === 0 ? (own(given, "granularity") as number | undefined) : undefined) ?? column.granularity;
      steps.push(
        column.type === "boolean"
          ? 1n
          : ticksOf({ ...bounds, granularity, integer: column.type === "integer" }, at).steps,
      );
    });
    return { kind: "joint", design: designOf(columns, steps, family), ...(range === null ? {} : { range }) };
  };

function rangeOf(column: Column, bounds: Range | null, path: string, name: string): Range {
  if (column.type === "boolean") return { lower: 0, upper: 1 };
  if (column.type !== "integer" && column.type !== "number")
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: path,
      got: name,
      want: `an integer, number or boolean column; it is ${column.type}`,
    });
  if (bounds !== null) return bounds;
  if (column.lower === undefined || column.upper === undefined)
    return invalid(path, name, "a column with declared bounds: they are never read from the data");
  return boundsPair(column.lower, column.upper, path, column.type === "integer");
}
