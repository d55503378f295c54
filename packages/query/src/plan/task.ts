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

/** Levels of a tree over a row of leaves, coarsest first; a node covers `FAN_OUT` nodes below it, the last one what is left. */
export interface TreeShape {
  /** Nodes of each level; the last is the number of leaves. There is no root: its total is the sum of the first level. */
  readonly sizes: readonly number[];
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

/** One measured column: clamped to its bounds and put on a grid of whole steps, 0 … steps. */
export interface Axis {
  readonly column: string;
  readonly lower: number;
  readonly upper: number;
  readonly steps: bigint;
}

/**
 * Which integers stand for a row of several columns. `tensor`: products of (S − t)², 2t(S − t), t² of each column, non-negative
 * with a constant sum. `gram`: products of two of z = (S, 2t₁ − S, 2t₂ − S, …), one grid for all columns. [M120]
 */
export interface Design {
  readonly kind: "tensor" | "gram";
  readonly axes: readonly Axis[];
  /** All integers are multiplied by it, so that noise of less than one integer is nothing beside a row. */
  readonly fine: bigint;
}

/** How often each column is a factor: [1, 0, 1] is the product of the first and the third. */
export type Exponents = readonly number[];
