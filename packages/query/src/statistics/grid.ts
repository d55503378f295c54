import { invalid, PrivacyError } from "@dosimeter/core";
import { checkCode, isScaled } from "../declaration/decimals.ts";
import { isOrdered } from "../declaration/predicate.ts";
import { own } from "../input/check.ts";
import { isWhole } from "../plan/groups.ts";
import type { Range, Ticks } from "../plan/task.ts";
import { ticksOf } from "../plan/ticks.ts";
import type { CheckedRow } from "./statistic.ts";

/** The grid of a column of bounded numbers; `mostSteps`: products of ticks must fit 64 bits [M91]. */
export function gridOfRow(row: CheckedRow, mostSteps?: bigint): { readonly ticks: Ticks; readonly range: Range } {
  const { given, column, label, path } = row;
  const range = rangeOfNumbers(row);
  const ticks = ticksOf(
    { ...range, granularity: granularityOf(row), integer: column !== null && isWhole(column) },
    path,
  );
  if (mostSteps !== undefined && ticks.steps > mostSteps)
    invalid(
      `${path}.granularity`,
      given.granularity ?? column?.granularity,
      `coarser: a ${label} takes at most ${mostSteps} steps between the bounds`,
    );
  return { ticks, range };
}

/** The bounds of a column that holds numbers. They are never read from the data. */
function rangeOfNumbers({ column, columnName, range, path }: CheckedRow): Range {
  if (column !== null && !isOrdered(column))
    throw new PrivacyError("UNSUPPORTED_QUERY", {
      name: `${path}.column`,
      got: columnName,
      want: `an integer, number or date column; it is ${column.type}`,
    });
  return (
    range ??
    invalid(`${path}.lower`, undefined, "given, or declared for the column: bounds are never read from the data")
  );
}

function granularityOf({ given, column, path }: CheckedRow): number | undefined {
  const asked = own(given, "granularity");
  if (asked === undefined) return column?.granularity;
  if (typeof asked !== "number" || !(asked > 0) || !Number.isFinite(asked))
    return invalid(`${path}.granularity`, asked, "a finite number > 0");
  if (column?.type === "integer" && !Number.isSafeInteger(asked))
    return invalid(`${path}.granularity`, asked, "a whole number, as the column is integer");
  if (column !== null && isScaled(column)) checkCode(asked, column, `${path}.granularity`);
  return asked;
}
