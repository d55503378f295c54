import { type Exact, formatRational, type Random } from "@dosimeter/core";
import { noisyIntegers } from "./draw.ts";
import type { Measured } from "./engine.ts";
import { type Cost, costOf } from "./noise.ts";
import type { Bin, BoundedPlan, BoundedStatistic, GroupKey, NoiseFamily } from "./plan.ts";
import { type Interval, type StatisticName, statisticOf } from "./statistics.ts";

/** One group, or one bin of one group. */
export interface AnswerCell {
  /** Values of the grouping columns; `{}` when nothing is grouped. */
  readonly group: GroupKey;
  readonly bin?: Bin;
  readonly value: number;
  /** Holds the bounded, clamped, rounded answer without noise, with the answer's confidence. */
  readonly interval: Interval;
  /** The released integers themselves, in ticks, as text: one, or the pair (S1, S2) of a mean. */
  readonly noisy: readonly string[];
  readonly rows?: { readonly value: number; readonly interval: Interval };
  readonly unreliable?: true;
}

/** A released statistic. Plain JSON; everything in it is public once released. */
export interface Answer {
  readonly id: string;
  readonly statistic: StatisticName;
  readonly label: string;
  readonly column: string | null;
  readonly groupBy: readonly string[];
  readonly cost: Cost;
  readonly confidence: number;
  /** `spread` is the scale of discrete Laplace noise or σ of rounded Gaussian noise, in ticks, as an exact fraction. */
  readonly noise: { readonly kind: NoiseFamily; readonly spread: string };
  /** What one tick is worth in the column's unit; null for counts. */
  readonly tick: string | null;
  readonly cells: readonly AnswerCell[];
  readonly notes: readonly string[];
}

/**
 * Noises every measured integer and reads the answers off the noisy integers alone: whatever follows the draw is
 * post-processing. Fresh noise at every call; the caller keeps the first result for ever.
 */
export function addNoise(plan: BoundedPlan, exact: Exact<Measured>, random: Random): readonly Answer[] {
  const noisy = noisyIntegers(plan, exact, random);
  return plan.statistics.map((statistic, index) => answerOf(statistic, noisy[index] ?? [], plan.confidence));
}

function answerOf(statistic: BoundedStatistic, noisy: readonly bigint[], confidence: number): Answer {
  const row = statisticOf(statistic.statistic);
  const width = row.width(statistic);
  const bins = statistic.bins.length === 0 ? [null] : statistic.bins;
  const cells = statistic.groups.flatMap((group, groupIndex) =>
    bins.map((bin, binIndex) => {
      const at = (groupIndex * bins.length + binIndex) * width;
      const integers = noisy.slice(at, at + width);
      return {
        group,
        ...(bin === null ? {} : { bin }),
        ...row.read(integers, statistic, 1 - confidence),
        noisy: integers.map(String),
      };
    }),
  );
  return {
    id: statistic.id,
    statistic: statistic.statistic,
    label: statistic.label,
    column: statistic.column,
    groupBy: statistic.groupBy,
    cost: costOf(statistic.noise),
    confidence,
    noise: {
      kind: statistic.noise.kind,
      spread: formatRational(statistic.noise.kind === "laplace" ? statistic.noise.scale : statistic.noise.sigma),
    },
    tick: statistic.ticks === null ? null : formatRational(statistic.ticks.step),
    cells,
    notes: notesOf(statistic, cells),
  };
}

const some = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function notesOf(statistic: BoundedStatistic, cells: readonly AnswerCell[]): readonly string[] {
  const { bound } = statistic.contribution;
  const notes: string[] = [];
  if (statistic.lower !== null && statistic.upper !== null && statistic.bins.length === 0)
    notes.push(
      `Values outside ${statistic.lower} to ${statistic.upper} were counted as the nearer bound; the interval does not cover what that changed.`,
    );
  const kept = [
    bound.rows === null ? null : some(bound.rows, "row"),
    bound.groups === null ? null : some(bound.groups, "group"),
    bound.rowsPerGroup === null || statistic.statistic === "distinctUnits"
      ? null
      : `${some(bound.rowsPerGroup, "row")} per group`,
  ].filter((part) => part !== null);
  if (kept.length > 0)
    notes.push(
      `At most ${kept.join(" and ")} of each privacy unit counted; the interval does not cover what was left out.`,
    );
  if (cells.some((cell) => cell.unreliable === true))
    notes.push("Where an answer is marked unreliable, the noise was larger than the data: its value says nothing.");
  return notes;
}
