import {
  dayOfPeriod,
  deltaAmount,
  formatDelta,
  formatEpsilon,
  formatPeriod,
  invalid,
  periodOfDay,
} from "@dosimeter/core";
import { present, unlessRefused } from "@dosimeter/core/internal";
import { boundNumber, type Column, type Declaration, isByCohort, unitOfDates } from "@dosimeter/query/declaration";
import type { DecimalInput } from "@dosimeter/query/plan";
import { READABLE, type StatisticRequest } from "@dosimeter/query/statistics";
import { emptyDraft, type PlanDraft, type PlanRow, parseUnits } from "./draft.ts";
import { roomFor } from "./first-price.ts";
import { GOOD, referenceOf } from "./grade.ts";
import { type GivenRow, openRows } from "./open.ts";
import { readableRoom, readableUnits, unitsFor } from "./price.ts";
import { apportion, UNITS } from "./shares.ts";

export interface ProfileRequest {
  /** The price of the whole profile: a decimal above 0. */
  readonly epsilon: DecimalInput;
  /** Shared by the text columns, whose values are found; without it they are left out. */
  readonly delta?: DecimalInput | undefined;
  /** People to assume, where the table declares no number of rows. */
  readonly people?: number | null | undefined;
  readonly confidence?: number | undefined;
  /** Of a population with blocks, those that it is about. */
  readonly window?: PlanDraft["window"] | undefined;
}

export interface Profile {
  /** The rows of the plan, their prices add up to `epsilon`. */
  readonly rows: readonly (GivenRow & { readonly epsilon: string })[];
  /** Columns that no row describes, or lacks one that others of its type have, each with the reason. */
  readonly leftOut: readonly { readonly column: string; readonly reason: string }[];
}

/** Columns with more declared values show only the most frequent ones. */
const MAX_BARS = 30;
const TOP = 10;
/** About as many bins as a small chart can show. */
const BINS = 10;

/**
 * A plan that describes every column of a table, from its declaration alone: how many rows, the shape and the quartiles of
 * numbers, the counts of declared values, the most frequent texts, and how many rows have a value where one may be missing.
 * ε is split so that all errors are the same part of the error at which their answer is useless. Refused (INVALID_PARAMETER)
 * where ε is 0 or too small for the number of rows.
 */
export function profileOf(declaration: Declaration, request: ProfileRequest): Profile {
  const total = parseUnits(request.epsilon);
  const asked = questionsOf(declaration, request);
  const draft: PlanDraft = {
    ...emptyDraft(request.epsilon),
    confidence: request.confidence ?? 0.95,
    people: request.people ?? null,
    ...present({ window: request.window }),
  };
  const opened = openRows(asked.rows, draft, declaration);
  const rows = opened.filter(({ isComplete }) => isComplete);
  const tooWide = opened
    .filter(({ isComplete }) => !isComplete)
    .map(({ request }) => unbounded(request, declaration.blocks !== undefined && !isByCohort(declaration)));
  if (total < BigInt(rows.length))
    invalid("epsilon", request.epsilon, `at least ${formatEpsilon(BigInt(rows.length))}`);
  const bases = splitOf(total, rows, draft, declaration);
  // No row goes without a price, however small.
  const shares = apportion(total - BigInt(rows.length), bases);
  return {
    rows: rows.map(({ id, request: question }, index) => ({
      id,
      request: question,
      epsilon: formatEpsilon((shares[index] ?? 0n) + 1n),
    })),
    leftOut: [...asked.leftOut, ...tooWide],
  };
}

/** A question that the range of its column has too many steps for, or that counts people over several blocks. */
const unbounded = (
  { column = "", statistic }: Partial<StatisticRequest>,
  hasPeriods: boolean,
): Profile["leftOut"][number] => ({
  column,
  reason: hasPeriods
    ? `${statistic} is not asked over these blocks: it counts people, or the range has too many steps for it`
    : `its range has too many steps for ${statistic}: declare a narrower one, or a coarser granularity`,
});

