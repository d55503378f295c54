import { casesText } from "@dosimeter/core";
import { unlessRefused } from "@dosimeter/core/internal";
import { isByCohort } from "../declaration/blocks.ts";
import type { Declaration } from "../declaration/declaration.ts";
import { readPredicate } from "../declaration/predicate-text.ts";
import { unitNounOf } from "../declaration/words.ts";
import { rowContribution } from "../plan/sensitivity.ts";
import type { AnswerCell, Interval } from "../statistics/cell.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { whole } from "../statistics/words.ts";
import type { Answer } from "./answer.ts";
import { inNoGroup } from "./in-no-group.ts";

type Counted = Pick<AnswerCell, "value" | "interval">;
type Row = Pick<StatisticRequest, "id" | "statistic" | "column" | "groupBy" | "where" | "keys">;
type Planned = { readonly statistics: readonly Row[]; readonly join?: unknown; readonly sample?: unknown };
type Declared = Pick<Declaration, "columns" | "privacyUnit" | "blocks" | "size" | "unitNoun"> &
  Partial<Pick<Declaration, "contribution">>;

const OTHER_TIMES =
  "What share of the rows has no value is not known: both numbers are about the table at different times.";

/**
 * By the id of each count of the values of a column, what it says of the rows without one, and whose number of rows that takes; nothing of
 * samples, of which each statistic has its own. Of each answer in declared groups, what it says of the rows in none. `isOfOneTime` tells
 * whether two answers are about the same rows.
 */
export function missingShares(
  plan: Planned,
  declaration: Declared,
  answers: readonly Answer[],
  isOfOneTime: (id: string, other: string) => boolean = () => true,
): { readonly missing?: Readonly<Record<string, string>> } {
  if (plan.sample !== undefined) return {};
  const shares = Object.entries(rowsOf(plan, declaration)).flatMap(([id, rows]) => {
    const answer = answers.find((each) => each.id === id);
    if (answer === undefined) return [];
    const isMixed = typeof rows === "string" && !isOfOneTime(id, rows);
    return [[id, isMixed ? OTHER_TIMES : missingNote(answer, answers, rows, boundText(declaration))] as const];
  });
  const allOf = wholesIn(plan, declaration);
  const groups = withIds(plan).flatMap((row) => {
    const answer = answers.find(({ id }) => id === row.id);
    if (answer === undefined) return [];
    const all = allOf(row);
    const isKnown = typeof all === "string" && isOfOneTime(row.id, all);
    const counted = isKnown ? (answers.find(({ id }) => id === all) ?? null) : null;
    const note = inNoGroup(row, declaration, answer, typeof all === "number" ? all : counted);
    return note === null ? [] : [[row.id, note] as const];
  });
  const notes = [...shares, ...groups];
  return notes.length === 0 ? {} : { missing: Object.fromEntries(notes) };
}

const withIds = ({ statistics }: Planned) =>
  statistics.map((row, index) => ({ ...row, id: row.id ?? `s${index + 1}` }));

/** Of a row of a plan, the answer that counts all rows under its filter, their public number, or null where neither is there. */
function wholesIn(plan: Planned, declaration: Declared): (row: Row) => string | number | null {
  const { columns, privacyUnit, blocks, size } = declaration;
  const isWhole = privacyUnit === "row" && blocks === undefined && plan.join === undefined;
  // Rows that miss a required value are in the public number, and in no count.
  const isCounted = !Object.values(columns).some(({ required }) => required === true);
  const known = isWhole && isCounted && size !== undefined && "public" in size ? size.public : undefined;
  const counts = countsIn(plan)
    .filter(({ column }) => column === undefined)
    .map((row) => ({ id: row.id, only: filterText(row, declaration) }));
  return (row) => {
    const only = filterText(row, declaration);
    const all = counts.find((count) => count.only === only)?.id ?? null;
    return only === undefined ? (known ?? all) : all;
  };
}

const countsIn = (plan: Planned) =>
  withIds(plan).filter(({ statistic, groupBy = [] }) => statistic === "count" && groupBy.length === 0);

/** By the id of each count of values, the answer that counts all rows, their public number, or null where neither is there. */
export function rowsOf(plan: Planned, declaration: Declared): Readonly<Record<string, string | number | null>> {
  const allOf = wholesIn(plan, declaration);
  return Object.fromEntries(
    countsIn(plan)
      .filter(({ column }) => column !== undefined && declaration.columns[column]?.required !== true)
      .map((row) => [row.id, allOf(row)]),
  );
}

/** Where each unit has several rows, the condition under which all of them count [M148]. */
function boundText(declaration: Declared): string {
  const { privacyUnit, contribution, blocks } = declaration;
  if (privacyUnit === "row" || contribution === undefined) return "";
  const most = whole.format(rowContribution(contribution, "column", 1).rows);
  const period = blocks === undefined || isByCohort(declaration) ? "" : ` in one ${blocks.every}`;
  return ` This is right only if no ${unitNounOf(declaration).one} has more than ${most} of these rows${period}: each number counts at most ${most} of them.`;
}

/** One spelling of a filter; the given one where this program cannot read it any more. */
function filterText({ where }: Row, declaration: Declared): string | undefined {
  if (where === undefined) return undefined;
  return unlessRefused(() => JSON.stringify(readPredicate(where, declaration)), JSON.stringify(where));
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

export function missingNote(
  answer: Answer,
  answers: readonly Answer[],
  rows: string | number | null,
  condition = "",
): string {
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
  return `About ${percent(value, digitsOf(interval), Math.round)} % of the rows have no value${between}. Their number${source}.${condition}`;
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
