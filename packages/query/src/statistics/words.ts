import { periodText, periodUnit, toDouble } from "@dosimeter/core";
import { countText } from "@dosimeter/core/internal";
import type { Column, UnitNoun } from "../declaration/declaration.ts";
import { inNoun } from "../declaration/words.ts";
import { combinationHalfWidth } from "../noise/combination.ts";
import type { BoundedStatistic, Noise } from "../plan/bounded.ts";
import { leavesOf, type Range, rangeOf } from "../plan/task.ts";
import type { AnswerKind } from "./statistic.ts";

export const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const shown = new Intl.NumberFormat("en-US", { useGrouping: "min2", maximumFractionDigits: 20 });

/** A statistic's name with its article. */
export const a = (noun: string): string => `${/^[aeio]/.test(noun) ? "an" : "a"} ${noun}`;

/** A count with its noun: "1 row", "2,000 rows". */
export const some = (count: number, noun: string): string => `${whole.format(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A count of protected units: "1 person", "2,000 planes". */
export const unitsText = (count: number, noun: UnitNoun | undefined): string =>
  `${whole.format(count)} ${inNoun(count === 1 ? "person" : "people", noun)}`;

/** The unit of answers that are in that of their column; null for others and for dates. Years are places in time; how far apart two are is a number of years. */
export function unitShown({ measures, value }: AnswerKind, { unit, calendar }: Partial<Column> = {}): string | null {
  if (unit === undefined || calendar !== undefined || (measures === undefined && value !== "column")) return null;
  return unit === "year" && measures !== "place" ? "years" : unit;
}

/** How far apart two places of this unit are is in this unit. */
export const unitOfError = (unit: string | null): string | null => (unit === "year" ? "years" : unit);

/** A bound for people: thousands grouped from five digits on, a true minus; of dates, the date. */
export const boundText = (bound: number, { calendar }: Pick<Range, "calendar"> = {}): string =>
  calendar === undefined ? shown.format(bound).replace("-", "\u2212") : periodText(bound, calendar);

interface Bounds {
  readonly lower?: number | undefined;
  readonly upper?: number | undefined;
}

/**
 * How bounds of values, and of a person's total, narrow those that are declared, so that they change the question: "capped at 10,800"; null
 * where they do not [M350].
 */
export function cappedText(range: Range, declared: Bounds, ofUnit: Bounds = {}): string | null {
  const lower = Math.max(range.lower, ofUnit.lower ?? range.lower);
  const upper = Math.min(range.upper, ofUnit.upper ?? range.upper);
  const [least, most] = [boundText(lower, range), boundText(upper, range)];
  const isCutBelow = declared.lower === undefined || lower > declared.lower;
  const isCutAbove = declared.upper === undefined || upper < declared.upper;
  if (isCutBelow && isCutAbove) return `capped between ${least} and ${most}`;
  if (isCutAbove) return `capped at ${most}`;
  return isCutBelow ? `capped from below at ${least}` : null;
}

export const clampedNote = (range: Range): string =>
  `Values outside ${boundText(range.lower, range)} to ${boundText(range.upper, range)} were counted as the nearer bound; the interval does not cover what that changed.`;

/** Share of a range, or of the rows, from which on what lies at a bound is worth a note. */
const NEAR = 0.05;

/** Where values lie between the bounds: 0 is the lower, 1 the upper one. */
export const placesOf = ([low, high]: readonly [number, number], { lower, upper }: Range): [number, number] => [
  (low - lower) / (upper - lower),
  (high - lower) / (upper - lower),
];

/** What to say of a column whose middle is from `least` to `most` between its bounds, and not of noise that went there. */
export function nearMean(
  column: string | null,
  { lower, upper, calendar }: Range,
  least: number,
  most = least,
): readonly string[] {
  const bound = most < NEAR ? lower : least > 1 - NEAR ? upper : null;
  if (bound === null) return [];
  return [
    `Most values of ${column ?? "an answer"} lie near ${boundText(bound, calendar === undefined ? {} : { calendar })}: if many lie beyond it, capping changed the answer more than the noise did. The statistic “values outside the bounds” counts them.`,
  ];
}

interface Ratio {
  readonly part: readonly number[];
  readonly all: readonly number[];
  readonly noisy: readonly string[];
  readonly noise: Noise;
  readonly failureProbability: number;
}

/** The same of a mean `part` ÷ `all` of noisy sums, from 0 to 1: said where the noise leaves no other place for it [M90]. */
export function nearRatio(
  column: string | null,
  range: Range,
  { part, all, noisy, noise, failureProbability }: Ratio,
): readonly string[] {
  const isSurely = (side: 1 | -1, of: number): boolean => {
    const weights = part.map((weight, at) => side * (weight - of * (all[at] ?? 0)));
    return weighted(weights, noisy) > combinationHalfWidth(noise, weights, failureProbability);
  };
  const place = isSurely(-1, NEAR) ? 0 : isSurely(1, 1 - NEAR) ? 1 : null;
  return place === null ? [] : nearMean(column, range, place);
}

/** Σ weight · integer, of integers as an answer holds them. */
const weighted = (weights: readonly number[], integers: readonly string[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * Number(integers[at] ?? 0), 0);

/** How fine a value that is chosen among leaves can be: "in steps of $10"; null for others. */
export function stepText(statistic: BoundedStatistic): string | null {
  const { task, unit } = statistic;
  const leafed = task.kind === "choice" ? leavesOf(statistic) : undefined;
  if (leafed === undefined || leafed.leaves < 2) return null;
  const { step } = leafed.ticks;
  const size = toDouble({ numerator: step.numerator * leafed.ticksPerLeaf, denominator: step.denominator }, "up");
  const { calendar } = rangeOf(statistic) ?? {};
  if (calendar !== undefined) return `in steps of ${countText(size, periodUnit(calendar))}`;
  const text = shown.format(size);
  if (unit == null) return `in steps of ${text}`;
  const one = text === "1" ? unit.replace(/(?<=[a-z]{2}[^sui])s$/, "") : unit;
  return `in steps of ${/^\p{Sc}$/u.test(unit) ? `${unit}${text}` : `${text} ${one}`}`;
}
