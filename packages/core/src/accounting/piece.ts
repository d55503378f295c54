/** A point of losses. */
export interface Atom {
  readonly loss: number;
  /** Probability under P. */
  readonly mass: number;
}

/**
 * A stretch of losses with a density: x runs over [from, to], `logDensity` is ln of the P-density in x, `loss` is
 * analytic and monotone in x, with |loss'| ≤ `slope`. The density varies on a scale of at least `spread` in x.
 */
export interface Piece {
  readonly from: number;
  readonly to: number;
  readonly spread: number;
  readonly slope: number;
  /** A bound on |loss'| near a finite stretch, also off the real axis, where the loss is that of a sample. */
  readonly slopeOn?: (from: number, to: number) => number;
  readonly logDensity: (x: number) => number;
  readonly loss: (x: number) => number;
  /** The x of a loss inside the range of `loss`. */
  readonly inverse: (loss: number) => number;
  /** ln of loss'(x), of a Gaussian piece and what sampling makes of one, and of mixtures. */
  readonly logSlope?: (x: number) => number;
  /** Whether both sides may be mixtures of Gaussians of any means. */
  readonly isMixture?: boolean;
}
