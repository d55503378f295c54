import { leastIndex } from "../numeric/root.ts";
import type { Spectrum } from "./characteristic.ts";
import { type Composition, totalLogMgf } from "./composition.ts";
import { asLower, asUpper, enlarge, type Interval } from "./rounding.ts";
import { chernoff, type Saddle } from "./saddle.ts";

/**
 * δ(ε) = (1/2πi)∫ e^{K(z) − zε}/(z(z + 1)) dz on Re z = θ, by the trapezoid rule with step 2π/P [M45]. The rule gives
 * δ(ε) plus Σ e^{θPm}·δ(ε + Pm) ≥ 0 over m ≠ 0, so what it gives is never too small; the cut at the last frequency
 * and all roundings are bounded and added. A thousand different spends take 40 ms, where the grid of dp_accounting takes 7.9 s.
 */
export interface Contour {
  /** Bounds on the δ of the finite part, at any real ε. */
  readonly delta: (epsilon: number) => SumBounds;
}

/** Bounds of one numerical sum, and the part of them that is rounding, cut and aliases. */
export interface SumBounds extends Interval {
  readonly slack: number;
}

/** The parameters of the sum: tilt, period, number of frequencies, and its Gaussian, own or added. */
export interface ContourPlan {
  readonly theta: number;
  readonly period: number;
  readonly size: number;
  readonly muSquared: number;
  /** K(θ) with that μ². */
  readonly logMgf: number;
  /** ln of a bound on |F| beyond the last frequency. */
  readonly logTail: number;
  /** (s, K(s)) pairs for the aliasing terms. */
  readonly orders: readonly (readonly [number, number])[];
  /** The largest loss there can be: no alias lies beyond it. */
  readonly largest: number;
}

const ROUNDOFF = 2 ** -53;
/** ln of the part of δ that aliasing and the cut may each add. */
const NEGLIGIBLE = -35;
/** The most frequencies times classes. */
const MAX_WORK = 2 ** 22;
const MAX_LENGTH = 2 ** 17;
/** Most sines and cosines that one spectrum may take. */
const MAX_TURNS = 4e7;

/**
 * Chooses tilt, period, length and, where nothing makes the transform decay, the Gaussian that is added (an upper bound
 * all the same [M45]). Without `smooth` a transform that does not decay has no plan.
 */
export function planContour(composition: Composition, saddle: Saddle, smooth: boolean): ContourPlan | undefined {
  const { theta, period, orders, largest } = chooseTilt(composition, saddle);
  if (!Number.isFinite(period)) return undefined;
  const logMgf = totalLogMgf(composition, theta);
  const envelopes = composition.classes.map(({ count, envelope }) => ({ count, bound: envelope(theta) }));
  const tail = (y: number, muSquared: number): number => {
    let sum = (-muSquared * y * y) / 2;
    for (const { count, bound } of envelopes) sum += count * bound(y);
    return sum;
  };
  const needed = NEGLIGIBLE + saddle.logDelta - (logMgf - theta * saddle.epsilon) + Math.min(0, Math.log(theta));
  const step = (2 * Math.PI) / period;
  const workUpTo = (frequency: number): number =>
    composition.classes.reduce((sum, { work }) => sum + work(theta, frequency), 1);
  const work = workUpTo(0);
  const longest = Math.min(MAX_LENGTH, Math.max(512, Math.floor(MAX_WORK / work)));
  let size = 16;
  while (size < longest && tail(step * (size - 1), composition.muSquared) > needed) size = Math.ceil(size * 1.2);
  let { muSquared } = composition;
  let added = 0;
  if (tail(step * (size - 1), muSquared) > needed) {
    if (!smooth) return undefined;
    size = longest;
    const y = step * (size - 1);
    added = Math.max(0, (2 * (tail(y, muSquared) - needed)) / (y * y));
    muSquared += added;
  }
  if (!(workUpTo(step * size) * size <= MAX_TURNS)) return undefined;
  return {
    theta,
    period,
    size,
    muSquared,
    logMgf: logMgf + (added * theta * (theta + 1)) / 2,
    logTail: tail(step * (size - 1), muSquared),
    orders: orders.map(([s, k]) => [s, k + (added * s * (s + 1)) / 2] as const),
    largest: muSquared > 0 ? Number.POSITIVE_INFINITY : largest,
  };
}

