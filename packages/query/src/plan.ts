import type { DpEvent, EpsilonAmount, Rational, ResidueAmount } from "@dosimeter/core";
import type { Adjacency, Declaration, Key } from "./declaration.ts";
import type { Predicate } from "./predicate.ts";
import type { StatisticName } from "./statistics.ts";

/** A decimal as a number or as text: 0.3 and "0.3" are the same exact amount. */
export type DecimalInput = string | number;

/** One row of a plan, as a person, a file or a page writes it. */
export interface StatisticRequest {
  /** Names the row in answers and receipts; `s1`, `s2`, … when absent. */
  readonly id?: string;
  readonly statistic: StatisticName;
  readonly column?: string;
  /** Narrower or wider clamping bounds than the column declares; public, chosen without looking at the data. */
  readonly lower?: number;
  readonly upper?: number;
  readonly granularity?: number;
  /** Sum by unit: bounds of one privacy unit's total in one group; the column's own bounds when absent. */
  readonly unitLower?: number;
  readonly unitUpper?: number;
  /** Histogram of numbers: how many bins of equal width, or the edges in rising order. */
  readonly bins?: number | readonly number[];
  /** Shares from 0 to 1: 0.5 is the median; the quartiles when absent. */
  readonly quantiles?: readonly number[];
  /** Columns whose declared values are the groups; every combination gets an answer, empty ones too. */
  readonly groupBy?: readonly string[];
  readonly where?: Predicate | string;
  /** `laplace` is paid in epsilon, `gaussian` in rho; the amount given decides when this is absent. */
  readonly noise?: NoiseFamily;
  readonly epsilon?: DecimalInput;
  readonly rho?: DecimalInput;
}

export type NoiseFamily = "laplace" | "gaussian";
/** How an answer was protected: noise on integers, or a choice among declared values. */
export type Mechanism = NoiseFamily | "selection";

export interface Plan {
  readonly statistics: readonly StatisticRequest[];
  /** Probability with which each stated error and interval holds; 0.95 when absent. */
  readonly confidence?: number;
  /** Checked against the declaration where given: a plan made for other neighbours is refused. */
  readonly adjacency?: Adjacency;
}

/** Largest change of the measured integers between neighbours; `l2Squared` because it is an integer and the norm is not. */
export interface Sensitivity {
  readonly l1: bigint;
  readonly l2Squared: bigint;
  readonly linf: bigint;
}

/** The noise on each measured integer. `scale` is Δ1/ε; `sigma` is at least Δ2/√(2ρ). Both exact. */
export type Noise =
  | { readonly kind: "laplace"; readonly epsilon: EpsilonAmount; readonly scale: Rational }
  | { readonly kind: "gaussian"; readonly residue: ResidueAmount; readonly sigma: Rational };

/** What is chosen instead of noised: leaves of `ticksPerLeaf` ticks each, one for every target share. */
export interface Selection {
  readonly leaves: number;
  readonly ticksPerLeaf: bigint;
  /** Each leaf counts as this many candidates; 1 for a single target. */
  readonly parts: number;
  /** In rising order; `numerator`/`denominator` is the share, exactly. */
  readonly targets: readonly { readonly share: number; readonly numerator: bigint }[];
  readonly denominator: bigint;
}

/** One declared group: the values of the grouping columns, in their order; empty when nothing is grouped. */
export type GroupKey = Readonly<Record<string, Key>>;

/** A declared bin. Numbers: `lower` ≤ x < `upper`, closed above in the last; integers: both ends belong. */
export type Bin =
  | { readonly label: string; readonly lower: number; readonly upper: number }
  | { readonly label: string; readonly value: Key };

/** value = `origin` + `step` · tick: how measured integers become the column's own unit. `steps` ticks from lower to upper. */
export interface Ticks {
  readonly lower: Rational;
  readonly step: Rational;
  /** Lower bound in ticks of 0: signed sums add integers in [first, first + steps]. */
  readonly first: bigint;
  readonly steps: bigint;
}

/** Enforced K: what one unit can add over all cells, in rows, and the bounds it follows from. */
export interface Contribution {
  readonly rows: number;
  readonly bound: {
    readonly rows: number | null;
    readonly groups: number | null;
    readonly rowsPerGroup: number | null;
  };
}

/** A statistic that has been proved bounded: everything the engine, the ledger and the noise need; holds no data. */
export interface BoundedStatistic {
  readonly id: string;
  /** `statistics[2]`: for messages. */
  readonly path: string;
  readonly statistic: StatisticName;
  readonly label: string;
  readonly column: string | null;
  readonly where: Predicate | null;
  readonly groupBy: readonly string[];
  /** At least one: `{}` when nothing is grouped. */
  readonly groups: readonly GroupKey[];
  /** Empty unless a histogram. */
  readonly bins: readonly Bin[];
  readonly ticks: Ticks | null;
  /** Clamping bounds as used. */
  readonly lower: number | null;
  readonly upper: number | null;
  /** The public number of rows, where it makes the statistic cheaper (replace-one, unit row, nothing filtered or missing). */
  readonly publicRows: number | null;
  readonly contribution: Contribution;
  readonly sensitivity: Sensitivity;
  readonly noise: Noise;
  /** Bounds of one unit's total in one group, in ticks from 0; null unless totals are clamped. */
  readonly unitTicks: { readonly least: bigint; readonly largest: bigint } | null;
  /** Not null: the noise is that of a choice among leaves; `noise.scale` is then K/ε, in rows. */
  readonly selection: Selection | null;
  readonly events: readonly DpEvent[];
}

export interface BoundedPlan {
  readonly declaration: Declaration;
  readonly adjacency: Adjacency;
  readonly confidence: number;
  readonly statistics: readonly BoundedStatistic[];
}
