import type { AnswerCell } from "../answer/cell.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { answerBins } from "../statistics/index.ts";
import type { Pool } from "./earlier.ts";

/** An answer that was worked out from earlier ones. */
export interface Derived {
  readonly from: readonly Pool[];
  readonly cells: readonly AnswerCell[];
  readonly notes: readonly string[];
  /** Cumulative counts: rows that the whole curve is off by at most. */
  readonly simultaneous?: number;
  /** Said outright where half-widths do not decide: whether it is at least as accurate. */
  readonly asAccurate?: boolean;
}

/** The cells of an answer in their order, each read by its number. */
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
