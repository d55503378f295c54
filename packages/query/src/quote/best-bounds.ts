import { formatPeriod } from "@dosimeter/core";
import { memoized, unlessRefused } from "@dosimeter/core/internal";
import { boundPlan } from "../bind/bound-plan.ts";
import { pricedAt } from "../bind/pricing.ts";
import { unitsOf } from "../noise/noise-at.ts";
import type { BoundedPlan, BoundedStatistic, NoiseFamily } from "../plan/bounded.ts";
import { isWhole } from "../plan/groups.ts";
import { rangeOf } from "../plan/task.ts";
import { accuracyOf } from "../statistics/accuracy.ts";
import type { StatisticRequest } from "../statistics/request.ts";
import { boundText } from "../statistics/words.ts";
import { type Bias, biasMost, biasOf, type Tails } from "./bias.ts";

export const paidIn = ({ keys, noise }: BoundedStatistic): NoiseFamily => keys?.family ?? noise.kind;

export const paidUnits = ({ keys, noise }: BoundedStatistic): bigint => keys?.units ?? unitsOf(noise);

/** The same statistic at another price: ε units for Laplace noise, μ² units for Gaussian; null where it would select no group. */
export function repriced(statistic: BoundedStatistic, units: bigint): BoundedStatistic | null {
  const priced = pricedAt({ ...statistic, integers: 2 }, paidIn(statistic), units);
  return priced === null ? null : { ...statistic, ...priced };
}

/** Bounds of a row, with the error that they leave: noise and capping together. Plain JSON. */
export interface BestBounds {
  /** Dates are texts. */
  readonly lower: number | string;
  readonly upper: number | string;
  readonly noise: number;
  readonly bias: Bias;
  /** At most, with the confidence of the plan, whichever bounds are chosen [M374]. */
  readonly error: number;
}

/** "0 to 300,000". */
export const boundsText = ({ lower, upper }: Pick<BestBounds, "lower" | "upper">): string =>
  [lower, upper].map((end) => (typeof end === "number" ? boundText(end) : end)).join(" to ");

/** Other bounds change a question: worth saying from this part of its present error on. */
const WORTH = 0.9;

/**
 * The bounds of a sum, mean or spread that leave the least error at its price: of the noise, and the most that capping adds by an earlier
 * answer, among whose places they are found end by end. Null where they are hardly better than its own, or nothing tells [M374].
 */
export function bestBounds(
  statistic: BoundedStatistic,
  { declaration, confidence }: Pick<BoundedPlan, "declaration" | "confidence">,
  tails: Tails | undefined,
): BestBounds | null {
  const { caps, task, column, groupBy, groups, where, sampling, keys } = statistic;
  const range = rangeOf(statistic);
  const { lower, upper } = caps?.declared ?? range ?? { lower: null, upper: null };
  if (tails === undefined || range === undefined || task.kind !== "sums" || lower === null || upper === null)
    return null;
  const rows = tails.rows[0] * groups.length;
  const failureProbability = 1 - confidence - tails.failureProbability;
  const declared = declaration.columns[column ?? ""];
  const isPlain = sampling === undefined && keys === undefined && declared !== undefined;
  if (!(isPlain && rows > 0 && failureProbability > 0)) return null;

  const shown = (end: number): number | string =>
    range.calendar === undefined ? end : formatPeriod(end, range.calendar);
  const cappingAt = ([from, to]: Ends): Bias | null =>
    biasOf(
      {
        ...statistic,
        task: { ...task, range: { ...range, lower: from, upper: to } },
        caps: { text: "", declared: { lower, upper } },
      },
      tails,
    );
  const [cutBelow, cutAbove] = [
    memoized((from: number) => cappingAt([from, upper])),
    memoized((to: number) => cappingAt([lower, to])),
  ];
  const price = paidIn(statistic) === "laplace" ? { epsilon: 1 } : { rho: 1 };
  const asked = { statistic: statistic.statistic, column, groupBy, ...(where === null ? {} : { where }), ...price };
  const noiseAt = ([from, to]: Ends): number | null => {
    const [one] = bounded({ ...asked, lower: shown(from), upper: shown(to) } as StatisticRequest, declaration);
    // Over a window, a person may have more rows.
    if (one === undefined || one.contribution.rows !== statistic.contribution.rows) return null;
    const at = repriced(one, paidUnits(statistic));
    return at === null ? null : accuracyOf(at, failureProbability, rows);
  };

  const inside = tails.points.map(({ at }) => at).filter((at) => at > lower && at < upper);
  const places = (end: number, outward: (at: number) => number): readonly number[] => [
    end,
    ...(isWhole(declared) ? inside.map(outward) : inside),
  ];
  const [lowers, uppers] = [places(lower, Math.floor), places(upper, Math.ceil)];
  let [ends, noise, least]: [Ends, number, number] = [[lower, upper], 0, Number.POSITIVE_INFINITY];
  // What is cut off below makes up for nothing that is cut off above: else the bounds might leave no values between them.
  const compared = new Set<string>();
  const compare = (next: Ends): void => {
    if (compared.has(next.join())) return;
    compared.add(next.join());
    const [below, above] = [cutBelow(next[0]), cutAbove(next[1])];
    const cut = below === null || above === null ? null : biasMost(below) + biasMost(above);
    const off = cut === null || !(next[0] < next[1] && cut < least) ? null : noiseAt(next);
    if (cut !== null && off !== null && off + cut < least) [ends, noise, least] = [next, off, off + cut];
  };
  // The noise of a sum is that of the bound further from 0.
  for (const to of [...lowers, ...uppers].map(Math.abs)) compare([Math.max(lower, -to), Math.min(upper, to)]);
  for (const to of uppers) compare([ends[0], to]);
  for (const from of lowers) compare([from, ends[1]]);
  for (const to of uppers) compare([ends[0], to]);

  const [bias, present] = [cappingAt(ends), cappingAt([range.lower, range.upper])];
  const own = accuracyOf(statistic, failureProbability, rows);
  if (bias === null || present === null || own === null) return null;
  const error = noise + biasMost(bias);
  if (!(least < Number.POSITIVE_INFINITY) || error > WORTH * (own + biasMost(present))) return null;
  return { lower: shown(ends[0]), upper: shown(ends[1]), noise, bias, error };
}

type Ends = readonly [from: number, to: number];

function bounded(request: StatisticRequest, declaration: BoundedPlan["declaration"]): readonly BoundedStatistic[] {
  return unlessRefused(() => boundPlan({ statistics: [request] }, declaration).statistics, []);
}
