import { fourierPlan, inverse, transform } from "../accounting/fft.ts";
import type { Lattice } from "./lattice.ts";

/** A lattice that occurs `count` times in a composition. */
export interface Repeated {
  readonly lattice: Lattice;
  readonly count: number;
  /** ln of the masses. */
  readonly logs: Float64Array;
}

export const repeated = (lattice: Lattice, count: number): Repeated => ({
  lattice,
  count,
  logs: lattice.masses.map((mass) => Math.log(mass)),
});

export interface Convolution extends Lattice {
  /** How far below, in ln, each mass may be; `UNRESOLVED` where only the upper bound is known. */
  readonly errors: Float64Array;
}

/** Lattices used once are multiplied out pairwise while they are shorter than this: cheaper than a transform each, and exact. */
const SHORT = 1500;

/** The same composition with fewer parts. */
export function gathered(parts: readonly Repeated[]): readonly Repeated[] {
  const done = parts.filter(({ lattice, count }) => count > 1 || lattice.masses.length >= SHORT);
  let open = parts
    .filter(({ lattice, count }) => count === 1 && lattice.masses.length < SHORT)
    .map(({ lattice }) => lattice);
  while (open.length > 1) {
    open.sort((a, b) => a.masses.length - b.masses.length);
    const next: Lattice[] = [];
    for (let i = 0; i < open.length; i += 2) {
      const [a, b] = [open[i], open[i + 1]];
      if (a === undefined) continue;
      if (b === undefined) next.push(a);
      else next.push(product(a, b));
    }
    for (const lattice of next.filter(({ masses }) => masses.length >= SHORT)) done.push(repeated(lattice, 1));
    open = next.filter(({ masses }) => masses.length < SHORT);
  }
  return [...done, ...open.map((lattice) => repeated(lattice, 1))];
}

function product(a: Lattice, b: Lattice): Lattice {
  const masses = new Float64Array(a.masses.length + b.masses.length - 1);
  for (let i = 0; i < a.masses.length; i++) {
    const mass = a.masses[i] ?? 0;
    if (mass === 0) continue;
    for (let j = 0; j < b.masses.length; j++) masses[i + j] = (masses[i + j] ?? 0) + mass * (b.masses[j] ?? 0);
  }
  return { step: a.step, first: a.first + b.first, masses, jump: a.jump + b.jump - a.jump * b.jump };
}

/** ln of a mass below which nothing is kept: it is charged as told apart outright. */
const FLOOR = -680;

/**
 * The lattice of the product of the pairs [M72]. Fast Fourier transforms of exponentially tilted masses, one tilt for
 * each stretch of losses, so that tails keep their relative accuracy; wrapped-around mass is below 1e-17 of each tilt.
 */
export function convolve(parts: readonly Repeated[], size: number): Convolution {
  const step = parts[0]?.lattice.step ?? 1;
  const law = cumulants(parts);
  const spends = parts.reduce((sum, { count }) => sum + count, 0);
  const centre = law(-0.5);
  const spacing = 7 / Math.max(centre.deviation, step);
  const budget = Math.max(1, Math.min(24, Math.floor(400 / parts.length)));
  const stretches = tilts(law, spacing, budget).map((tilt) => stretchOf(parts, tilt, { size, step, law, spends }));
  const support = parts.reduce<readonly [number, number]>(
    ([low, high], { lattice, count }) => [
      low + count * lattice.first,
      high + count * (lattice.first + lattice.masses.length - 1),
    ],
    [0, 0],
  );
  return collect(
    stretches,
    { step, support },
    1 - parts.reduce((left, { lattice, count }) => left * (1 - lattice.jump) ** count, 1),
  );
}

/** What one tilt knows: ln of an upper bound of each mass, and how far below that, in ln, the mass may be. */
interface Stretch {
  readonly from: number;
  readonly logs: Float64Array;
  readonly errors: Float64Array;
}

/** The error of a mass of which only an upper bound is known. */
export const UNRESOLVED = 40;

