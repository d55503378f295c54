import type { DeltaAmount, DpEvent, EpsilonAmount, Rational, ResidueAmount } from "@dosimeter/core";
import type { Adjacency, Declaration, Key } from "./declaration.ts";
import type { Design } from "./design.ts";
import type { Formula } from "./expression/formula.ts";
import type { KeyRule } from "./key-selection.ts";
import type { Predicate } from "./predicate.ts";
import type { SampleRequest, Sampling } from "./sample.ts";
import type { StatisticName } from "./statistics.ts";
import type { TreeShape } from "./tree.ts";

/** A decimal as a number or as text: 0.3 and "0.3" are the same exact amount. */
export type DecimalInput = string | number;

/** One row of a plan, as a person, a file or a page writes it. */
export interface StatisticRequest {
  /** Names the row in answers and receipts; `s1`, `s2`, … when absent. */
  readonly id?: string;
  readonly statistic: StatisticName;
  readonly column?: string;
  /** Covariance, correlation, regression: the other column, or all predictors. */
  readonly with?: string | readonly string[];
  /** Distinct values: how many different ones of each privacy unit count; 1 when absent. */
  readonly valuesPerUnit?: number;
  /** Narrower or wider clamping bounds than the column declares; public, chosen without looking at the data. */
  readonly lower?: number;
  readonly upper?: number;
  readonly granularity?: number;
  /** Sum by unit: bounds of one privacy unit's total in one group; the column's own bounds when absent. */
  readonly unitLower?: number;
  readonly unitUpper?: number;
  /** Histogram of numbers: how many bins of equal width, or the edges in rising order. Cumulative counts: at most so many steps. */
  readonly bins?: number | readonly number[];
  /** Shares from 0 to 1: 0.5 is the median; the quartiles when absent. */
  readonly quantiles?: readonly number[];
  /** Columns whose declared values are the groups; every combination gets an answer, empty ones too. */
  readonly groupBy?: readonly string[];
  /** `select`: the groups are those values of the grouping column that enough people share; nobody has to declare them. */
  readonly keys?: "select";
  /** Or they are the groups that an earlier row of the plan selects, at no further cost. */
  readonly keysFrom?: string;
  /** Share of the price that selects the groups; a quarter when absent. */
  readonly keyShare?: DecimalInput;
  /** Probability, over everything, that a value of too few people is published. */
  readonly delta?: DecimalInput;
  /** Values shared by fewer people than this are never published. */
  readonly atLeast?: number;
  /** Most frequent values: how many. */
  readonly k?: number;
  readonly where?: Predicate | string;
  /**
   * `laplace` is paid in epsilon, `gaussian` in rho; the amount given decides when this is absent. `auto` takes the one with the
   * smaller error: Laplace for epsilon, either for rho, never charged more than the rho [M124].
   */
  readonly noise?: NoiseChoice;
  readonly epsilon?: DecimalInput;
  readonly rho?: DecimalInput;
}

export type NoiseFamily = "laplace" | "gaussian";
export type NoiseChoice = NoiseFamily | "auto";
/** How an answer was protected: noise on integers, or a choice among declared values. */
export type Mechanism = NoiseFamily | "selection";

export interface Plan {
  /** Derived columns by name, as text or JSON: {age10: "cut(age, 10)"}. Statistics, filters and groups may use them [M123]. */
  readonly let?: Readonly<Record<string, string | Formula>>;
  readonly statistics: readonly StatisticRequest[];
  /** Every statistic is measured on a secret sample of its own; answers are told for the whole table [M128]. */
  readonly sample?: SampleRequest;
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
  /** The value a fixed number of rows from an end, not a share of all rows away. */
  readonly extreme: boolean;
}

/** Groups that are found in rows and published only where enough units share them. */
export interface KeySelection {
  readonly column: string;
  /** Values that can be found: those declared, any text, or any whole number. */
  readonly among: readonly Key[] | "text" | "integer";
  readonly unit: "row" | "column";
  /** Id of the row of the plan whose groups these are; null: this row selects them. */
  readonly from: string | null;
  /** Null where the groups come from another row. */
  readonly rule: KeyRule | null;
  /** Most groups that one neighbour can change. */
  readonly changes: number;
  readonly atLeast: number;
  readonly delta: DeltaAmount;
  /** What the row is paid in: a Gaussian threshold may be paid in ε and δ. */
  readonly family: NoiseFamily;
  /** What the row costs in all, in units of ε or μ²; `noise` is what is left for the answers. */
  readonly units: bigint;
  readonly share: Rational;
  /** The noisy numbers of units are the answers. */
  readonly counts: boolean;
}

/** Cumulative counts: leaves of `ticksPerLeaf` ticks each, noised in a tree. */
export interface Curve {
  readonly leaves: number;
  readonly ticksPerLeaf: bigint;
  readonly shape: TreeShape;
}

/** The k most frequent groups; `chosen` one after another without their counts, or read off noisy counts of all. */
export interface Top {
  readonly k: number;
  readonly chosen: boolean;
  /** What one unit can change in a comparison of two of them. */
  readonly perChoice: bigint;
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
  /** At least one: `{}` when nothing is grouped; none where they are selected. */
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
  /** Derived columns that it reads, by name, as text; absent where there are none. */
  readonly derived?: Readonly<Record<string, string>>;
  /** Not null: several columns are measured together. */
  readonly design: Design | null;
  /** Different values of one unit that count; null unless values are counted. */
  readonly valuesPerUnit: number | null;
  /** Those values are texts, not whole numbers. */
  readonly textValues: boolean;
  /** Units with more rows than this are counted; null for every other statistic. */
  readonly mostRows: number | null;
  /** Not null: the noise is that of a choice among leaves; `noise.scale` is then K/ε, in rows. */
  readonly selection: Selection | null;
  readonly keys: KeySelection | null;
  readonly curve: Curve | null;
  readonly top: Top | null;
  /** Absent unless it is measured on a sample. */
  readonly sampling?: Sampling;
  readonly events: readonly DpEvent[];
}

export interface BoundedPlan {
  readonly declaration: Declaration;
  readonly adjacency: Adjacency;
  readonly confidence: number;
  readonly statistics: readonly BoundedStatistic[];
}
