import type { GroupKey } from "../plan/bounded.ts";
import type { Bin } from "../plan/task.ts";

export type Interval = readonly [number, number];

export interface AnswerCell {
  /** Values of the grouping columns; `{}` when nothing is grouped. */
  readonly group: GroupKey;
  readonly bin?: Bin;
  readonly value: number;
  /** Contains the bounded, clamped, rounded answer without noise, with the answer's confidence. */
  readonly interval: Interval;
  /** The released integers themselves, in ticks, as text: one, the pair (S1, S2) of a mean, the number of a chosen leaf. */
  readonly noisy: readonly string[];
  /** Quantiles: at most this many rows lie between the value and the truth, with the answer's confidence. */
  readonly rank?: number;
  readonly rows?: { readonly value: number; readonly interval: Interval };
  /** Regression: of the noise and of drawing these people from a larger population, together. */
  readonly standardError?: number;
  readonly unreliable?: true;
  /** The answer made to agree with the others of its release; the raw one stays next to it. */
  readonly consistent?: { readonly value: number; readonly interval: Interval };
}