interface StretchOptions {
  readonly size: number;
  readonly step: number;
  readonly law: (tilt: number) => Law;
  readonly spends: number;
}

function stretchOf(parts: readonly Repeated[], tilt: number, { size, step, law, spends }: StretchOptions): Stretch {
  const { logMass, mean } = law(tilt);
  const masses = tiltedPower(parts, tilt, size);
  const noise = noiseOf(masses, spends);
  const from = Math.round(mean / step) - size / 2;
  const logs = new Float64Array(size);
  const errors = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const j = from + i;
    const mass = Math.max(0, masses[((j % size) + size) % size] ?? 0);
    logs[i] = Math.log(mass + noise) + logMass - tilt * j * step;
    errors[i] = mass > 4 * noise ? Math.log1p((2 * noise) / (mass - noise)) + spends * 2 ** -52 : UNRESOLVED;
  }
  return { from, logs, errors };
}

/** The transform's absolute error: eight times the deepest value below 0, which only rounding makes, and at least an ulp of the peak. */
function noiseOf(masses: Float64Array, spends: number): number {
  let [deepest, peak] = [0, 0];
  for (const mass of masses) {
    deepest = Math.max(deepest, -mass);
    peak = Math.max(peak, mass);
  }
  return Math.max(8 * deepest, (spends + 4) * 2 ** -52 * peak);
}

/** For every loss the least upper bound of its mass; what lies beyond the floor is left out. */
function collect(
  stretches: readonly Stretch[],
  { step, support }: { readonly step: number; readonly support: readonly [number, number] },
  jump: number,
): Convolution {
  const first = Math.min(...stretches.map(({ from }) => from));
  const end = Math.max(...stretches.map(({ from, logs }) => from + logs.length));
  const best = new Float64Array(end - first).fill(Number.POSITIVE_INFINITY);
  const errors = new Float64Array(end - first);
  for (const { from, logs, errors: own } of stretches) {
    for (let i = 0; i < logs.length; i++) {
      const at = from + i - first;
      const log = logs[i] ?? 0;
      if (!(log < (best[at] ?? 0)) || from + i < support[0] || from + i > support[1]) continue;
      best[at] = log;
      errors[at] = own[i] ?? UNRESOLVED;
    }
  }
  const masses = best.map((log, i) =>
    log === Number.POSITIVE_INFINITY || Math.max(log, log - (first + i) * step) < FLOOR ? 0 : Math.exp(log),
  );
  return { step, first, masses, jump, errors };
}

interface Law {
  readonly logMass: number;
  readonly mean: number;
  readonly deviation: number;
}

/** ln Σ q·e^(tilt·loss) of the composition with its mean and deviation; under tilt −½ both hypotheses weigh the same. */
function cumulants(parts: readonly Repeated[]): (tilt: number) => Law {
  return (tilt) => {
    let [logMass, mean, variance] = [0, 0, 0];
    for (const { lattice, count, logs } of parts) {
      const { step, first } = lattice;
      let top = Number.NEGATIVE_INFINITY;
      for (let i = 0; i < logs.length; i++) top = Math.max(top, (logs[i] ?? 0) + tilt * (first + i) * step);
      let [sum, one, two] = [0, 0, 0];
      for (let i = 0; i < logs.length; i++) {
        const x = (first + i) * step;
        const exponent = (logs[i] ?? 0) + tilt * x - top;
        if (!(exponent > -60)) continue;
        const weight = Math.exp(exponent);
        sum += weight;
        one += weight * x;
        two += weight * x * x;
      }
      logMass += count * (top + Math.log(sum));
      mean += (count * one) / sum;
      variance += count * Math.max(0, two / sum - (one / sum) ** 2);
    }
    return { logMass, mean, deviation: Math.sqrt(variance) };
  };
}

