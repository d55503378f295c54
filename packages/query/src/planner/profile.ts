import { deltaAmount, formatDelta, invalid, PrivacyError } from "@dosimeter/core";
import type { Column, Declaration } from "../declaration/declaration.ts";
import type { DecimalInput } from "../plan/bounded.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { emptyDraft, formatUnits, type PlanDraft, type PlanRow, parseUnits } from "./draft.ts";
import { GOOD, referenceOf } from "./grade.ts";
import { type GivenRow, openRows } from "./open.ts";
import { unitsFor } from "./price.ts";
import { apportion, UNITS } from "./shares.ts";

export interface ProfileRequest {
  /** The price of the whole profile: a decimal above 0. */
  readonly epsilon: DecimalInput;
  /** Shared by the text columns, whose values are found; without it they are left out. */
  readonly delta?: DecimalInput | undefined;
  /** People to assume, where the table declares no number of rows. */
  readonly people?: number | null | undefined;
  readonly confidence?: number | undefined;
}

export interface Profile {
  /** The rows of the plan, their prices add up to `epsilon`. */
  readonly rows: readonly (GivenRow & { readonly epsilon: string })[];
  /** Columns that no row describes, each with the reason. */
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
  };
  const rows = openRows(asked.rows, draft, declaration).filter(({ isComplete }) => isComplete);
  if (total < BigInt(rows.length)) invalid("epsilon", request.epsilon, `at least ${formatUnits(BigInt(rows.length))}`);
  const bases = needsOf(rows, total, draft, declaration);
  // No row goes without a price, however small.
  const shares = apportion(total - BigInt(rows.length), bases);
  return {
    rows: rows.map(({ id, request: question }, index) => ({
      id,
      request: question,
      epsilon: formatUnits((shares[index] ?? 0n) + 1n),
    })),
    leftOut: asked.leftOut,
  };
}

/**
 * What each row needs for an error of the same part of its useless error. Errors do not fall exactly as 1/ε, so the part is
 * found again from the last sum.
 */
function needsOf(
  rows: readonly PlanRow[],
  total: bigint,
  draft: PlanDraft,
  declaration: Declaration,
): readonly bigint[] {
  const references = rows.map((row) => referenceOf(row, draft, declaration));
  let needs = rows.map(() => UNITS);
  let part = GOOD;
  for (let round = 0; round < ROUNDS; round++) {
    const known = rows.map((row, index) => needAt(row, (references[index] ?? 0) * part, draft, declaration));
    const sum = known.reduce<bigint>((all, need) => all + (need ?? 0n), 0n);
    const count = BigInt(known.filter((need) => need !== null).length);
    if (count === 0n) return needs;
    needs = known.map((need) => need ?? sum / count);
    part *= Number(needs.reduce((all, need) => all + need, 0n)) / Number(total);
  }
  return needs;
}
const ROUNDS = 4;

/** Null where the row has no error without a number of people, or no price reaches this one. */
function needAt(row: PlanRow, error: number, draft: PlanDraft, declaration: Declaration): bigint | null {
  if (!(error > 0)) return null;
  try {
    return unitsFor(row, error, draft, declaration);
  } catch (fault) {
    if (fault instanceof PrivacyError) return null;
    throw fault;
  }
}

function questionsOf(
  { columns, privacyUnit }: Declaration,
  { delta }: ProfileRequest,
): { readonly rows: readonly GivenRow[]; readonly leftOut: Profile["leftOut"] } {
  const unit = privacyUnit === "row" ? undefined : privacyUnit.column;
  const described = Object.entries(columns).filter(([name]) => name !== unit);
  const texts = described.filter(([, { type }]) => type === "text").length;
  const each = delta === undefined || texts === 0 ? 0n : deltaAmount(delta, "down") / BigInt(texts);
  const deltaOfEach = each === 0n ? undefined : formatDelta(each as ReturnType<typeof deltaAmount>);
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
  { type, lower, upper, categories = [], required = false }: Column,
  delta: string | undefined,
): readonly Partial<StatisticRequest>[] | string {
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
function binsFor(lower: number, upper: number, isWhole: boolean): { readonly bins?: readonly number[] } {
  if (isWhole && upper - lower < 2 * BINS) return {};
  const edges = roundBetween(lower, upper, isWhole);
  return { bins: [lower, ...edges, upper] };
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
