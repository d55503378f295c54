import { eachGaussPoint } from "../numeric/quadrature.ts";
import { logNormalDensity, normalCdf } from "../numeric/special.ts";
import { lifted, lowered } from "./losses-grid.ts";
import type { Atom } from "./piece.ts";
import type { Direction } from "./profile.ts";

/** Atoms of a positive variable by rising value, and how much of its mean has gone to infinity. */
interface Ratio {
  readonly value: Float64Array;
  readonly mass: Float64Array;
  readonly lost: number;
}

/** Whether a variable is spread to the ends of its cells, its mean kept, or gathered at their means. */
type Side = "above" | "below";

/** Points by the noise of one, and around the mean of a sum. */
const OF_ONE = 500;
const CENTRED = 900;
/** Deviations of the noise that are kept apart: beyond them lies less than 10⁻³⁰⁰. */
const DEVIATIONS = 38;
/** Noise without the person's part beyond which their mass, not the mean that it carries, falls below the least double. */
const LAST = 37;

/**
 * Losses of one Gaussian of multiplier 1/μ in one of `steps` steps, kept secret which [M245]: the likelihood ratio is the mean of `steps`
 * independent e^{μx − μ²/2}. Sums are made by doubling; each is spread (from above) or gathered (from below) on a grid, which is larger and
 * smaller in the convex order, and no δ is anything but the mean of a convex function of the ratio. All terms are positive.
 */
export function allocationAtoms(
  { mu, steps }: { readonly mu: number; readonly steps: number },
  direction: Direction,
  side: Side,
): { readonly atoms: readonly Atom[]; readonly infinite: number } {
  let power = oneStep(mu, side);
  let sum: Ratio | undefined;
  let have = 0;
  for (let left = steps, size = 1; left > 0; left = Math.floor(left / 2), size *= 2) {
    if (left % 2 === 1) {
      sum = sum === undefined ? power : added(sum, power, { mu, count: have + size, side });
      have += size;
    }
    if (left > 1) power = added(power, power, { mu, count: 2 * size, side });
  }
  return lossesOf(sum as Ratio, steps, direction, side);
}

function lossesOf(
  { value, mass, lost }: Ratio,
  steps: number,
  direction: Direction,
  side: Side,
): { readonly atoms: readonly Atom[]; readonly infinite: number } {
  let infinite = side === "above" ? CUT : 0;
  if (direction === "remove") infinite += lost / steps;
  const atoms: Atom[] = [];
  value.forEach((x, i) => {
    const [ratio, q] = [x / steps, mass[i] as number];
    if (x > 0)
      atoms.push(
        direction === "add" ? { loss: -Math.log(ratio), mass: q } : { loss: Math.log(ratio), mass: q * ratio },
      );
    else if (direction === "add" && side === "above") infinite += q;
    else if (direction === "add") atoms.push({ loss: Math.max(0, Math.log(q) + UNDERFLOW), mass: q });
  });
  if (direction === "add") atoms.reverse();
  if (side === "below") return { atoms: lowered(atoms, atoms[0]?.loss ?? 0), infinite };
  const whole = atoms.reduce((sum, atom) => sum + atom.mass, 0);
  const missing = 1 - infinite - whole;
  if (missing > ROUNDINGS) return { atoms: lifted(atoms), infinite: infinite + missing };
  const scale = missing > 0 ? (1 - infinite) / whole : 1;
  return {
    atoms: lifted(lightened(atoms, -missing).map(({ loss, mass: m }) => ({ loss, mass: m * scale }))),
    infinite,
  };
}

/** Of masses that sum to less than 1 what is not their roundings. */
const ROUNDINGS = 1e-11;
/** A mean that was rounded to 0 is below e^{−UNDERFLOW}, also as a sum. */
const UNDERFLOW = 720;

/** Atoms by rising loss, of the least ones this mass taken away: δ, convex in e^ε and 1 at 0, is below its chord there. */
function lightened(atoms: readonly Atom[], excess: number): readonly Atom[] {
  let owed = Math.max(0, excess);
  return atoms.map(({ loss, mass }) => {
    const paid = Math.min(owed, mass);
    owed -= paid;
    return { loss, mass: mass - paid };
  });
}

/** From one number to another, closely around 0 and ever wider beyond `scale`. */
function around(from: number, to: number, scale: number, count: number): readonly number[] {
  const [first, last] = [Math.asinh(from / scale), Math.asinh(to / scale)];
  return Array.from({ length: count + 1 }, (_, i) => scale * Math.sinh(first + ((last - first) * i) / count));
}

