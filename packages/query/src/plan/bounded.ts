import type {
  BlockRange,
  DeltaAmount,
  DpEvent,
  EpsilonAmount,
  EventAdjacency,
  Mu2Amount,
  Rational,
} from "@dosimeter/core";
import type { Declaration, UnitNoun } from "../declaration/declaration.ts";
import type { Join } from "../declaration/join-type.ts";
import type { Key } from "../declaration/key.ts";
import type { Predicate } from "../declaration/predicate.ts";
import { cellsPerGroup, type Task } from "./task.ts";

/** A decimal as a number or as text: 0.3 and "0.3" are the same exact amount. */
export type DecimalInput = string | number;

export type NoiseFamily = "laplace" | "gaussian";
export type NoiseChoice = NoiseFamily | "auto";
/** What a row is paid in. */
export interface PriceRequest {
  /**
   * `laplace` has a price in epsilon, `gaussian` one in rho; without `noise` the given amount decides. `auto` takes the
   * noise with the smaller error: Laplace for epsilon, either one for rho, never at a higher charge than the rho
   * [M124].
   */
  readonly noise?: NoiseChoice;
  readonly epsilon?: DecimalInput;
  readonly rho?: DecimalInput;
}

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
  | { readonly kind: "gaussian"; readonly mu2: Mu2Amount; readonly sigma: Rational };

/**
 * How keys that no one declared are published: a key shared by n units, n + noise > `threshold`, and then n + noise with it.
 * `truncated`: discrete Laplace noise of this scale within ±threshold [M112]; `gaussian`: rounded Gaussian noise [M113].
 */
export type KeyRule =
  | { readonly kind: "truncated"; readonly scale: Rational; readonly threshold: number }
  | { readonly kind: "gaussian"; readonly sigma: Rational; readonly threshold: number };

interface FoundKeys {
  readonly column: string;
  /** Values that can be found: those declared, any text, or any whole number. */
  readonly among: readonly Key[] | "text" | "integer";
  readonly unit: "row" | "column";
  /** Most values that the table may hold, by its declaration: time and memory are those of all of them, whatever is found [M210]. */
  readonly most: number;
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

/** Groups that are found in rows and published only where enough units share them: this row selects them by `rule`, or the row `from` of the plan does. */
export type KeySelection = FoundKeys &
  ({ readonly from: null; readonly rule: KeyRule } | { readonly from: string; readonly rule: null });

/** A secret sample, drawn again for every statistic of every run: each unit with a chance, or a fixed number of rows. */
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

/** The most rows of one unit that count, over all cells, and the declared bounds that this follows from. The engine enforces it. */
export interface Contribution {
  readonly rows: number;
  readonly bound: {
    readonly rows: number | null;
    readonly groups: number | null;
    readonly rowsPerGroup: number | null;
  };
}

/** Bounds of a row that are tighter than those of its column, and how it says so: it asks another question [M350]. */
export interface Caps {
  readonly text: string;
  /** Of the column; null where it has none. */
  readonly declared: { readonly lower: number | null; readonly upper: number | null };
}

/** A statistic that has been proved bounded: everything the engine, the ledger and the noise need; holds no data. */
export interface BoundedStatistic<T extends Task = Task> {
  readonly id: string;
  /** `statistics[2]`: for messages. */
  readonly path: string;
  /** A name of the registry. */
  readonly statistic: string;
  readonly label: string;
  readonly column: string | null;
  readonly where: Predicate | null;
  /** Says that no declared value fits the filter; absent where some may. */
  readonly noOne?: string;
  /** The part of all rows that fits the filter, if declared values are held evenly; for quotes alone, absent without a filter. */
  readonly part?: number;
  readonly groupBy: readonly string[];
  /** At least one: `{}` when nothing is grouped; none where they are found. */
  readonly groups: readonly GroupKey[];
  /** Present where the groups are found in rows. */
  readonly keys?: KeySelection;
  readonly task: T;
  /** Absent where values count within the bounds of their column, or there are none. */
  readonly caps?: Caps;
  readonly contribution: Contribution;
  readonly sensitivity: Sensitivity;
  readonly noise: Noise;
  /** Of a step of a running total that goes on: what its newest block pays, for it and all steps to come; absent where the noise says it [M209]. */
  readonly pays?: Mu2Amount;
  /** What the protected units are called, where they are no people. */
  readonly noun?: UnitNoun;
  /** The unit of its error, where that is the one of its column. */
  readonly unit?: string;
  /** Derived columns that it reads, by name, as text; absent where there are none. */
  readonly derived?: Readonly<Record<string, string>>;
  /** Columns of its groups and bins that a row may have no declared value of; absent where there are none. */
  readonly undeclared?: readonly string[];
  /** Categories of its filter that a row may have no declared value of, and whether such a row is left out for certain; absent where there are none. */
  readonly filtered?: readonly { readonly column: string; readonly isOut: boolean }[];
  /** The other table that it reads; absent where it reads none. */
  readonly join?: Join;
  /** The blocks whose rows it reads, in rising order; absent where the population has none. */
  readonly window?: readonly BlockRange[];
  /** These blocks are cohorts of people [M170]. */
  readonly ofCohorts?: boolean;
  /** Absent unless it is measured on a sample. */
  readonly sampling?: Sampling;
  readonly events: readonly DpEvent[];
}

export interface BoundedPlan {
  readonly declaration: Declaration;
  readonly adjacency: EventAdjacency;
  readonly confidence: number;
  /** The blocks that it is charged to: those that it reads, or the newest of them where earlier reports paid for the others. Absent where the population has none. */
  readonly window?: readonly BlockRange[];
  readonly statistics: readonly BoundedStatistic[];
}

/** Cells whose integers an engine measures: every bin or leaf of every group; of found groups, those of one. */
export const measuredCells = (statistic: Pick<BoundedStatistic, "groups" | "keys" | "task">): number =>
  (statistic.keys === undefined ? statistic.groups.length : 1) * cellsPerGroup(statistic);
