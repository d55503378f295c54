import {
  type Declaration,
  type Predicate,
  predicateText,
  readPredicate,
  spokenColumn,
} from "@dosimeter/query/declaration";
import { isStatisticName, type StatisticRequest, statisticOf } from "@dosimeter/query/statistics";
import { binsText } from "./clause.ts";
import { isNamed, type RowPart } from "./plainest.ts";
import { readAll } from "./understand.ts";
import { labelOf } from "./vocabulary.ts";

/** Fields of a row that a sentence says; the price is the plan's. */
const SAID = new Set(
  "id statistic column with groupBy where lower upper unitLower unitUpper quantiles k bins epsilon rho".split(" "),
);

/**
 * The sentence that asks for a row, which `understand` reads as that row; null for one with settings that only SQL or a table of settings can
 * say. Columns are called by their labels where that is read back.
 */
export function askText(row: StatisticRequest, declaration: Declaration): string | null {
  const isSayable = Object.entries(row).every(
    ([key, value]) => value === undefined || SAID.has(key) || isUsual(key, value),
  );
  return isSayable && isStatisticName(row.statistic) ? readText(row, declaration, true) : null;
}

/** What is read back as the row, whole or with something missing: its columns by their labels, or else in quotes. */
function readText(row: RowPart, declaration: Declaration, isWhole: boolean): string | null {
  for (const called of [(name: string) => spokenColumn(name, declaration), quoted]) {
    const text = sentenceOf(row, called, declaration);
    if (text !== null && isRead(text, row, declaration, isWhole)) return text;
  }
  return null;
}

/** A sentence for each row, also for one that is not complete; null where one has settings that no sentence has. */
export function roughText(rows: readonly RowPart[], declaration: Declaration): string | null {
  const called = (name: string): string => spokenColumn(name, declaration);
  const said = rows.map(
    (row) =>
      (isNamed(row) ? askText(row, declaration) : null) ??
      readText(row, declaration, false) ??
      sentenceOf(row, called, declaration),
  );
  return said.includes(null) ? null : said.join("; ");
}

/** What a row has without saying so. */
const isUsual = (key: string, value: unknown): boolean => key === "valuesPerUnit" && value === 1;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

function sentenceOf(row: RowPart, called: (name: string) => string, declaration: Declaration): string | null {
  const { statistic, column, with: more, groupBy = [], quantiles = [], k, bins } = row;
  const others = statistic === "" ? undefined : statisticOf(statistic).others;
  const joined = [more ?? []].flat().map(called).join(" and ");
  const binned = binsText(bins);
  const capped = capsOf(row);
  if (binned === null || capped === null) return null;
  return plainly(
    [
      k === undefined ? "" : `${k} `,
      statistic === "" ? "" : labelOf(statistic, declaration),
      quantiles.length === 0 ? "" : ` ${quantiles.join(" and ")}`,
      column === undefined ? "" : statistic === "" ? called(column) : ` of ${called(column)}`,
      joined === "" ? "" : ` ${others ?? "with"} ${joined}`,
      capped,
      binned,
      groupBy.length === 0 ? "" : ` by ${groupBy.map(called).join(" and ")}`,
      row.where === undefined ? "" : ` where ${whereText(row.where)}`,
    ].join(""),
  );
}

/** A number with three decimals may be thousands: it gets a fourth. */
const plainly = (text: string): string =>
  text.replaceAll(/("[^"]*"|'[^']*')|(?<![\p{L}\p{N}.,])[1-9]\d{0,2}\.\d{3}(?![\p{L}\p{N}.,])/gu, (said, quoted) =>
    quoted === undefined ? `${said}0` : said,
  );

const whereText = (where: Predicate | string): string => (typeof where === "string" ? where : predicateText(where));

function capsOf({ lower, upper, unitLower, unitUpper }: RowPart): string | null {
  if ((lower ?? upper) !== undefined && (unitLower ?? unitUpper) !== undefined) return null;
  const [least, most] = [lower ?? unitLower, upper ?? unitUpper];
  if (least === undefined && most === undefined) return "";
  if (least === undefined) return ` capped at ${most}`;
  return most === undefined ? ` capped from below at ${least}` : ` capped between ${least} and ${most}`;
}

function isRead(text: string, row: RowPart, declaration: Declaration, isWhole: boolean): boolean {
  const { parts, missed } = readAll(text, declaration, false);
  const [only] = parts;
  if (isWhole && missed.length > 0) return false;
  return parts.length === 1 && only !== undefined && sameRow(only, row, declaration);
}

/** Whether two rows ask for the same; a filter may be written in two ways. */
export function sameRow(one: RowPart, other: RowPart, declaration: Declaration): boolean {
  const [a, b] = [one, other].map(({ id: _, epsilon: __, rho: ___, where, with: more, groupBy = [], ...rest }) => {
    const filter = where === undefined ? null : predicateText(readPredicate(where, declaration));
    return JSON.stringify([
      Object.entries(rest)
        .filter(([key, value]) => value !== undefined && !isUsual(key, value))
        .sort(),
      [more ?? []].flat(),
      groupBy,
      filter,
    ]);
  });
  return a === b;
}
