import type { DpEvent } from "../event.ts";
import { eachGaussPoint } from "../numeric/quadrature.ts";
import { logNormalDensity } from "../numeric/special.ts";
import { underRelation } from "./classes.ts";
import { mixedLoss, unmixedLoss, unmixedShare } from "./mixture.ts";
import {
  atomsProfile,
  type Direction,
  gaussianProfile,
  laplaceProfile,
  mirroredProfile,
  type Profile,
  sampledProfile,
} from "./profile.ts";
import { lower, upper } from "./rounding.ts";
import { simpleLoss } from "./simple-loss.ts";

interface Atom {
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
  /** ln of loss'(x), of a Gaussian piece and what sampling makes of one. */
  readonly logSlope?: (x: number) => number;
}

/** The distribution of the privacy loss ln(P/Q) under P of one dominating pair [M40]. */
export interface LossDistribution {
  readonly atoms: readonly Atom[];
  readonly pieces: readonly Piece[];
  /** P(L = ∞): a δ that nothing can reduce. */
  readonly infinite: number;
  /** δ(ε) of the finite part scaled to mass 1. */
  readonly profile: Profile;
}

/** A distribution of atoms; `error` as in `atomsProfile`. Atoms without mass are left out. */
export function atomicLosses(given: readonly Atom[], infinite = 0, error?: number): LossDistribution {
  const atoms = given.filter(({ mass }) => mass > 0);
  return {
    atoms,
    pieces: [],
    infinite,
    profile: atomsProfile(atoms, { infinite, ...(error === undefined ? {} : { error }) }),
  };
}

/** Randomised response with two answers: the worst ε-DP pair. */
export function pureLosses(epsilon: number, delta = 0): LossDistribution {
  const other = Math.exp(-epsilon);
  const scale = (1 - delta) / (1 + other);
  return atomicLosses(
    [
      { loss: epsilon, mass: scale },
      { loss: -epsilon, mass: other * scale },
    ],
    delta,
  );
}

function randomizedResponseLosses(epsilon: number, categories: number): LossDistribution {
  const other = Math.exp(-epsilon);
  const total = 1 + (categories - 1) * other;
  return atomicLosses([
    { loss: epsilon, mass: 1 / total },
    { loss: 0, mass: ((categories - 2) * other) / total },
    { loss: -epsilon, mass: other / total },
  ]);
}

export function laplaceLosses(epsilon: number): LossDistribution {
  return {
    atoms: [
      { loss: epsilon, mass: 0.5 },
      { loss: -epsilon, mass: 0.5 * Math.exp(-epsilon) },
    ],
    pieces: [
      {
        from: -epsilon,
        to: epsilon,
        spread: 2,
        slope: 1,
        logDensity: (x) => (x - epsilon) / 2 - 2 * Math.LN2,
        loss: (x) => x,
        inverse: (loss) => loss,
      },
    ],
    infinite: 0,
    profile: laplaceProfile(epsilon),
  };
}

/** x is the noise in standard deviations; the loss is μx + μ²/2. */
export function gaussianLosses(mu: number): LossDistribution {
  return {
    atoms: [],
    pieces: [
      {
        from: Number.NEGATIVE_INFINITY,
        to: Number.POSITIVE_INFINITY,
        spread: 1,
        slope: mu,
        logDensity: logNormalDensity,
        loss: (x) => mu * (x + mu / 2),
        inverse: (loss) => loss / mu - mu / 2,
        logSlope: () => Math.log(mu),
      },
    ],
    infinite: 0,
    profile: gaussianProfile(mu),
  };
}

/** Integer noise with mass ∝ e^{−|x|/scale}: losses (Δ − 2x)/scale for 0 ≤ x ≤ Δ, tails gathered at both ends. */
function discreteLaplaceLosses(scale: number, sensitivity: number): LossDistribution {
  const ratio = Math.exp(-1 / scale);
  const atoms: Atom[] = [{ loss: sensitivity / scale, mass: 1 / (1 + ratio) }];
  const top = -Math.expm1(-1 / scale) / (1 + ratio);
  for (let x = 1; x < sensitivity; x++) {
    atoms.push({ loss: (sensitivity - 2 * x) / scale, mass: top * Math.exp(-x / scale) });
  }
  atoms.push({ loss: -sensitivity / scale, mass: Math.exp(-sensitivity / scale) / (1 + ratio) });
  return atomicLosses(atoms);
}

/** Above this sensitivity a discrete Laplace distribution is kept on a grid of `GRID` points that dominates it. */
const MAX_STEPS = 4000;
const GRID = 2000;

/**
 * The same distribution with its atoms gathered by connect-the-dots [M46] on equally spaced losses: each cell's P- and Q-mass is a
 * geometric sum, split between the cell's ends with the rounding on the upper one.
 */
