import { PrivacyError } from "../error.ts";
import type { DpEvent } from "../event.ts";
import { eachGaussPoint } from "../numeric/quadrature.ts";
import { logAdd, logNormalDensity } from "../numeric/special.ts";
import { oneSample, underRelation } from "./classes.ts";
import { holds } from "./invariants.ts";
import { isAttained, isKind, isOneWay, type KindLosses, kindLosses, sampledEvent } from "./kinds.ts";
import { mixedLoss, unmixedLoss, unmixedShare } from "./mixture.ts";
import type { Atom, Piece } from "./piece.ts";
import {
  atomsProfile,
  CompensatedSum,
  type Direction,
  gaussianProfile,
  laplaceProfile,
  mirroredProfile,
  type Profile,
  sampledProfile,
} from "./profile.ts";
import { asLower, asUpper, drawnShare, type Interval, lower, upper } from "./rounding.ts";
import { simpleLoss } from "./simple-loss.ts";

interface Masses {
  readonly atoms: readonly Atom[];
  readonly pieces: readonly Piece[];
  /** P(L = ∞), with what was cut: a δ that nothing can reduce. */
  readonly infinite: number;
  /** The part of `infinite` whose losses are finite in truth: it counts in no bound from below. */
  readonly cut: number;
  /** ln of a bound on E e^{θL} over what was cut, with all of the cut mass at least. */
  readonly cutLogMgf: (theta: number) => number;
  /** Most that a loss errs by, in roundings of itself. */
  readonly error: number;
  /** δ(ε) of the finite part scaled to mass 1. */
  readonly profile: Profile;
}

declare const whole: unique symbol;

/** The distribution of the privacy loss ln(P/Q) under P of one dominating pair [M40]. Only `wholeLosses` makes one: its masses are 1. [M317] */
export type LossDistribution = Masses & { readonly [whole]: true };

/** Rounding of a sum of atoms, and of the quadrature of pieces. */
const ROUNDING = 1e-13;
const QUADRATURE = 1e-9;

/**
 * Masses as a distribution: they must add to one, and of atoms that add to less the rest goes to infinity. UNSUPPORTED_EVENT for masses
 * that can be neither.
 */
function wholeLosses({ atoms, pieces, infinite, cut, cutLogMgf, error, profile }: Given): LossDistribution {
  const placed = new CompensatedSum();
  for (const { mass } of atoms) placed.add(mass);
  for (const piece of pieces) placed.add(massOf(piece));
  placed.add(infinite);
  const missing = 1 - placed.value;
  const isAtoms = pieces.length === 0;
  const rest = isAtoms && missing > ROUNDING ? missing : 0;
  const isWhole = infinite >= cut && cut >= 0 && Math.abs(missing - rest) <= QUADRATURE;
  if (!holds(isWhole, "the masses of a loss are one"))
    throw new PrivacyError("UNSUPPORTED_EVENT", {
      name: "events",
      got: placed.value,
      want: "an event whose losses have masses that sum to 1",
    });
  const all = Math.min(1, infinite + rest);
  const finite = profile(all);
  return {
    atoms,
    pieces,
    infinite: all,
    cut: cut + rest,
    cutLogMgf: cut + rest === 0 ? () => Number.NEGATIVE_INFINITY : rest === 0 ? cutLogMgf : UNBOUNDED,
    error,
    profile: (epsilon) => aboveUnderflow(finite(epsilon)),
  } as Masses as LossDistribution;
}

interface Given extends Omit<Masses, "profile"> {
  /** The profile of the finite part, given the mass at infinity. */
  readonly profile: (infinite: number) => Profile;
}

/** Below `SMALL` doubles lose their digits: room upwards, and no bound from below. */
const aboveUnderflow = ({ upper, lower }: Interval): Interval => ({
  upper: asUpper(upper > 0 && upper < SMALL ? upper + SMALLEST : upper, "of bounds"),
  lower: asLower(lower < SMALL ? 0 : lower, "of bounds"),
});