/** Points for a sum of `count`: the ratios of its noise, up to the mean of a sum, and close ones around that. */
function pointsFor(mu: number, count: number): Float64Array {
  const ratio = (x: number): number => Math.exp(Math.min(690, mu * (x - mu / 2)));
  const top = Math.min(LAST, DEVIATIONS + mu);
  const most = ratio(top);
  const deviation = Math.sqrt(count * Math.expm1(Math.min(690, mu * mu)));
  const far = (x: number): number => Math.asinh((x - count) / deviation);
  const points = new Set<number>([0]);
  for (const x of around(-DEVIATIONS, count === 1 ? top : mu / 2, 3, OF_ONE)) points.add(count * ratio(x));
  for (const v of around(far(0), far(count + most + DEVIATIONS * deviation), 2, CENTRED)) {
    const x = count + deviation * Math.sinh(v);
    if (x > 0) points.add(x);
  }
  return Float64Array.from(points).sort();
}

/** e^{μx − μ²/2} for a standard normal x. */
function oneStep(mu: number, side: Side): Ratio {
  const points = pointsFor(mu, 1);
  const cells = cellsOn(points, side);
  const at = (ratio: number): number => (Math.log(ratio) + (mu * mu) / 2) / mu;
  const last = points.length - 1;
  const [bottom, top] = [at(points[1] as number), at(points[last] as number)];
  cells.add(0, normalCdf(bottom), normalCdf(bottom - mu));
  for (let i = 1; i < last; i++) {
    const [a, b] = [at(points[i] as number), at(points[i + 1] as number)];
    eachGaussPoint(a, b, Math.max(1, Math.ceil((b - a) * (2 + Math.max(Math.abs(a), Math.abs(b))))), (x, weight) => {
      const mass = weight * Math.exp(logNormalDensity(x));
      cells.add(i, mass, weight * Math.exp(logNormalDensity(x - mu)));
    });
  }
  cells.add(last, normalCdf(-top), normalCdf(mu - top));
  return cells.ratio(0);
}

/** The sum of two independent ones, on the grid for `count`. */
function added(a: Ratio, b: Ratio, { mu, count, side }: { mu: number; count: number; side: Side }): Ratio {
  const points = pointsFor(mu, count);
  const cells = cellsOn(points, side);
  const last = points.length - 1;
  let lost = a.lost + b.lost;
  for (let i = 0; i < a.value.length; i++) {
    const [x, p] = [a.value[i] as number, a.mass[i] as number];
    let cell = 0;
    for (let j = 0; j < b.value.length; j++) {
      const [z, q] = [b.value[j] as number, b.mass[j] as number];
      const mass = p * q;
      if (mass < NOTHING) {
        if (side === "above") lost += x * p * q + p * (z * q);
        continue;
      }
      const y = x + z;
      while (cell < last && (points[cell + 1] as number) <= y) cell++;
      cells.add(cell, mass, mass * y);
    }
  }
  return cells.ratio(lost);
}

/** Masses below this are not followed, the mean that they carry is lost; all together have no more than `CUT`. */
const NOTHING = 1e-305;
const CUT = 1e-280;

/** Adds masses with their part of the mean, cell by cell; the last cell has no end. */
function cellsOn(points: Float64Array, side: Side) {
  const mass = new Float64Array(points.length);
  const mean = new Float64Array(points.length);
  const last = points.length - 1;
  return {
    add(cell: number, q: number, p: number): void {
      mass[cell] = (mass[cell] as number) + q;
      mean[cell] = (mean[cell] as number) + p;
    },
    ratio(lost: number): Ratio {
      if (side === "below") {
        const held = [...mass.keys()].filter((i) => (mass[i] as number) > 0);
        return {
          value: Float64Array.from(held, (i) => (mean[i] as number) / (mass[i] as number)),
          mass: Float64Array.from(held, (i) => mass[i] as number),
          lost,
        };
      }
      const out = new Float64Array(points.length);
      for (let i = 0; i < last; i++) {
        const [from, to] = [points[i] as number, points[i + 1] as number];
        const all = mass[i] as number;
        const up = Math.min(all, Math.max(0, ((mean[i] as number) * (1 + 4e-16) - from * all) / (to - from)));
        out[i] = (out[i] as number) + all - up;
        out[i + 1] = (out[i + 1] as number) + up;
      }
      out[last] = (out[last] as number) + (mass[last] as number);
      const beyond = Math.max(0, (mean[last] as number) - (points[last] as number) * (mass[last] as number));
      return { value: points, mass: out, lost: lost + beyond };
    },
  };
}