/** The tilt near the saddle with the shortest period, among those that lose no more digits than they can spare. */
function chooseTilt(composition: Composition, saddle: Saddle): Orders & { readonly period: number } {
  const orders: (readonly [number, number])[] = [];
  for (let factor = 0.2; factor < 200; factor *= factor < 3 ? 1.1 : 1.6) {
    const s = saddle.theta * factor;
    orders.push([s, totalLogMgf(composition, s)]);
  }
  const noise = Math.log(20 * ROUNDOFF * (composition.spends + 64));
  const largest = largestLoss(composition);
  let best = { theta: saddle.theta, orders, largest, period: Number.POSITIVE_INFINITY };
  let least = Number.POSITIVE_INFINITY;
  for (const [theta, k] of orders) {
    if (theta > 1.06 * saddle.theta) break;
    const lost = k - theta * saddle.epsilon - saddle.logDelta;
    const period = shortestPeriod({ theta, orders, largest }, saddle);
    const price = Math.log(period) + 0.25 * Math.max(0, lost + noise + 23);
    if (price < least) [best, least] = [{ theta, orders, largest, period }, price];
  }
  return best;
}

/** Tilt and period for a sum over a lattice: the same choice, without its frequencies. */
export function latticePeriod(
  composition: Composition,
  saddle: Saddle,
): {
  readonly theta: number;
  readonly period: number;
  readonly aliases: (period: number) => (epsilon: number) => number;
} {
  const { theta, period, orders, largest } = chooseTilt(composition, saddle);
  const aliases = (length: number): ((epsilon: number) => number) => {
    const log = logAliases({ theta, orders, largest }, length);
    return (epsilon) => Math.exp(log(epsilon));
  };
  return { theta, period, aliases };
}

/** The largest finite loss of a composition, rounded up; ∞ where there is none. */
export function largestLoss({ classes, muSquared }: Composition): number {
  if (muSquared > 0) return Number.POSITIVE_INFINITY;
  const terms = classes.filter(({ largest }) => largest > 0);
  const error = terms.reduce((most, one) => Math.max(most, one.error + (one.count > 1 ? 1 : 0)), 0);
  return enlarge(
    terms.reduce((sum, { count, largest }) => sum + count * largest, 0),
    error + Math.max(0, terms.length - 1),
  );
}

type Orders = Pick<ContourPlan, "theta" | "orders" | "largest">;

/** The first of 120 growing periods that is long enough: aliases fall as the period grows, so halving finds it. */
function shortestPeriod(plan: Orders, saddle: Saddle): number {
  const periods = [1 / plan.theta];
  while (periods.length < 120) periods.push((periods.at(-1) as number) * 1.1);
  const enough = (period: number): boolean => logAliases(plan, period)(saddle.epsilon) <= NEGLIGIBLE + saddle.logDelta;
  const first = leastIndex((place) => enough(periods[place] as number), -1, periods.length);
  return periods[first] ?? Number.POSITIVE_INFINITY;
}

/** ln of a bound on Σ_{m≠0} e^{θPm}·δ(ε + Pm), as a function of ε: Chernoff's bound at each order is a line in ε [M36]. */
function logAliases({ theta, orders, largest }: Orders, period: number): (epsilon: number) => number {
  const below = -theta * period - logGap(theta * period);
  const usable = orders.filter(([s]) => s > theta);
  const slopes = Float64Array.from(usable, ([s]) => s);
  const starts = Float64Array.from(
    usable,
    ([s, k]) => theta * period + chernoff(k, s, period) - logGap((s - theta) * period),
  );
  return (epsilon) => {
    let above = epsilon + period >= largest ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    for (let i = 0; i < slopes.length; i++) {
      above = Math.min(above, (starts[i] as number) - (slopes[i] as number) * epsilon);
    }
    return Math.max(above, below) + Math.LN2;
  };
}

/** ln(1 − e^{−x}): sums the geometric series of aliases. */
const logGap = (x: number): number => Math.log(-Math.expm1(-x));

/** The spectrum of a composition on a plan: one sweep per class. */
export function spectrumOf(composition: Composition, plan: ContourPlan): Spectrum {
  const step = (2 * Math.PI) / plan.period;
  const log = new Float64Array(plan.size);
  const spectrum = { step, log, arg: new Float64Array(plan.size), error: new Float64Array(plan.size) };
  applyGaussian(spectrum, plan.theta, plan.muSquared);
  for (const { accumulate } of composition.classes) accumulate(plan.theta, spectrum);
  return spectrum;
}

