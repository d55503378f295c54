import type { DeltaAmount, DpEvent, EpsilonAmount, Mu2Amount, Rational } from "@dosimeter/core";
import type { Adjacency, Declaration } from "../declaration/declaration.ts";
import type { Key } from "../declaration/key.ts";
import type { Predicate } from "../declaration/predicate.ts";
import type { Curve, Design, Selection, Top } from "./task.ts";

/** A decimal as a number or as text: 0.3 and "0.3" are the same exact amount. */
export type DecimalInput = string | number;

export type NoiseFamily = "laplace" | "gaussian";
export type NoiseChoice = NoiseFamily | "auto";
/** How an answer was protected: noise on integers, or a choice among declared values. */
export type Mechanism = NoiseFamily | "selection";

/** Largest change of the measured integers between neighbours; `l2Squared` because it is an integer and the norm is not. */
export interface Sensitivity {
  readonly l1: bigint;
  readonly l2Squared: bigint;
  readonly linf: bigint;
}

/** The noise on each measured integer. `scale` is Δ1/ε; `sigma` is at least Δ2/√(2ρ). Both exact. */
export type Noise =
  | { readonly kind: "laplace"; readonly epsilon: EpsilonAmount; readonly scale: Rational }
  | { readonly kind: "gaussian"; readonly residue: Mu2Amount; readonly sigma: Rational };

/**
 * How keys that nobody declared are published: a key shared by n units, n + noise > `threshold`, and then n + noise with it.
 * `truncated`: discrete Laplace noise of this scale within ±threshold [M112]; `gaussian`: rounded Gaussian noise [M113].
 */
export type KeyRule =
  | { readonly kind: "truncated"; readonly scale: Rational; readonly threshold: number }
  | { readonly kind: "gaussian"; readonly sigma: Rational; readonly threshold: number };

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

/** A secret sample, drawn anew for every statistic of every run: each unit with a chance, or a fixed number of rows. */
export type SampleRequest = { readonly rate: DecimalInput } | { readonly size: number };

export type Sampling =
  | {
      readonly kind: "poisson";
      readonly rate: Rational;
      /** Units whose 60 bits are below it. */
      readonly below: bigint;
    }
  | { readonly kind: "fixed"; readonly size: number; readonly population: number };

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
  readonly statistic: string;
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
