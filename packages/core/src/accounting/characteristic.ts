import type { DpEvent } from "../event.ts";
import { unboundedWork, type Work } from "../work.ts";
import type { SpendClass } from "./classes.ts";
import { holds, isOne } from "./invariants.ts";
import { isKind } from "./kinds.ts";
import { isSymmetric, type LossDistribution, lossDistribution } from "./loss-distribution.ts";
import { countNodes, NO_NODES, type TiltedNodes, tiltedNodes } from "./nodes.ts";
import type { Piece } from "./piece.ts";
import type { Direction } from "./profile.ts";
import { lower } from "./rounding.ts";

/** Running ln |F|, arg F and relative error of F at z = θ + i·k·step, for F the product of tilted transforms. */
export interface Spectrum {
  readonly step: number;
  readonly log: Float64Array;
  readonly arg: Float64Array;
  readonly error: Float64Array;
}

/** The transform M(z) = E e^{zL} of one class of spends, in one direction [M43]. */
export interface Characteristic {
  readonly count: number;
  /** Sines and cosines per frequency, up to this frequency, at a tilt; ∞ where they are too many. */
  readonly work: (theta: number, frequency: number) => number;
  /** P(L = ∞) of one spend. */
  readonly infinite: number;
  /** The largest finite loss of one spend; ∞ where there is none. */
  readonly largest: number;
  /** Most that it errs by, in roundings of itself. */
  readonly error: number;
  /** ln M(θ) of one spend, of its finite part scaled to mass 1. */
  readonly logMgf: (theta: number) => number;
  /** Multiplies (M(θ + iy)/M(θ))^count into the spectrum. */
  readonly accumulate: (theta: number, spectrum: Spectrum) => void;
  /** A falling upper bound on ln |M(θ + iy)/M(θ)|, 0 where none is known. */
  readonly envelope: (theta: number) => (y: number) => number;
}

/** Below this ln |F| a factor of the spectrum no longer matters. */
const DEAD = -110;
const ROUNDOFF = 2 ** -53;
/** Units of a sine with its cosine. */
const SINE_WORK = 4;

/** The transform of a class that has a dominating pair; undefined where it has none. */
export function characteristic(
  { event, count }: SpendClass,
  direction: Direction,
  work: Work,
): Characteristic | undefined {
  if (event.kind === "laplace") return laplaceCharacteristic(1 / lower(event.noiseMultiplier), count, work);
  const distribution = lossDistribution(event, direction);
  return distribution === undefined
    ? undefined
    : characteristicOf(distribution, count, effectiveDirection(event, direction), work);
}

/** The direction whose bounds hold off the real axis: those of "add" hold for every mixture [M241]. */
export const effectiveDirection = (event: DpEvent, direction: Direction): Direction =>
  isKind(event) ? "add" : isSymmetric(event) ? "remove" : direction;

/** M(z) = [(z + 1)e^{zε} + z·e^{−(z+1)ε}]/(2z + 1). */
export function laplaceCharacteristic(epsilon: number, count: number, work: Work): Characteristic {
  return {
    count,
    work: () => 1,
    infinite: 0,
    largest: epsilon,
    error: 1,
    logMgf: (theta) => laplaceLogMgf(epsilon, theta),
    accumulate(theta, { step, log, arg, error }) {
      work.spend(SINE_WORK * log.length);
      const up = Math.exp(-(2 * theta + 1) * epsilon);
      const scale = Math.exp(theta * epsilon - laplaceLogMgf(epsilon, theta));
      for (let k = 1; k < log.length; k++) {
        if ((log[k] as number) < DEAD) continue;
        const y = k * step;
        const c = Math.cos(y * epsilon);
        const s = Math.sin(y * epsilon);
        const re = (theta + 1) * c - y * s + up * (theta * c + y * s);
        const im = (theta + 1) * s + y * c + up * (y * c - theta * s);
        const bottom = (2 * theta + 1) ** 2 + 4 * y * y;
        const fr = (scale * (re * (2 * theta + 1) + im * 2 * y)) / bottom;
        const fi = (scale * (im * (2 * theta + 1) - re * 2 * y)) / bottom;
        multiply(log, arg, error, k, { re: fr, im: fi, count, slack: 24 * ROUNDOFF + y * epsilon * ROUNDOFF });
      }
    },
    envelope: () => () => 0,
  };
}

