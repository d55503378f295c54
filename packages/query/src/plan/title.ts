import { isRecord } from "@dosimeter/core/internal";
import type { Column, Declaration } from "../declaration/declaration.ts";
import { isStatisticName, statisticOf } from "../statistics/index.ts";
import type { StatisticRequest } from "../statistics/request.ts";

type Row = Pick<StatisticRequest, "statistic" | "column" | "with" | "groupBy" | "where" | "lower" | "upper">;
type Labels = Readonly<Record<string, Pick<Column, "label">>>;

const MAX_LENGTH = 160;
const MAX_WHERE = 60;

/** What a plan asks, in a line: "Mean of income by education", "Count, mean of income and 3 more". */
export function planTitle({ statistics }: { readonly statistics: readonly Row[] }): string {
  const rows = [...new Set(statistics.map(rowTitle))];
  const [first = "no statistics", second, third] = rows;
  const text =
    second === undefined
      ? first
      : third === undefined
        ? `${first} and ${second}`
        : `${first}, ${second} and ${rows.length - 2} more`;
  return cut(text.charAt(0).toUpperCase() + text.slice(1), MAX_LENGTH);
}

/** A stored row may name a statistic of another version. */
function rowTitle({ statistic, column, with: others, groupBy = [], where }: Row): string {
  const definition = isStatisticName(statistic) ? statisticOf(statistic) : null;
  const joined = others === undefined ? "" : ` ${definition?.others ?? "with"} ${[others].flat().join(", ")}`;
  const of = column === undefined ? "" : ` of ${column}${joined}`;
  const by = groupBy.length === 0 ? "" : ` by ${groupBy.join(" and ")}`;
  const only = where === undefined ? "" : isRecord(where) ? ", some rows" : ` where ${cut(where, MAX_WHERE)}`;
  return `${definition?.label ?? statistic}${of}${by}${only}`;
}

const cut = (text: string, most: number): string => {
  const letters = [...text];
  return letters.length <= most ? text : `${letters.slice(0, most - 1).join("")}…`;
};

/** Every column that a plan names, and its label: what a search for a release looks through. */
export function planColumns(
  { statistics }: { readonly statistics: readonly Row[] },
  columns: Labels,
): readonly string[] {
  const names = statistics.flatMap((row) => [row.column ?? [], row.with ?? [], row.groupBy ?? []].flat());
  return [...new Set(names.flatMap((name) => [name, (Object.hasOwn(columns, name) && columns[name]?.label) || name]))];
}

/** The public range of an answer of one number, against which it is drawn: null where the declaration gives none. */
export function answerRange(
  row: Row,
  { columns, size }: Pick<Declaration, "columns" | "size">,
): readonly [number, number] | null {
  if (!isStatisticName(row.statistic)) return null;
  const { measures, value } = statisticOf(row.statistic).shows;
  const column = row.column !== undefined && Object.hasOwn(columns, row.column) ? columns[row.column] : undefined;
  const [lower, upper] = [row.lower ?? column?.lower, row.upper ?? column?.upper];
  const rows = size === undefined ? undefined : "public" in size ? size.public : size.assumed;
  if (value === "rows") return rows === undefined ? null : [0, rows];
  if (lower === undefined || upper === undefined) return null;
  if (measures === "place") return [lower, upper];
  return measures === "length" ? [0, upper - lower] : null;
}
