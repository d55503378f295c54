import type { BoundedStatistic } from "@dosimeter/query/plan";
import { type AnswerCell, answerBins } from "@dosimeter/query/statistics";
import type { Pool } from "./earlier.ts";

/** An answer that was derived from earlier ones. */
export interface Derived {
  readonly from: readonly Pool[];
  readonly cells: readonly AnswerCell[];
  readonly notes: readonly string[];
  /** The half-width to be expected from the noise and the number of rows of `Certainty` alone, in the unit of a quote's accuracy. */
  readonly expected: number;
  /** The error in rows, where cells have none; absent: that of the widest cell. */
  readonly halfWidth?: number;
  /** Cumulative counts: the largest error of the whole curve, in rows. */
  readonly simultaneous?: number;
  /** Whether it is at least as accurate; present when half-widths do not decide that. */
  readonly asAccurate?: boolean;
}

/** How often an answer may be wrong, and the number of rows of the table, declared or assumed: no answer affects either. */
export interface Certainty {
  readonly failureProbability: number;
  readonly rows: number;
}

/** The cells of an answer in order; `read` gives each cell by its number. */
export function cellsFrom(
  statistic: BoundedStatistic,
  read: (cell: number) => Omit<AnswerCell, "group" | "bin" | "noisy">,
): readonly AnswerCell[] {
  const given = answerBins(statistic);
  const bins = given.length === 0 ? [null] : given;
  return statistic.groups.flatMap((group, groupIndex) =>
    bins.map((bin, binIndex) => ({
      group,
      ...(bin === null ? {} : { bin }),
      ...read(groupIndex * bins.length + binIndex),
      noisy: [],
    })),
  );
}