/** ln M(θ) for the Laplace mechanism, accurate also for tiny ε: M − 1 = [(t + 1)φ(tε) + t·φ(−(t + 1)ε)]/(2t + 1), φ(x) = eˣ − 1 − x. */
export function laplaceLogMgf(epsilon: number, theta: number): number {
  const up = theta * epsilon;
  if (up > 30) return up + Math.log(theta + 1 + theta * Math.exp(-epsilon * (2 * theta + 1))) - Math.log(2 * theta + 1);
  return Math.log1p(((theta + 1) * bend(up) + theta * bend(-up - epsilon)) / (2 * theta + 1));
}

/** eˣ − 1 − x. */
export function bend(x: number): number {
  if (Math.abs(x) > 0.5) return Math.expm1(x) - x;
  let term = (x * x) / 2;
  let sum = term;
  for (let i = 3; i < 24 && Math.abs(term) > 1e-18 * sum; i++) {
    term *= x / i;
    sum += term;
  }
  return sum;
}

function multiply(
  log: Float64Array,
  arg: Float64Array,
  error: Float64Array,
  k: number,
  { re, im, count, slack }: { re: number; im: number; count: number; slack: number },
): void {
  const square = re * re + im * im;
  log[k] = (log[k] as number) + (count * Math.log(Math.max(square, 1e-300))) / 2;
  arg[k] = (arg[k] as number) + count * Math.atan2(im, re);
  error[k] = (error[k] as number) + count * (Math.log1p(slack / Math.max(1e-150, Math.sqrt(square))) + 4 * ROUNDOFF);
}

function largestLoss(distribution: LossDistribution): number {
  let largest = 0;
  for (const { loss } of distribution.atoms) largest = Math.max(largest, loss);
  for (const piece of distribution.pieces) {
    for (const end of [piece.from, piece.to]) {
      const loss = piece.loss(end);
      largest = Math.max(largest, Number.isNaN(loss) ? Number.POSITIVE_INFINITY : loss);
    }
  }
  return largest;
}

/** The transform of any distribution, from its tilted nodes. */
export function characteristicOf(
  distribution: LossDistribution,
  count: number,
  direction: Direction,
  work: Work = unboundedWork,
): Characteristic {
  const cache = new Map<number, TiltedNodes>();
  const base = (theta: number): TiltedNodes => {
    const known = cache.get(theta);
    if (known !== undefined) return known;
    const isSound = theta === 0 || holds(isOne(Math.exp(base(0).logMgf)), "the masses of a loss are one");
    const fresh = isSound ? tiltedNodes(distribution, theta, 0, direction, work) : NO_NODES;
    cache.set(theta, fresh);
    return fresh;
  };
  const isLine =
    distribution.atoms.length === 0 &&
    distribution.pieces.every(({ from, to }) => from === -to && !Number.isFinite(to));
  const isAtoms = distribution.pieces.length === 0;
  return {
    count,
    work: (theta, frequency) => countNodes(distribution, { theta, frequency, direction }),
    infinite: distribution.infinite,
    largest: largestLoss(distribution),
    error: distribution.error,
    logMgf: isAtoms ? atomsLogMgf(distribution, work) : (theta) => base(theta).logMgf,
    accumulate(theta, spectrum) {
      const size = spectrum.log.length;
      if (isAtoms) {
        const nodes = tiltedNodes(distribution, theta, 0, direction, work);
        work.spend(SINE_WORK * nodes.loss.length * size);
        sumExponentials(nodes, spectrum, { from: 1, to: size, count });
        return;
      }
      for (let from = 1, to = Math.min(size, 64); from < size; from = to, to = Math.min(size, 2 * to)) {
        const nodes = tiltedNodes(distribution, theta, spectrum.step * to, direction, work);
        work.spend(SINE_WORK * nodes.loss.length * (to - from));
        sumExponentials(nodes, spectrum, { from, to, count });
      }
    },
    envelope: (theta) => (isLine ? smoothEnvelope(distribution, base(theta), theta) : () => 0),
  };
}