/** −½, then outwards on both sides, each near enough to the last that their laws overlap. */
function tilts(law: (tilt: number) => Law, spacing: number, budget: number): readonly number[] {
  const list = [-0.5];
  for (const side of [1, -1]) {
    let tilt = -0.5;
    let here = law(tilt);
    for (let i = 0; i < budget / 2; i++) {
      let move = side * Math.max(spacing / 4, Math.min(7 / Math.max(here.deviation, 1e-3), 60));
      let next = law(tilt + move);
      for (let k = 0; k < 12 && Math.abs(next.mean - here.mean) > 4.5 * (here.deviation + next.deviation); k++) {
        move /= 2;
        next = law(tilt + move);
      }
      if (!(Math.abs(next.mean - here.mean) > 1e-9 * (1 + Math.abs(here.mean)))) break;
      tilt += move;
      list.push(tilt);
      here = next;
      // ln of the tail that this tilt resolves: beyond the floor nothing is kept.
      if (Math.max(here.logMass - tilt * here.mean, here.logMass - (tilt + 1) * here.mean) < FLOOR) break;
    }
  }
  return list;
}

/** The circular convolution of the tilted masses, which sum to 1. */
function tiltedPower(parts: readonly Repeated[], tilt: number, size: number): Float64Array {
  const plan = fourierPlan(size);
  const productRe = new Float64Array(size).fill(1);
  const productIm = new Float64Array(size);
  for (const part of parts) {
    const { lattice, logs, count } = part;
    const { step, first } = lattice;
    const { logMass } = cumulants([{ ...part, count: 1 }])(tilt);
    const re = new Float64Array(size);
    const im = new Float64Array(size);
    for (let i = 0; i < logs.length; i++) {
      const j = first + i;
      const exponent = (logs[i] ?? 0) + tilt * j * step - logMass;
      if (!(exponent > -60)) continue;
      const at = ((j % size) + size) % size;
      re[at] = (re[at] ?? 0) + Math.exp(exponent);
    }
    transform(plan, re, im);
    multiplyPower(productRe, productIm, re, im, count);
  }
  inverse(plan, productRe, productIm);
  return productRe;
}

/** product ·= (re + i·im)^count, by repeated squaring. */
function multiplyPower(
  productRe: Float64Array,
  productIm: Float64Array,
  re: Float64Array,
  im: Float64Array,
  count: number,
): void {
  for (let k = 0; k < productRe.length; k++) {
    let [baseRe, baseIm] = [re[k] ?? 0, im[k] ?? 0];
    let [a, b] = [productRe[k] ?? 0, productIm[k] ?? 0];
    for (let rest = count; rest > 0; rest = Math.floor(rest / 2)) {
      if (rest % 2 === 1) [a, b] = [a * baseRe - b * baseIm, a * baseIm + b * baseRe];
      [baseRe, baseIm] = [baseRe * baseRe - baseIm * baseIm, 2 * baseRe * baseIm];
    }
    productRe[k] = a;
    productIm[k] = b;
  }
}

/** How many losses a window must hold so that at most 1e-17 of any tilted law lies outside it. */
export function windowOf(parts: readonly Repeated[]): number {
  const law = cumulants(parts);
  const span = parts.reduce((sum, { lattice, count }) => sum + count * (lattice.masses.length - 1) * lattice.step, 0);
  let widest = 0;
  const { deviation } = law(-0.5);
  for (const tilt of [-0.5, -0.5 + 14 / deviation, -0.5 + 35 / deviation]) {
    const here = law(tilt);
    const edge = (side: 1 | -1) => {
      let least = Number.POSITIVE_INFINITY;
      for (const push of [1, 2, 4, 6, 8, 12, 16, 32, 64]) {
        const s = (side * push) / Math.max(here.deviation, 1e-12);
        const reach = (law(tilt + s).logMass - here.logMass + 40) / Math.abs(s) - side * here.mean;
        if (Number.isFinite(reach)) least = Math.min(least, reach);
      }
      return least;
    };
    widest = Math.max(widest, 2 * Math.max(edge(1), edge(-1)));
  }
  return Math.min(span * 1.01 + 4 * (parts[0]?.lattice.step ?? 0), widest);
}