const SMALL = 1e-300;
const SMALLEST = 1e-320;

const UNBOUNDED = (): number => Number.POSITIVE_INFINITY;
/** Nothing is cut. */
const ALL_KEPT = { infinite: 0, cut: 0, cutLogMgf: UNBOUNDED } as const;

interface Ends {
  readonly infinite?: number;
  readonly cut?: number;
  readonly cutLogMgf?: (theta: number) => number;
  readonly error?: number;
}

/** A distribution of atoms. Atoms without mass are left out. */
export function atomicLosses(
  given: readonly Atom[],
  { infinite = 0, cut = 0, cutLogMgf = UNBOUNDED, error = 4 }: Ends = {},
): LossDistribution {
  const atoms = given.filter(({ mass }) => mass > 0);
  return wholeLosses({
    atoms,
    pieces: [],
    infinite,
    cut,
    cutLogMgf,
    error,
    profile: (all) => atomsProfile(atoms, { infinite: all, error }),
  });
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
    { infinite: delta, error: 0 },
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
  return wholeLosses({
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
    ...ALL_KEPT,
    error: 1,
    profile: () => laplaceProfile(epsilon),
  });
}

/** x is the noise in standard deviations; the loss is μx + μ²/2. */
export function gaussianLosses(mu: number): LossDistribution {
  return wholeLosses({
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
    ...ALL_KEPT,
    error: 1,
    profile: () => gaussianProfile(mu),
  });
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
  const edge = (j: number): number => -epsilon + j * step;
  /** The first x of the cell below an edge, one for both cells that meet there. */
  const atLeast = (j: number): number => Math.max(1, Math.ceil((sensitivity - edge(j) * scale) / 2));
  for (let j = 0; j < GRID; j++) {
    const bottom = edge(j);
    const first = atLeast(j + 1);
    const end = j === 0 ? sensitivity : Math.min(sensitivity, atLeast(j));
    if (end <= first) continue;
    const terms = -Math.expm1((first - end) / scale);
    const p = share * Math.exp(-first / scale) * terms;
    const q = share * Math.exp((end - 1 - sensitivity) / scale) * terms;
    const up = Math.min(p, Math.max(0, p - Math.exp(bottom) * q) / whole + (8e-16 * p) / whole);
    mass[j] = (mass[j] as number) + p - up;
    mass[j + 1] = (mass[j + 1] as number) + up;
  }
  return atomicLosses(Array.from(mass, (weight, j) => ({ loss: j === GRID ? epsilon : edge(j), mass: weight })));
}

/** Standard deviations kept on either side of a discrete Gaussian: e^{−REACH²/2} is a normal double. */
const REACH = 37;

/** Integer noise with mass ∝ e^{−x²/2σ²} at 0, and at a neighbour's `sensitivity`, cut the same way beyond both. */
export interface DiscreteGaussian {
  /** The integers kept are −reach to reach + sensitivity. */
  readonly reach: number;
  /** The mass of x around 0. */
  readonly mass: (x: number) => number;
  /** A bound on Σ of the masses from this distance on, on one side. */
  readonly tail: (from: number) => number;
  /** A bound on what is cut of either. */
  readonly cut: number;
}

/** Σ over the integers from x on is at most e^{−x²/2σ²}·(1 + σ²/x): the ratio of neighbours is at most e^{−x/σ²}. */
export function discreteGaussian(sigma: number, sensitivity: number): DiscreteGaussian {
  const reach = Math.ceil(REACH * sigma);
  const weight = (x: number): number => Math.exp(-(x * x) / (2 * sigma * sigma));
  let total = 0;
  for (let x = reach + sensitivity; x > 0; x--) total += 2 * weight(x); // small terms first: they keep their digits
  total += 1;
  const tail = (from: number): number => (weight(from) * (1 + (sigma * sigma) / from) * (1 + 1e-9)) / total;
  return { reach, mass: (x) => weight(x) / total, tail, cut: Math.max(TINIEST, 2 * tail(reach + 1)) };
}