/** ln M(θ) of a distribution without densities, as its nodes have it, without making them: long lists ask for it at many θ. */
function atomsLogMgf({ atoms, infinite }: LossDistribution, work: Work): (theta: number) => number {
  const held = atoms.filter(({ mass }) => mass > 0);
  const loss = Float64Array.from(held, (atom) => atom.loss);
  const log = Float64Array.from(held, ({ mass }) => Math.log(mass) - Math.log1p(-infinite));
  return (theta) => {
    work.spend(log.length);
    let high = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < log.length; i++) high = Math.max(high, (log[i] as number) + theta * (loss[i] as number));
    let sum = 0;
    let lost = 0;
    for (let i = 0; i < log.length; i++) {
      const term = Math.exp((log[i] as number) + theta * (loss[i] as number) - high) - lost;
      const next = sum + term;
      lost = next - sum - term;
      sum = next;
    }
    return high + Math.log(sum);
  };
}

/** Direct sines and cosines with compensated sums: the error of each sum stays at a few roundings [M43]. */
function sumExponentials(
  { loss, weight, error: slack }: TiltedNodes,
  { step, log, arg, error }: Spectrum,
  { from, to, count }: { from: number; to: number; count: number },
): void {
  let mean = 0;
  for (let i = 0; i < loss.length; i++) mean += (weight[i] as number) * Math.abs(loss[i] as number);
  for (let k = from; k < to; k++) {
    if ((log[k] as number) < DEAD) continue;
    const y = k * step;
    let [re, im, lostRe, lostIm] = [0, 0, 0, 0];
    for (let i = 0; i < loss.length; i++) {
      const angle = y * (loss[i] as number);
      const w = weight[i] as number;
      const c = w * Math.cos(angle) - lostRe;
      const s = w * Math.sin(angle) - lostIm;
      const sumRe = re + c;
      const sumIm = im + s;
      lostRe = sumRe - re - c;
      lostIm = sumIm - im - s;
      re = sumRe;
      im = sumIm;
    }
    multiply(log, arg, error, k, { re, im, count, slack: slack + ROUNDOFF * (6 + 2 * y * mean) });
  }
}

/**
 * |M(θ + iy)/M(θ)| for a density g of the tilted loss: at most V/y with V its total variation, and at most
 * 1 − m(1 − |sinc(yw/2)|) for every part of g that is uniform of width w and mass m [M44].
 */
function smoothEnvelope(distribution: LossDistribution, nodes: TiltedNodes, theta: number): (y: number) => number {
  const shapes = distribution.pieces.map((piece) => shapeOf(piece, nodes, theta));
  const known = shapes.filter((shape) => shape !== undefined);
  if (known.length < shapes.length) return () => 0;
  const variation = known.reduce((sum, shape) => sum + shape.variation, 0);
  return (y) => {
    let held = 0;
    for (const { parts } of known) {
      let most = 0;
      for (const { width, mass } of parts) most = Math.max(most, mass * (1 - sincBound((y * width) / 2)));
      held += most;
    }
    return Math.log(Math.min(1, variation / (SPARE * y), 1 - held));
  };
}

interface DensityShape {
  readonly variation: number;
  /** Uniform parts, each by itself. */
  readonly parts: readonly { readonly width: number; readonly mass: number }[];
}