function coarseDiscreteLaplaceLosses(scale: number, sensitivity: number): LossDistribution {
  const epsilon = sensitivity / scale;
  const step = (2 * epsilon) / GRID;
  const whole = -Math.expm1(-step);
  const share = 1 / (1 + Math.exp(-1 / scale));
  const mass = new Float64Array(GRID + 1);
  mass[GRID] = share;
  mass[0] = Math.exp(-epsilon) * share;
  const atLeast = (loss: number): number => Math.max(1, Math.ceil((sensitivity - loss * scale) / 2));
  for (let j = 0; j < GRID; j++) {
    const bottom = -epsilon + j * step;
    const first = atLeast(bottom + step);
    const end = j === 0 ? sensitivity : Math.min(sensitivity, atLeast(bottom));
    if (end <= first) continue;
    const terms = -Math.expm1((first - end) / scale);
    const p = share * Math.exp(-first / scale) * terms;
    const q = share * Math.exp((end - 1 - sensitivity) / scale) * terms;
    const up = Math.min(p, Math.max(0, p - Math.exp(bottom) * q) / whole + (8e-16 * p) / whole);
    mass[j] = (mass[j] as number) + p - up;
    mass[j + 1] = (mass[j + 1] as number) + up;
  }
  return atomicLosses(
    Array.from(mass, (weight, j) => ({ loss: j === GRID ? epsilon : -epsilon + j * step, mass: weight })),
  );
}

/** Standard deviations kept on either side of a discrete Gaussian. */
const REACH = 30;

/** Integer noise with mass ∝ e^{−x²/2σ²}, cut where the mass is below 1e-190 of the centre. */
function discreteGaussianLosses(sigma: number, sensitivity: number): LossDistribution {
  const reach = Math.ceil(REACH * sigma) + sensitivity;
  const weight = (x: number): number => Math.exp(-(x * x) / (2 * sigma * sigma));
  let total = 0;
  for (let x = reach; x > 0; x--) total += 2 * weight(x); // small terms first: they keep their digits
  total += 1;
  const atoms: Atom[] = [];
  for (let x = -reach; x <= reach; x++) {
    atoms.push({ loss: (sensitivity * (sensitivity - 2 * x)) / (2 * sigma * sigma), mass: weight(x) / total });
  }
  return atomicLosses(atoms);
}

/**
 * The share γe^l/(1 − γ + γe^l) at a complex l is at most √2 times that at its real part while |Im l| ≤ π/2, and e^x times that at most
 * where the real part is moved by x: on the ellipse of a panel over which l moves by at most 1, both together are below 3 [M43].
 */
const OFF_AXIS = 3;

/** The loss of a mixture that runs the mechanism with probability `rate`: Poisson sampling under add/remove [M41]. */
export function poissonLosses(distribution: LossDistribution, rate: number, direction: Direction): LossDistribution {
  if (rate === 1) return distribution;
  const { atoms: given, infinite } = distribution;
  const mixed = (l: number): number => mixedLoss(rate, l);
  const isAdded = direction === "add";
  const atoms = given.map(({ loss, mass }) =>
    isAdded ? { loss: -mixed(-loss), mass } : { loss: mixed(loss), mass: mass * Math.exp(unmixedShare(rate, loss)) },
  );
  if (infinite > 0)
    atoms.push(
      isAdded ? { loss: -Math.log1p(-rate), mass: infinite } : { loss: Math.log1p(-rate), mass: (1 - rate) * infinite },
    );
  const pieces = distribution.pieces.map((piece): Piece => {
    const { logSlope } = piece;
    const l = piece.loss;
    const steeper = (x: number): number => {
      const towards = isAdded ? -l(x) : l(x);
      return Math.log(rate) + towards - mixed(towards);
    };
    return {
      ...piece,
      slopeOn: (from, to) => {
        const share = Math.exp(Math.max(steeper(from), steeper(to)));
        return (piece.slopeOn?.(from, to) ?? piece.slope) * Math.min(1, OFF_AXIS * share);
      },
      logDensity: isAdded ? piece.logDensity : (x) => piece.logDensity(x) + unmixedShare(rate, l(x)),
      loss: isAdded ? (x) => -mixed(-l(x)) : (x) => mixed(l(x)),
      inverse: (loss) => piece.inverse(isAdded ? -unmixedLoss(rate, -loss) : unmixedLoss(rate, loss)),
      ...(logSlope === undefined ? {} : { logSlope: (x: number) => logSlope(x) + steeper(x) }),
    };
  });
  const left = isAdded ? 0 : rate * infinite;
  if (pieces.length > 0)
    return { atoms, pieces, infinite: left, profile: sampledProfile(distribution.profile, rate, direction) };
  const largest = given.reduce((most, { loss }) => Math.max(most, Math.abs(loss)), 0);
  return atomicLosses(atoms, left, 16 + 20 * largest);
}

/**
 * The distribution of an event that has one, or undefined. Symmetric mechanisms have the same distribution both ways; an infinite mass δ
 * stands for the symmetric pair in which Q has a disjoint mass δ too.
 */