function discreteGaussianLosses(sigma: number, sensitivity: number): LossDistribution {
  const { reach, mass, tail, cut } = discreteGaussian(sigma, sensitivity);
  const atoms: Atom[] = [];
  for (let x = -reach; x <= reach + sensitivity; x++) {
    atoms.push({ loss: (sensitivity * (sensitivity - 2 * x)) / (2 * sigma * sigma), mass: mass(x) });
  }
  const cutLogMgf = (theta: number): number => {
    // Tilted, the noise is the same around −θΔ, and no sum of it over integers is more than that around 0.
    const left = reach + 1 - theta * sensitivity;
    const share = left > 0 ? Math.min(1, tail(left) + cut) : 1;
    const rise = (theta * (theta + 1) * sensitivity * sensitivity) / (2 * sigma * sigma);
    return logAdd(rise * (1 + 1e-14) + Math.log(share), Math.log(cut));
  };
  return atomicLosses(atoms, { infinite: cut, cut, cutLogMgf });
}

/** What is cut is never nothing, however little noise: the losses have no bound. */
const TINIEST = 2 ** -1022;
/**
 * The share γe^l/(1 − γ + γe^l) at a complex l is at most √2 times that at its real part while |Im l| ≤ π/2, and e^x times that at most
 * where the real part is moved by x: on the ellipse of a panel over which l moves by at most 1, both together are below 3 [M43].
 */
const OFF_AXIS = 3;

/** The loss of a mixture that runs the mechanism with probability `rate`: Poisson sampling under add/remove [M41]. */
export function poissonLosses(distribution: LossDistribution, rate: number, direction: Direction): LossDistribution {
  if (rate === 1) return distribution;
  const { atoms: given, cut } = distribution;
  const infinite = distribution.infinite - cut;
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
  // What was cut holds as much of Q as of P, so no mixture has more of it. Its losses lie beyond all that are kept: there the mixture is at
  // most `share` of P to Q, or a ratio of 1; P to the mixture is at most 1/(1 − rate).
  const left = (isAdded ? 0 : rate * infinite) + cut;
  const finite = [
    ...given.map(({ loss }) => loss),
    ...pieces.flatMap((piece) => [piece.loss(piece.from), piece.loss(piece.to)]),
  ];
  const largest = finite.reduce((most, loss) => (Number.isFinite(loss) ? Math.max(most, Math.abs(loss)) : most), 0);
  const error = distribution.error + 16 + 20 * largest;
  const share = Math.log(rate + (1 - rate) * Math.exp(-largest)) * (1 - 1e-14);
  const lost = Math.log(2 * cut);
  const cutLogMgf = (theta: number): number =>
    isAdded
      ? Math.min(logAdd(lost, distribution.cutLogMgf(theta)), lost - theta * Math.log1p(-rate))
      : logAdd(lost, distribution.cutLogMgf(theta) + (theta + 1) * share);
  if (pieces.length > 0) {
    const profile = sampledProfile(distribution.profile, rate, direction);
    return wholeLosses({ atoms, pieces, infinite: left, cut, cutLogMgf, error, profile: () => profile });
  }
  return atomicLosses(atoms, { infinite: left, cut, cutLogMgf, error });
}

/**
 * The distribution of an event that has one, or undefined. Symmetric mechanisms have the same distribution both ways; an infinite mass δ
 * stands for the symmetric pair in which Q has a disjoint mass δ too.
 */
