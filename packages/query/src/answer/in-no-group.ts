import { casesText, parseRational, toDouble } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import type { Declaration } from "../declaration/declaration.ts";
import { spokenColumn } from "../declaration/words.ts";
import { type Form, halfWidthOf, numberOf, sumOf } from "../noise/form.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { whole } from "../statistics/words.ts";
import type { Answer } from "./answer.ts";

type Row = Pick<StatisticRequest, "statistic" | "column" | "groupBy" | "keys">;
type Declared = Pick<Declaration, "columns" | "privacyUnit">;

/**
 * What an answer by declared groups or categories says of the rows in none of them; null where every row is in one, or the groups are found.
 * `all` counts the rows of all groups together with the others, or is their public number; null where nothing does.
 */
export function inNoGroup(row: Row, declaration: Declared, answer: Answer, all: Answer | number | null): string | null {
  const open = [...(row.groupBy ?? []), ...(row.statistic === "histogram" ? [row.column ?? ""] : [])].filter((name) =>
    leavesOut(row, name, declaration),
  );
  if (open.length === 0) return null;
  const none = `no declared value of ${open.map((name) => spokenColumn(name, declaration)).join(" or ")}`;
  const left = countsRows(row, declaration) && declaration.privacyUnit === "row" ? leftOf(answer, all) : null;
  if (left === null) return `Rows with ${none} are in none of these groups, and nothing is said about them.`;
  // Said whatever it is: an interval that noise decides to show would hold less often.
  const [least, most] = [left.least, left.most].map((end) => Math.max(0, end)) as [number, number];
  const often = casesText(answer.confidence);
  const rows = countText(Math.floor(most), "row");
  return least === 0
    ? `At most ${rows} with ${none} are in none of these groups, ${often}.`
    : `Between ${whole.format(Math.ceil(least))} and ${rows} with ${none} are in none of these groups, ${often}: that many more are counted in all. Does the declaration list every value?`;
}

/** A column of listed values, whose rows may hold another or none; ends of numbers hold what lies beyond. */
function leavesOut({ keys, groupBy = [] }: Row, name: string, { columns }: Declared): boolean {
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column === undefined || column.required === true || keys !== undefined) return false;
  return column.type === "category" || column.type === "boolean" || (column.type !== "text" && groupBy.includes(name));
}

/** Each row once, unless it has no declared value: bins of numbers leave out rows without one, too. */
const countsRows = ({ statistic, column = "" }: Row, { columns }: Declared): boolean =>
  statistic === "histogram"
    ? Object.hasOwn(columns, column) && ["category", "boolean"].includes(columns[column]?.type ?? "")
    : statistic === "count" && column === "";

/** The rows of all groups less than those of the whole, from the noise of both [M387]; null where either was made from earlier answers. */
function leftOf(
  answer: Answer,
  counted: Answer | number | null,
): { readonly least: number; readonly most: number } | null {
  const groups = formOfCells(answer);
  const all =
    typeof counted === "number" ? { offset: counted, terms: [] } : counted === null ? null : formOfCells(counted);
  if (groups === null || all === null) return null;
  const left = sumOf([
    [1, all],
    [-1, groups],
  ]);
  const [value, half] = [numberOf(left), halfWidthOf(left, 1 - answer.confidence)];
  return { least: value - half, most: value + half };
}

/** More draws take longer to add than a page may wait. */
const MAX_CELLS = 10_000;

/** The sum of the released integers of an answer that counts. */
function formOfCells({ id, origin, noise: { kind, spread }, cells }: Answer): Form | null {
  if (origin !== undefined || kind === "selection" || cells.length > MAX_CELLS) return null;
  const width = toDouble(parseRational(spread), "up");
  const terms = cells.map(({ noisy: [integer = "0"] }, at) => ({
    ...{ key: `${id}/${at}`, weight: 1, value: Number(integer) },
    ...{ kind, spread: width },
  }));
  return { offset: 0, terms };
}