export function lossDistribution(event: DpEvent, direction: Direction): LossDistribution | undefined {
  switch (event.kind) {
    case "pure":
    case "exponential":
      return pureLosses(upper(event.epsilon));
    case "approximate":
      return pureLosses(upper(event.epsilon), upper(event.delta));
    case "randomizedResponse":
      return event.categories === undefined || event.categories === 2
        ? pureLosses(upper(event.epsilon))
        : randomizedResponseLosses(upper(event.epsilon), event.categories);
    case "laplace":
      return laplaceLosses(1 / lower(event.noiseMultiplier));
    case "gaussian":
      return gaussianLosses(1 / lower(event.noiseMultiplier));
    case "gdp":
      return gaussianLosses(upper(event.mu));
    case "discreteLaplace":
      return event.sensitivity > MAX_STEPS
        ? coarseDiscreteLaplaceLosses(lower(event.scale), event.sensitivity)
        : discreteLaplaceLosses(lower(event.scale), event.sensitivity);
    case "discreteGaussian":
      return lower(event.sigma) * REACH + event.sensitivity > MAX_ATOMS
        ? undefined
        : discreteGaussianLosses(lower(event.sigma), event.sensitivity);
    case "poissonSampled": {
      const inner = lossDistribution(underRelation(event.event, "addRemove"), "remove");
      const rate = upper(event.rate);
      if (inner === undefined || !isSymmetric(event.event)) return undefined;
      return poissonLosses(inner, rate, direction);
    }
    case "sampledWithoutReplacement": {
      const inner = lossDistribution(event.event, "remove");
      if (inner === undefined || !isSymmetric(event.event)) return undefined;
      return symmetricLosses(poissonLosses(inner, event.size / event.population, "remove"));
    }
    case "parallel":
    case "composed":
    case "repeated": {
      const { epsilon, delta, mu } = simpleLoss(event);
      if (mu < Number.POSITIVE_INFINITY) return gaussianLosses(mu);
      return epsilon < Number.POSITIVE_INFINITY ? pureLosses(epsilon, Math.min(1, delta)) : undefined;
    }
    default:
      return undefined;
  }
}

/**
 * Whether the distribution is the event's own, not one that dominates it: only then are lower bounds lower bounds. No mechanism of
 * bounded range has the losses of randomised response [M40].
 */
export function hasExactDistribution(event: DpEvent): boolean {
  if (event.kind === "exponential") return false;
  if (event.kind === "parallel" || event.kind === "composed" || event.kind === "repeated") return false;
  if (event.kind === "discreteLaplace") return event.sensitivity <= MAX_STEPS;
  return event.kind === "poissonSampled" || event.kind === "sampledWithoutReplacement"
    ? hasExactDistribution(event.event)
    : true;
}

/** A discrete Gaussian with more atoms than this is refused. */
const MAX_ATOMS = 2_000_000;

/** Whether both directions of the event have one distribution. */
export const isSymmetric = (event: DpEvent): boolean =>
  event.kind === "poissonSampled" ? upper(event.rate) === 1 && isSymmetric(event.event) : true;

/**
 * The distribution with the same losses above 0, mirrored below, and the rest at 0: the pair whose profile is γ·δ(ε) for ε' ≥ 0
 * in both directions, as sampling without replacement has under replace-one [M42].
 */
export function symmetricLosses(distribution: LossDistribution): LossDistribution {
  const above = distribution.atoms.filter(({ loss }) => loss > 0);
  const below = above.map(({ loss, mass }) => ({ loss: -loss, mass: mass * Math.exp(-loss) }));
  const pieces = distribution.pieces.map((piece) => ({ ...piece, from: Math.max(piece.from, piece.inverse(0)) }));
  const mirrored = pieces.map((piece) => ({
    ...piece,
    logDensity: (x: number) => piece.logDensity(x) - piece.loss(x),
    loss: (x: number) => -piece.loss(x),
    inverse: (l: number) => piece.inverse(-l),
  }));
  const all = [...pieces, ...mirrored];
  const placed = [...above, ...below].reduce((sum, { mass }) => sum + mass, distribution.infinite);
  const rest = 1 - all.reduce((sum, piece) => sum + massOf(piece), placed);
  return {
    atoms: [...above, ...below, { loss: 0, mass: Math.max(0, rest) }],
    pieces: all,
    infinite: distribution.infinite,
    profile: mirroredProfile(distribution.profile),
  };
}

/** The P-mass of a piece. */
function massOf(piece: Piece): number {
  const [from, to] = reach(piece, 0);
  let mass = 0;
  eachGaussPoint(from, to, Math.ceil(((to - from) / piece.spread) * 2), (x, weight) => {
    mass += weight * Math.exp(piece.logDensity(x));
  });
  return mass;
}

/** Where the density of a piece, tilted by θ, can matter: an end at infinity is drawn in to 40 deviations. */
export function reach({ from, to, slope }: Piece, theta: number): readonly [number, number] {
  return [Number.isFinite(from) ? from : -40 - slope, Number.isFinite(to) ? to : 40 + theta * slope];
}