/** Multiplies the exact transform of a Gaussian loss into a spectrum. */
export function applyGaussian({ step, log, arg, error }: Spectrum, theta: number, muSquared: number): void {
  for (let k = 1; k < log.length; k++) {
    const y = k * step;
    log[k] = (log[k] as number) - (muSquared * y * y) / 2;
    arg[k] = (arg[k] as number) + muSquared * y * (theta + 0.5);
    error[k] = (error[k] as number) + 4 * ROUNDOFF * muSquared * y * (y + theta + 1);
  }
}

/** The contour of a spectrum; `spends` scales the rounding of K(θ). */
export function readContour(plan: ContourPlan, spectrum: Spectrum, spends: number): Contour {
  const { theta, period, logMgf, logTail } = plan;
  const { re, im, bound } = weigh(plan, spectrum);
  const { step } = spectrum;
  const tail = Math.exp(logTail) / (Math.PI * step * (plan.size - 1));
  let magnitude = (bound[0] as number) / period;
  let whole = 0;
  for (let k = 1; k < re.length; k++) {
    magnitude += (2 * (bound[k] as number)) / period;
    whole += (2 * (Math.abs(re[k] as number) + Math.abs(im[k] as number))) / period;
  }
  const turning = 3 * TURNS * ROUNDOFF * whole;
  const aliasesAt = logAliases(plan, period);
  return {
    delta(epsilon) {
      const sum = ((re[0] as number) + 2 * rotatedSum(re, im, step * epsilon)) / period;
      const log = logMgf - theta * epsilon;
      const scale = Math.exp(log);
      const rounding = ROUNDOFF * (8 * Math.abs(logMgf) + 8 * Math.abs(theta * epsilon) + 16 * spends + 64);
      const angles = 4 * ROUNDOFF * step * re.length * Math.abs(epsilon);
      const margin = magnitude + turning + whole * angles + Math.abs(sum) * rounding + tail;
      const aliases = Math.exp(aliasesAt(epsilon));
      const upper = scale * (Math.max(0, sum) + margin);
      const slack = 2 * scale * margin + aliases;
      return { upper: asUpper(upper, 2), lower: asLower(Math.max(0, scale * (sum - margin) - aliases), 2), slack };
    },
  };
}

/** Frequencies between fresh sines and cosines. */
const TURNS = 16;

/** Σ_{k≥1} Re[(re + i·im)_k·e^{−ikα}], by rotations that start afresh every `TURNS` terms. */
function rotatedSum(re: Float64Array, im: Float64Array, angle: number): number {
  const [turnCos, turnSin] = [Math.cos(angle), Math.sin(angle)];
  let sum = 0;
  for (let start = 1; start < re.length; start += TURNS) {
    const end = Math.min(re.length, start + TURNS);
    let c = Math.cos(start * angle);
    let s = Math.sin(start * angle);
    for (let k = start; k < end; k++) {
      sum += (re[k] as number) * c + (im[k] as number) * s;
      const next = c * turnCos - s * turnSin;
      s = c * turnSin + s * turnCos;
      c = next;
    }
  }
  return sum;
}

/** F/(z(z + 1)) at each frequency, and a bound on the error of each. */
function weigh(
  { theta }: ContourPlan,
  { step, log, arg, error }: Spectrum,
): { re: Float64Array; im: Float64Array; bound: Float64Array } {
  let last = log.length;
  while (last > 1 && !((log[last - 1] as number) > -90)) last--;
  const re = new Float64Array(last);
  const im = new Float64Array(last);
  const bound = new Float64Array(last);
  let dropped = 0;
  for (let k = last; k < log.length; k++) dropped += Math.exp(Math.max(-90, log[k] as number)) / (theta * (theta + 1));
  for (let k = 0; k < last; k++) {
    const y = k * step;
    const size = Math.exp(log[k] as number);
    const fr = size * Math.cos(arg[k] as number);
    const fi = size * Math.sin(arg[k] as number);
    const wr = theta * (theta + 1) - y * y;
    const wi = y * (2 * theta + 1);
    const square = wr * wr + wi * wi;
    re[k] = (fr * wr + fi * wi) / square;
    im[k] = (fi * wr - fr * wi) / square;
    const slack =
      Math.expm1(error[k] as number) + ROUNDOFF * (8 + Math.abs(arg[k] as number) + Math.abs(log[k] as number));
    bound[k] = (size * slack) / Math.sqrt(square) + (k === 0 ? dropped : 0);
  }
  return { re, im, bound };
}
