import type { Cost } from "../noise/noise.ts";
import type { Mechanism } from "../plan/bounded.ts";
import type { AnswerCell } from "../statistics/cell.ts";
import type { StatisticName } from "../statistics/registry.ts";
import type { ReleasedTable } from "../statistics/released.ts";

interface AnswerOrigin {
  readonly kind: "same" | "pooled" | "derived" | "refined";
  readonly from: readonly { readonly release: string; readonly row: string }[];
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
  /** `spread` is the scale of discrete Laplace noise or σ of rounded Gaussian noise, in ticks, as an exact fraction; for a choice K/ε, in rows. */
  readonly noise: { readonly kind: Mechanism; readonly spread: string };
  /** What one tick is worth in the column's unit; null for counts. */
  readonly tick: string | null;
  readonly cells: readonly AnswerCell[];
  /** Cumulative counts: the largest error of the whole curve, in rows. */
  readonly simultaneous?: number;
  readonly notes: readonly string[];
  readonly table?: ReleasedTable;
  /** Reused, derived or refined; absent: drawn for this release alone. */
  readonly origin?: AnswerOrigin | undefined;
  /** The fresh draw of a refined answer alone. */
  readonly raw?: readonly AnswerCell[] | undefined;
}
