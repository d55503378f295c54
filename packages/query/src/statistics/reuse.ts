import { type Form, halfWidthOf, none, numberOf } from "../noise/form.ts";
import { type Selected, selected } from "../noise/selected.ts";
import { countInterval } from "../noise/tail.ts";
import type { BoundedStatistic } from "../plan/bounded.ts";
import { type Range, rangeOf, type Task } from "../plan/task.ts";
import type { AnswerCell } from "./cell.ts";

/** Sums over rows; `own` is the answer itself, for statistics whose cells never add up. */
export type ViewName = "rows" | "sum" | "squares" | "own";
export type Forms = Readonly<Record<ViewName, Form>>;

/** The sums of rows that make up a statistic, and how its answer follows from them. */
export interface FromSums {
  readonly needs: readonly ViewName[];
  read(
    forms: Forms,
    statistic: BoundedStatistic,
    failureProbability: number,
  ): Pick<AnswerCell, "value" | "interval" | "rows" | "unreliable">;
  /** The half-width to be expected of a cell with that number of rows: the noise of the forms decides it, not their values. */
  expected(forms: Forms, statistic: BoundedStatistic, failureProbability: number, rows: number): number;
}

export type Quantile = Pick<AnswerCell, "value" | "interval" | "rank" | "unreliable">;

/** One answer made of all quantiles of a group, which share the failure probability. */
export interface FromQuantiles {
  joined(quantiles: readonly Quantile[]): Quantile;
}

/** How a statistic uses earlier answers, and serves later ones. */
export interface Reuse<Kind extends Task["kind"]> {
  /** Rows without a value in the column are left out: they are not among the rows that the statistic is about. */
  readonly leavesOutMissing: boolean;
  /** How an answer is derived, or the kind of task whose way it is (`derive`); null where no other answer gives it. */
  readonly from: FromSums | FromQuantiles | (Kind & ("curve" | "choice" | "top")) | null;
  /** The content of the released integers: sums over rows, the answer alone, or neither. */
  readonly holds: "sums" | "own" | null;
  /** Statistics whose newest answers may hold this one in their cells; of the same column only, or of any. */
  readonly near: { readonly from: readonly string[]; readonly sameColumn: boolean } | null;
  /** Statistics of the same rows and column that an answer can give, alone or with others; `total`: itself without its groups. */
  readonly gives: readonly string[];
}

export const nothing: Forms = { rows: none, sum: none, squares: none, own: none };

/** Clamping bounds as a pair; 0 and 0 where there are none. */
export const endsOf = (statistic: BoundedStatistic): readonly [number, number] => {
  const { lower, upper }: Range = rangeOf(statistic) ?? { lower: 0, upper: 0 };
  return [lower, upper];
};

/** Whether an answer is shown whose number of rows is this form. [M352] */
export const selectedForm = (rows: Form, { groups }: BoundedStatistic, failureProbability: number): Selected =>
  selected(numberOf(rows), (chance) => halfWidthOf(rows, chance), { failureProbability, answers: groups.length });

export const fromRows: FromSums = {
  needs: ["rows"],
  read: ({ rows }, _, failureProbability) => {
    const [value, half] = [numberOf(rows), halfWidthOf(rows, failureProbability)];
    return { value, interval: countInterval(value, half) };
  },
  expected: ({ rows }, _, failureProbability) => halfWidthOf(rows, failureProbability),
};

/** A rule of one view, computed from integers that never add up. */
export const ofOwn = (view: ViewName, { read, expected }: FromSums): FromSums => ({
  needs: ["own"],
  read: ({ own }, ...rest) => read({ ...nothing, [view]: own }, ...rest),
  expected: ({ own }, ...rest) => expected({ ...nothing, [view]: own }, ...rest),
});

export const fromTotal: FromSums = {
  needs: ["sum"],
  read: ({ sum }, _, failureProbability) => {
    const [value, half] = [numberOf(sum), halfWidthOf(sum, failureProbability)];
    return { value, interval: [value - half, value + half] };
  },
  expected: ({ sum }, _, failureProbability) => halfWidthOf(sum, failureProbability),
};