interface Priced {
  readonly row: PlanRow;
  /** The error from which on the answer says nothing; 0 where that depends on an unknown number of people. */
  readonly useless: number;
}

const pricedRows = (rows: readonly PlanRow[], draft: PlanDraft, declaration: Declaration): readonly Priced[] =>
  rows.map((row) => ({ row, useless: referenceOf(row, draft, declaration) ?? 0 }));

/** The least price of each row at which its error is this part of its useless error. */
function needsAt(
  part: number,
  rows: readonly Priced[],
  draft: PlanDraft,
  declaration: Declaration,
): readonly bigint[] | null {
  const known = rows.map(({ row, useless }) => needAt(row, useless * part, draft, declaration));
  const sum = known.reduce<bigint>((all, need) => all + (need ?? 0n), 0n);
  const count = known.filter((need) => need !== null).length;
  // A row whose error depends on an unknown number of people costs what the others do.
  return count === 0 ? null : known.map((need) => need ?? sum / BigInt(count));
}

/** Null where the row has no error without a number of people, or no price reaches this one. */
function needAt(row: PlanRow, error: number, draft: PlanDraft, declaration: Declaration): bigint | null {
  if (!(error > 0)) return null;
  return unlessRefused(() => unitsFor(row, error, draft, declaration), null);
}

/** Errors do not fall exactly as 1/ε, so the part that ε pays for is found again from the last sum. */
function splitOf(
  total: bigint,
  rows: readonly PlanRow[],
  draft: PlanDraft,
  declaration: Declaration,
): readonly bigint[] {
  const priced = pricedRows(rows, draft, declaration);
  let needs: readonly bigint[] = rows.map(() => UNITS);
  let part = GOOD;
  for (let round = 0; round < ROUNDS; round++) {
    const next = needsAt(part, priced, draft, declaration);
    if (next === null) return needs;
    needs = next;
    part *= Number(sumOf(needs)) / Number(total);
  }
  return needs;
}
const ROUNDS = 4;
/** The split of a sum moves each error a little. */
const SURELY_GOOD = GOOD * 0.97;

const sumOf = (units: readonly bigint[]): bigint => units.reduce((all, each) => all + each, 0n);

/**
 * A plan with the profile in place of its rows. On an account it costs what makes every answer good, at most half of what
 * is left; a plan of its own spends its ε.
 */
export function profileDraft(draft: PlanDraft, declaration: Declaration): PlanDraft {
  const { headroom, confidence, people, follows: _, ...kept } = draft;
  const asked = openRows(questionsOf(declaration, {}).rows, draft, declaration).filter(({ isComplete }) => isComplete);
  const good = needsAt(SURELY_GOOD, pricedRows(asked, draft, declaration), draft, declaration);
  const half = headroom === null ? null : readableRoom(roomFor({ request: {} }, [], { ...kept, headroom }) / 2n);
  const wanted = good === null ? half : readableUnits(sumOf(good));
  const total = half === null ? parseUnits(draft.epsilon) : wanted !== null && wanted < half ? wanted : half;
  const epsilon = formatEpsilon(total);
  const { rows } = profileOf(declaration, { epsilon, people, confidence, window: kept.window });
  const next = { ...kept, headroom, confidence, people, epsilon };
  return { ...next, rows: openRows(rows, next, declaration) };
}

function questionsOf(
  { columns, privacyUnit }: Declaration,
  { delta }: Pick<ProfileRequest, "delta">,
): { readonly rows: readonly GivenRow[]; readonly leftOut: Profile["leftOut"] } {
  const unit = privacyUnit === "row" ? undefined : privacyUnit.column;
  const described = Object.entries(columns).filter(([name]) => name !== unit);
  const texts = described.filter(([, { type }]) => type === "text").length;
  const each = delta === undefined || texts === 0 ? 0n : deltaAmount(delta, "down") / BigInt(texts);
  const deltaOfEach = each === 0n ? undefined : formatDelta(each);
  const questions: Partial<StatisticRequest>[] = [{ statistic: "count" }];
  const leftOut: { column: string; reason: string }[] = [];
  for (const [name, column] of described) {
    const found = questionsAbout(name, column, deltaOfEach);
    if (typeof found === "string") leftOut.push({ column: name, reason: found });
    else questions.push(...found);
  }
  return { rows: questions.map((request, index) => ({ id: `s${index + 1}`, request })), leftOut };
}

