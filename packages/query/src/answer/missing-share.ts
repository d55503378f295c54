import { casesText } from "@dosimeter/core";
import type { Declaration } from "../declaration/declaration.ts";
import type { AnswerCell, Interval } from "../statistics/cell.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { whole } from "../statistics/words.ts";
import type { Answer } from "./answer.ts";

type Counted = Pick<AnswerCell, "value" | "interval">;
type Row = Pick<StatisticRequest, "id" | "statistic" | "column" | "groupBy" | "where">;

/** By the id of each count of the values of a column, what it says of the rows without one, and whose number of rows that takes. */
export function missingShares(
  plan: { readonly statistics: readonly Row[]; readonly join?: unknown },
  declaration: Pick<Declaration, "columns" | "privacyUnit" | "blocks" | "size">,
  answers: readonly Answer[],
): { readonly missing?: Readonly<Record<string, string>> } {
  const notes = Object.entries(rowsOf(plan, declaration)).flatMap(([id, rows]) => {
    const answer = answers.find((each) => each.id === id);
    return answer === undefined ? [] : [[id, missingNote(answer, answers, rows)] as const];
  });
  return notes.length === 0 ? {} : { missing: Object.fromEntries(notes) };
}

/** The answer that counts all rows of a count of values, their public number, or null where neither is there. */
export function rowsOf(
  plan: Parameters<typeof missingShares>[0],
  { columns, privacyUnit, blocks, size }: Parameters<typeof missingShares>[1],
): Readonly<Record<string, string | number | null>> {
  const isWhole = privacyUnit === "row" && blocks === undefined && plan.join === undefined;
  const known = isWhole && size !== undefined && "public" in size ? size.public : undefined;
  const counts = plan.statistics
    .map((row, index) => ({ ...row, id: row.id ?? `s${index + 1}`, only: JSON.stringify(row.where) }))
    .filter(({ statistic, groupBy = [] }) => statistic === "count" && groupBy.length === 0);
  return Object.fromEntries(
    counts
      .filter(({ column }) => column !== undefined && columns[column]?.required !== true)
      .map(({ id, only }) => {
        const all = counts.find((row) => row.column === undefined && row.only === only)?.id ?? null;
        return [id, only === undefined ? (known ?? all) : all];
      }),
  );
}

/** The share of rows without a value, with an interval that holds it where those of both numbers hold them [M148]; null where noise hides the rows. */
export function missingShare(present: Counted, rows: Counted): Counted | null {
  if (!(rows.value > 0)) return null;
  const share = (values: number, of: number): number => (of > 0 ? Math.min(1, Math.max(0, 1 - values / of)) : 0);
  const interval: Interval = [
    share(present.interval[1], rows.interval[0]),
    share(present.interval[0], rows.interval[1]),
  ];
  return { value: share(present.value, rows.value), interval };
}

export function missingNote(answer: Answer, answers: readonly Answer[], rows: string | number | null): string {
  const of = answers.find(({ id }) => id === rows);
  const all = typeof rows === "number" ? { value: rows, interval: [rows, rows] as const } : of?.cells[0];
  const [present] = answer.cells;
  if (present === undefined || all === undefined)
    return "What share of the rows has no value is not known: their number is not public, and this plan does not count them.";
  const found = missingShare(present, all);
  if (found === null)
    return "What share of the rows has no value is not known: the noise hides how many rows there are.";
  const confidence = answer.confidence + (of?.confidence ?? 1) - 1;
  const { value, interval } = found;
  const between = confidence > 0 ? `, ${rangeText(interval)} ${casesText(confidence)}` : "";
  const source = typeof rows === "number" ? `, ${whole.format(rows)}, is public` : " is the noisy count of this plan";
  return `About ${percent(value, digitsOf(interval), Math.round)} % of the rows have no value${between}. Their number${source}.`;
}

/** Two digits of the width of an interval, in per cent. */
const digitsOf = ([from, to]: Interval): number =>
  Math.min(6, Math.max(0, 1 - Math.floor(Math.log10(100 * (to - from)))));

const percent = (share: number, digits: number, round: (value: number) => number): number =>
  Number((round(100 * share * 10 ** digits) / 10 ** digits).toFixed(digits));

/** Its ends outwards. */
const rangeText = ([from, to]: Interval): string => {
  const digits = digitsOf([from, to]);
  return `between ${percent(from, digits, Math.floor)} and ${percent(to, digits, Math.ceil)} %`;
};
