import type { Composition } from "./composition.ts";
import { latticePeriod, type SumBounds } from "./contour.ts";
import { commonSpacing, latticeDistribution } from "./lattice.ts";
import { type LatticeClass, latticeSum } from "./lattice-sum.ts";
import { gaussianLosses, type LossDistribution, reach } from "./loss-distribution.ts";
import { asLower, asUpper } from "./rounding.ts";
import type { Saddle } from "./saddle.ts";

export interface LatticeOptions {
  /**
   * Distance of the points; by default as fine as the work allows, and a divisor of the spacing of the atoms where they
   * have one.
   */
  readonly step?: number;
  /** log₂ of the largest number of points. */
  readonly longest?: number;
}

export interface LatticeProfile {
  readonly delta: (epsilon: number) => SumBounds;
  /** Estimate of how much ε is overstated. */
  readonly excess: number;
}

interface Source {
  readonly distribution: LossDistribution;
  readonly count: number;
}

interface Grid {
  readonly step: number;
  readonly isExact: boolean;
}

/** Relative overstatement of ε below which the points need not be finer; more where δ is below 1e-40. */
const ENOUGH = 3e-8;
const ENOUGH_FAR = 1e-5;
const FAR = Math.log(1e-40);

/** ln of the P-mass that a lattice may push to ∞, relative to δ. */
const TAIL = Math.log(1e-15);

/** A composition by connect-the-dots, tilted near the saddle [M46]; it computes nothing before the first question. */
export function composedLattice(part: Composition, saddle: Saddle, options: LatticeOptions): LatticeProfile {
  const sources = distributionsOf(part);
  const { theta, period, aliases: aliasesOver } = latticePeriod(part, saddle);
  const longest = 2 ** (options.longest ?? Math.max(12, 17 - Math.ceil(Math.log2(sources.length))));
  const fine = (length: number): Grid => chooseGrid(sources, period, { longest: length, step: options.step });
  const aim = saddle.logDelta < FAR ? ENOUGH_FAR : ENOUGH;
  let length = Math.min(longest, 2 ** 13);
  let grid = fine(length);
  while (length < longest && estimate(grid) > aim * Math.abs(saddle.epsilon)) {
    length *= 2;
    grid = fine(length);
  }
  const negligible = Math.exp(Math.max(-690, Math.min(0, saddle.logDelta) + TAIL)) / Math.max(1, part.spends);
  const splits = splitsOf(grid);
  const h = grid.step;
  let built: ReturnType<typeof build> | undefined;
  return {
    excess: estimate(grid),
    delta(epsilon) {
      built ??= build();
      const { sum, extra, aliases } = built;
      const { upper, margin } = sum.delta(epsilon);
      const high = extra + (1 - extra) * upper;
      const slack = margin + aliases(epsilon);
      return {
        upper: asUpper(high, 2),
        lower: asLower(splits > 0 ? lowerOf(built, epsilon, high) : Math.max(0, upper - slack), 2),
        slack,
      };
    },
  };

  /** How many spends have mass between the points. */
  function splitsOf(of: Grid): number {
    return sources.reduce((sum, { distribution, count }) => sum + (isOnGrid(distribution, of) ? 0 : count), 0);
  }

  function estimate(of: Grid): number {
    return (splitsOf(of) * of.step * of.step * (1 + theta)) / 12;
  }

  function build() {
    const classes: LatticeClass[] = sources.map(({ distribution, count }) => {
      const offset = grid.isExact ? (distribution.atoms[0]?.loss ?? 0) : 0;
      part.work.spend(CELL_WORK * cellsOf(distribution, h));
      return { distribution: latticeDistribution(distribution, { step: h, offset, negligible }), count, offset };
    });
    let size = 2;
    while (size * h < period) size *= 2;
    let logFinite = 0;
    classes.forEach(({ distribution, count }, i) => {
      const own = (sources[i] as Source).distribution.infinite;
      logFinite += count * (Math.log1p(-distribution.infinite) - Math.log1p(-own));
    });
    return {
      sum: latticeSum(classes, { theta, step: h, size, work: part.work }),
      extra: -Math.expm1(logFinite),
      aliases: aliasesOver(size * h),
    };
  }

  /** The points overstate each split loss by at most h, and on average by at most h²/8 [M46]: Hoeffding's bound on the sum. */
  function lowerOf({ sum, extra, aliases }: ReturnType<typeof build>, epsilon: number, upper: number): number {
    let best = 0;
    for (const share of [0.3, 0.01]) {
      const failure = upper * share;
      if (!(failure > 0)) break;
      const shift = (splits * h * h * (1 + h)) / 8 + h * Math.sqrt((-splits * Math.log(failure)) / 2);
      const { upper: high, margin } = sum.delta(epsilon + shift);
      best = Math.max(best, high - margin - aliases(epsilon + shift) - failure - extra);
    }
    return best;
  }
}

function distributionsOf(part: Composition): readonly Source[] {
  const sources: Source[] = part.sources.filter(({ mu }) => mu === undefined);
  return part.muSquared > 0
    ? [...sources, { distribution: gaussianLosses(Math.sqrt(part.muSquared)), count: 1 }]
    : sources;
}

/** Longest table of one distribution. */
const MAX_POINTS = 2 ** 22;

/** Units of one cell: three points of a density, or one atom. */
const CELL_WORK = 20;

/** About how many cells and atoms a distribution has on a lattice. */
const cellsOf = (distribution: LossDistribution, step: number): number =>
  distribution.atoms.length + (distribution.pieces.length === 0 ? 0 : spanOf([{ distribution }]) / step);

/** The widest finite range of losses that one distribution puts on its lattice. */
function spanOf(sources: readonly Pick<Source, "distribution">[]): number {
  let widest = 0;
  for (const { distribution } of sources) {
    for (const { loss } of distribution.atoms) widest = Math.max(widest, 2 * Math.abs(loss));
    for (const piece of distribution.pieces) {
      const [from, to] = reach(piece, 0);
      widest = Math.max(widest, Math.abs(piece.loss(to) - piece.loss(from)));
    }
  }
  return widest;
}

function chooseGrid(
  sources: readonly Source[],
  period: number,
  { longest, step }: { readonly longest: number; readonly step: number | undefined },
): Grid {
  const finest = Math.max(period / longest, spanOf(sources) / MAX_POINTS);
  if (step !== undefined) return { step, isExact: false };
  const gaps = sources.flatMap(({ distribution }) =>
    distribution.atoms.slice(1, SAMPLE).map(({ loss }) => Math.abs(loss - (distribution.atoms[0]?.loss ?? 0))),
  );
  const spacing = commonSpacing(
    gaps.filter((gap) => gap >= finest),
    finest,
  );
  if (spacing === undefined) return { step: finest, isExact: false };
  const whole = { step: spacing, isExact: true };
  if (sources.every(({ distribution }) => isOnGrid(distribution, whole))) return whole;
  return { step: spacing / Math.max(1, Math.floor(spacing / finest)), isExact: true };
}

/** Atoms of a distribution that are looked at for a common spacing. */
const SAMPLE = 400;

/** Whether all the mass of a distribution lies on points counted from its first atom. */
function isOnGrid({ atoms, pieces }: LossDistribution, { step, isExact }: Grid): boolean {
  if (!isExact || pieces.length > 0) return false;
  const first = atoms[0]?.loss ?? 0;
  return atoms.every(({ loss }) => {
    const gap = loss - first;
    return Math.abs(gap - Math.round(gap / step) * step) <= 1e-11 * Math.max(Math.abs(gap), step);
  });
}