/** The total variation of the density of a piece, and its uniform parts; undefined where no slope is known. */
function shapeOf(piece: Piece, { logMgf }: TiltedNodes, theta: number): DensityShape | undefined {
  if (piece.logSlope === undefined || piece.slope > STEEPEST) return undefined;
  const { x, density, wobble } = lossDensity(piece, piece.logSlope, { logMgf, theta });
  let peak = 0;
  for (let i = 1; i < density.length; i++) if ((density[i] as number) > (density[peak] as number)) peak = i;
  const top = density[peak] as number;
  // Both tails are monotone; inside a cell the density may leave the values at its ends by the factor e^wobble.
  let variation = (density[0] as number) + (density[density.length - 1] as number);
  for (let i = 1; i < density.length; i++) {
    const [a, b] = [density[i - 1] as number, density[i] as number];
    variation += Math.abs(b - a) + 2 * Math.max(a, b) * Math.expm1(wobble[i] as number);
  }
  const parts = [0.9, 0.75, 0.6, 0.45, 0.3, 0.2, 0.1, 0.05].map((level) => {
    let [a, b] = [peak, peak];
    let most = 0;
    while (a > 0 && (density[a - 1] as number) >= level * top) most = Math.max(most, wobble[a--] as number);
    while (b + 1 < density.length && (density[b + 1] as number) >= level * top) {
      most = Math.max(most, wobble[++b] as number);
    }
    const width = Math.abs(piece.loss(x[b] as number) - piece.loss(x[a] as number));
    return { width, mass: SPARE * Math.exp(-most) * level * top * width };
  });
  return { variation, parts };
}

/** Room for the roundings of a density. */
const SPARE = 1 - 1e-9;
/** Slopes up to which the tails beyond the grid are known to be monotone [M44]. */
const STEEPEST = 12;
/** Distance of the points of a density, where the range needs not more than `MAX_STEPS` of them. */
const SPACING = 0.07;
const MAX_STEPS = 20_000;

/**
 * The density of the loss on a grid of x, and for each cell, by its right end, ln of how far it may stray from the values
 * at its ends: B·dx²/8 with |(ln g)″| ≤ B = 1 + (θ + 2)μ²·s(1 − s) for the share s = loss'/μ, which is monotone; of a mixture s(1 − s) is at most ¼.
 */
function lossDensity(
  piece: Piece,
  logSlope: (x: number) => number,
  { logMgf, theta }: { readonly logMgf: number; readonly theta: number },
): { readonly x: Float64Array; readonly density: Float64Array; readonly wobble: Float64Array } {
  const { slope } = piece;
  const [from, to] = [-14 - 2 * slope, 14 + (theta + 1) * slope];
  const steps = Math.min(MAX_STEPS, Math.ceil((to - from) / SPACING));
  const dx = (to - from) / steps;
  const x = Float64Array.from({ length: steps + 1 }, (_, i) => from + i * dx);
  const logs = x.map(logSlope);
  const density = x.map((at, i) =>
    Math.exp(piece.logDensity(at) + theta * piece.loss(at) - logMgf - (logs[i] as number)),
  );
  const share = logs.map((log) => Math.exp(log) / slope);
  const wobble = share.map((s, i) => {
    const before = share[Math.max(0, i - 1)] as number;
    const turn = piece.isMixture === true ? 0.25 : Math.min(0.25, Math.max(s, before), 1 - Math.min(s, before));
    return ((1 + (theta + 2) * slope * slope * Math.max(0, turn)) * dx * dx) / 8;
  });
  return { x, density, wobble };
}

/** The height of the second lobe of |sin x / x|. */
const LOBE = 0.2172336282112217;

/** A falling upper bound on |sin x / x|. */
function sincBound(x: number): number {
  if (x < 1e-8) return 1;
  if (x < 2.55) return Math.sin(x) / x;
  return Math.min(LOBE, 1 / x);
}