/** What to ask of one column, or why nothing can be asked. */
function questionsAbout(
  column: string,
  declared: Column,
  delta: string | undefined,
): readonly Partial<StatisticRequest>[] | string {
  const { type, lower, upper, categories = [], required = false } = declared;
  const present = required ? [] : [{ statistic: "count" as const, column }];
  switch (type) {
    case "integer":
    case "number":
      if (lower === undefined || upper === undefined) return "its range is not declared";
      return [
        { statistic: "histogram", column, ...binsFor(lower, upper, type === "integer") },
        { statistic: "quantiles", column },
        ...present,
      ];
    case "date":
      if (lower === undefined || upper === undefined) return "its range is not declared";
      return [
        { statistic: "histogram", column, ...yearsFor(lower, upper, declared) },
        { statistic: "quantiles", column },
        ...present,
      ];
    case "boolean":
      return [{ statistic: "histogram", column }, ...present];
    case "category":
      return [
        categories.length > MAX_BARS ? { statistic: "topValues", column, k: TOP } : { statistic: "histogram", column },
        ...present,
      ];
    case "text":
      if (delta === undefined) return "its values are texts, which are found only with a δ";
      return [{ statistic: "topValues", column, k: TOP, delta }];
    default:
      return type satisfies never;
  }
}

/** Few whole numbers are bins of their own; else about ten bins whose edges are round numbers. */
function binsFor(lower: number, upper: number, isWhole: boolean): Pick<StatisticRequest, "bins"> {
  if (isWhole && upper - lower < 2 * BINS) return {};
  return { bins: [lower, ...roundBetween(lower, upper, isWhole), upper] };
}

/** Periods of the calendar where few enough are between the bounds; else about ten bins that begin with round years. */
function yearsFor(lower: number, upper: number, column: Column): Pick<StatisticRequest, "bins"> {
  const calendar = unitOfDates(column);
  const yearOf = (period: number) => Number(formatPeriod(periodOfDay(dayOfPeriod(period, calendar), "year"), "year"));
  const [first, last] = [yearOf(lower), yearOf(upper)];
  if (last - first < READABLE) return {};
  const starts = roundBetween(first, last, true).flatMap((year) => {
    const start = boundNumber(`${String(year).padStart(4, "0")}-01-01`, column);
    // The week in which a round year begins may be the first one, of the year before.
    return start === undefined || start <= lower ? [] : [start];
  });
  return { bins: [lower, ...starts, upper].map((period) => formatPeriod(period, calendar)) };
}

/** The multiples of 1, 2 or 5 times a power of ten between two numbers, about `BINS` of them. */
function roundBetween(lower: number, upper: number, isWhole: boolean): readonly number[] {
  const wanted = (upper - lower) / BINS;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const digit = [1, 2, 5, 10].find((each) => each * power >= wanted * 0.99) ?? 10;
  const step = isWhole ? Math.max(1, Math.round(digit * power)) : digit * power;
  // A step below 1 is divided by, which rounds correctly; its multiples are read as people write them.
  const over = step < 1 ? Math.round(1 / step) : null;
  const at = (times: number): number => (over === null ? times * step : times / over);
  const first = Math.floor(lower / step) + 1;
  const count = Math.ceil(upper / step) - first;
  return Array.from({ length: Math.max(0, count) }, (_, index) => at(first + index)).filter(
    (edge) => edge > lower && edge < upper,
  );
}