export function lossDistribution(event: DpEvent, direction: Direction): LossDistribution | undefined {
  if (isKind(event)) return kindDistribution(kindLosses(event, direction, "above"), direction);
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
      return 2 * lower(event.sigma) * REACH + event.sensitivity > MAX_ATOMS
        ? undefined
        : discreteGaussianLosses(lower(event.sigma), event.sensitivity);
    case "poissonSampled": {
      const one = oneSample(event);
      const base = sampledEvent(one.event);
      const inner = lossDistribution(underRelation(base, "addRemove"), "remove");
      const rate = upper(one.rate);
      if (inner === undefined || !isSymmetric(base)) return undefined;
      return poissonLosses(inner, rate, direction);
    }
    case "sampledWithoutReplacement": {
      const base = sampledEvent(event.event);
      const inner = lossDistribution(base, "remove");
      if (inner === undefined || !isSymmetric(base)) return undefined;
      return symmetricLosses(poissonLosses(inner, upper(drawnShare(event)), "remove"));
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

/** Losses that the event has on some data, and so no more than it has: its own where they are known [M59]; undefined where none are. */
export function attainedDistribution(event: DpEvent, direction: Direction): LossDistribution | undefined {
  if (isKind(event)) return kindDistribution(kindLosses(event, direction, "below"), direction);
  return hasExactDistribution(event) ? lossDistribution(event, direction) : undefined;
}

/** What a row of the table of kinds gives: another event, or losses. */
function kindDistribution(found: KindLosses | undefined, direction: Direction): LossDistribution | undefined {
  if (found === undefined) return undefined;
  if ("kind" in found) return lossDistribution(found, direction);
  if ("pieces" in found)
    return wholeLosses({ ...found, atoms: [], ...ALL_KEPT, error: 16, profile: () => found.profile });
  const { atoms, infinite = 0 } = found;
  return atomicLosses(atoms, { infinite, cut: infinite, error: 64 });
}

/**
 * Whether the distribution is the event's own, not one that dominates it: only then are lower bounds lower bounds. No mechanism of
 * bounded range has the losses of randomised response [M40].
 */
export function hasExactDistribution(event: DpEvent): boolean {
  if (event.kind === "exponential") return false;
  if (isKind(event)) return isAttained(event);
  if (event.kind === "parallel" || event.kind === "composed" || event.kind === "repeated") return false;
  if (event.kind === "discreteLaplace") return event.sensitivity <= MAX_STEPS;
  return event.kind === "poissonSampled" || event.kind === "sampledWithoutReplacement"
    ? !isKind(event.event) && hasExactDistribution(event.event)
    : true;
}

/** A discrete Gaussian with more atoms than this is refused. */
const MAX_ATOMS = 5_000_000;

/** Whether both directions of the event have one distribution. */
export const isSymmetric = (event: DpEvent): boolean =>
  isKind(event)
    ? isOneWay(event)
    : event.kind === "poissonSampled"
      ? upper(event.rate) === 1 && isSymmetric(event.event)
      : true;

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
  const profile = mirroredProfile(distribution.profile);
  const { infinite, cut, cutLogMgf, error } = distribution;
  return wholeLosses({
    atoms: [...above, ...below, { loss: 0, mass: Math.max(0, rest) }],
    pieces: all,
    infinite,
    cut,
    cutLogMgf,
    error,
    profile: () => profile,
  });
}

/** The P-mass of a piece: of a long one within `FAR_IN` spreads of its ends, where its noise lies under P and under Q. */
function massOf(piece: Piece): number {
  const [from, to] = reach(piece, 0);
  const far = FAR_IN * piece.spread;
  const isShort = to - from <= 2 * far;
  const ends = [
    [from, isShort ? to : from + far],
    [isShort ? to : to - far, to],
  ] as const;
  let mass = 0;
  for (const [a, b] of ends) {
    eachGaussPoint(a, b, Math.ceil(((b - a) / piece.spread) * 2), (x, weight) => {
      mass += weight * Math.exp(piece.logDensity(x));
    });
  }
  return mass;
}

const FAR_IN = 80;

/** Where the density of a piece, tilted by θ, can matter: an end at infinity is drawn in to 40 deviations. */
export function reach({ from, to, slope }: Piece, theta: number): readonly [number, number] {
  return [Number.isFinite(from) ? from : -40 - slope, Number.isFinite(to) ? to : 40 + theta * slope];
}
