import { type DpEvent, type EpsilonAmount, formatResidue, type ResidueAmount } from "@dosimeter/core";
import { wanted } from "./check.ts";
import type { Declaration } from "./declaration.ts";
import { type Cost, costOf, gaussianNoise, laplaceNoise } from "./noise.ts";
import type { BoundedPlan, BoundedStatistic, Mechanism } from "./plan.ts";
import { answerBins, statisticOf } from "./statistics.ts";

/** What a row will cost and how far its answers will be off, before anything is paid. Plain JSON. */
export interface QuotedStatistic {
  readonly id: string;
  readonly statistic: string;
  readonly label: string;
  readonly noise: Mechanism;
  readonly cost: Cost;
  readonly events: readonly DpEvent[];
  /** How many answers: groups × bins. */
  readonly cells: number;
  readonly accuracy: {
    /** Half-width of each answer's interval, in the answer's unit, for quantiles in rows; null when it needs a number of people that nobody gave. */
    readonly halfWidth: number | null;
    readonly confidence: number;
    /** Said before the error whenever it depends on how many people there are. */
    readonly assumes: string | null;
    /** The answer would say nothing: its interval spans everything that is possible. */
    readonly useless: boolean;
  };
  readonly sensitivity: { readonly l1: string; readonly l2Squared: string; readonly linf: string };
  readonly sentence: string;
}

export interface QuoteOptions {
  /** Overrides the declared size; the user's own assumption, never the data's. */
  readonly people?: number | undefined;
}

/** Every event of a plan, in order: what the ledger is charged. */
export const eventsOf = (plan: BoundedPlan): readonly DpEvent[] => plan.statistics.flatMap(({ events }) => events);

export function quotePlan(plan: BoundedPlan, { people }: QuoteOptions = {}): readonly QuotedStatistic[] {
  const rows = people ?? declaredRows(plan.declaration);
  return plan.statistics.map((statistic) => quoteStatistic(statistic, plan.confidence, rows));
}

/** Rows as declared: assumed or public, null when the owner says nothing. */
export function declaredRows({ size }: Declaration): number | null {
  if (size === undefined) return null;
  return "public" in size ? size.public : size.assumed;
}

/** Rows of one group if all groups were alike. */
const perGroup = (statistic: BoundedStatistic, rows: number | null): number | null =>
  rows === null ? null : rows / statistic.groups.length;

/** Half-width of each answer at 1 − failureProbability; null when it depends on a number of rows that is not known [M85, M87]. */
export function accuracyOf(
  statistic: BoundedStatistic,
  failureProbability: number,
  rows: number | null,
): number | null {
  return statisticOf(statistic.statistic).accuracy(statistic, failureProbability, perGroup(statistic, rows));
}

export function quoteStatistic(statistic: BoundedStatistic, confidence: number, rows: number | null): QuotedStatistic {
  const { needsRows, extent, byRank } = statisticOf(statistic.statistic);
  const halfWidth = accuracyOf(statistic, 1 - confidence, rows);
  const assumes = needsRows(statistic) ? assumption(statistic, rows) : null;
  const length = extent?.(statistic) ?? null;
  const useless =
    halfWidth !== null &&
    (byRank === true
      ? rows !== null && 2 * halfWidth >= rows / statistic.groups.length
      : length !== null
        ? 2 * halfWidth >= length
        : rows !== null && statistic.ticks === null && halfWidth >= rows);
  return {
    id: statistic.id,
    statistic: statistic.statistic,
    label: statistic.label,
    noise: statistic.selection === null ? statistic.noise.kind : "selection",
    cost: costOf(statistic.noise),
    events: statistic.events,
    cells: answers(statistic),
    accuracy: { halfWidth, confidence, assumes, useless },
    sensitivity: {
      l1: String(statistic.sensitivity.l1),
      l2Squared: String(statistic.sensitivity.l2Squared),
      linf: String(statistic.sensitivity.linf),
    },
    sentence: sentenceOf(statistic, { halfWidth, confidence, assumes, useless }),
  };
}

const answers = (statistic: BoundedStatistic): number =>
  statistic.groups.length * Math.max(1, answerBins(statistic).length);

const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4, roundingMode: "ceil" });
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumSignificantDigits: 6 });

function assumption(statistic: BoundedStatistic, rows: number | null): string {
  const who = statistic.contribution.rows === 1 ? "people" : "rows";
  if (rows === null) return `it depends on how many ${who} there are`;
  const each = whole.format(Math.max(1, Math.round(rows / statistic.groups.length)));
  const match = statistic.where === null ? "" : " that match";
  return statistic.groups.length === 1
    ? `if there are about ${each} ${who}${match}`
    : `if there are about ${each} ${who}${match} in the group`;
}

function sentenceOf(
  statistic: BoundedStatistic,
  { halfWidth, confidence, assumes, useless }: QuotedStatistic["accuracy"],
): string {
  const cells = answers(statistic);
  const subject = cells === 1 ? "The answer" : `Each of the ${whole.format(cells)} answers`;
  const at = `${percent.format(confidence)} confidence`;
  if (halfWidth === null) return `How far off the answer is depends on the number of people, which is not declared.`;
  const start =
    assumes === null
      ? subject
      : `${assumes[0]?.toUpperCase()}${assumes.slice(1)}, ${subject[0]?.toLowerCase()}${subject.slice(1)}`;
  const off =
    statistic.selection !== null
      ? `will have at most ${number.format(halfWidth)} rows between it and the truth`
      : halfWidth === 0
        ? "will be exact"
        : `will be off by at most ${number.format(halfWidth)}`;
  return `${start} ${off} (${at}).${useless ? " At this price it will say nothing useful." : ""}`;
}

const LARGEST_UNITS = 10n ** 18n;

/** The same statistic at another price: ε units for Laplace noise, μ² units for Gaussian. */
export function repriced(statistic: BoundedStatistic, units: bigint): BoundedStatistic {
  const { noise, sensitivity } = statistic;
  return {
    ...statistic,
    noise:
      noise.kind === "laplace"
        ? laplaceNoise(units as EpsilonAmount, sensitivity)
        : gaussianNoise(units as ResidueAmount, sensitivity),
  };
}

/**
 * The least price, in ledger units (ε, or μ² for Gaussian noise, 10⁻¹² each), at which each answer's half-width is at most
 * `accuracy`: accuracy(least(a)) ≤ a always. INVALID_PARAMETER when no ε ≤ 10⁶ reaches it.
 */
export function leastUnits(
  statistic: BoundedStatistic,
  accuracy: number,
  failureProbability: number,
  rows: number | null,
  name = "accuracy",
): bigint {
  if (!(accuracy >= 0) || !Number.isFinite(accuracy)) return wanted(name, accuracy, "a finite number >= 0");
  const step = statistic.noise.kind === "laplace" ? 1n : 2n;
  const reached = (units: bigint): boolean => {
    const half = accuracyOf(repriced(statistic, units * step), failureProbability, rows);
    if (half === null) return wanted("n", undefined, "the number of people to assume");
    return half <= accuracy;
  };
  let low = 0n;
  let high = LARGEST_UNITS;
  if (!reached(high)) return wanted(name, accuracy, "an error that some epsilon up to 1000000 reaches");
  while (high - low > 1n) {
    const middle = (low + high) >> 1n;
    if (reached(middle)) high = middle;
    else low = middle;
  }
  return high * step;
}

export const formatUnits = (units: bigint): string => formatResidue(units as ResidueAmount);
