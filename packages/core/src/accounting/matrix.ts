import { toDouble } from "../amounts/double.ts";
import { parseRational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import { asLower, asUpper, enlarge, type Interval, shrink } from "./rounding.ts";

type Banded = Extract<DpEvent, { readonly kind: "bandedMatrix" }>;
type Tree = Extract<DpEvent, { readonly kind: "treeAggregation" }>;

/** Terms up to which the instance of several participations is summed; beyond, one of fewer is as good a bound from below. */
const MAX_TERMS = 1e7;

/** How often a person takes part at most, of all steps. */
const partsOf = ({ steps, participations, separation }: Banded | Tree): number =>
  Math.min(participations, Math.ceil(steps / separation));

/**
 * The square of the sensitivity of Cx for a lower-triangular Toeplitz C: from above k·ρ(0) + 2Σ(k − m)·max ρ(lag ≥ mb) with ρ the
 * autocorrelation of the absolute coefficients; from below that of equal contributions at the steps 0, b, 2b, … [M244].
 */
export function bandedSquare(event: Banded): Interval {
  const { steps, separation } = event;
  const given = event.coefficients.slice(0, steps).map((c) => Number(toDouble(parseRational(c), "up")));
  const size = given.map(Math.abs);
  const parts = partsOf(event);
  let square = parts * rho(size, 0);
  const most = new Float64Array(size.length + 1);
  if (parts > 1)
    for (let lag = size.length - 1; lag >= separation; lag--)
      most[lag] = Math.max(rho(size, lag), most[lag + 1] as number);
  for (let m = 1; m < parts && m * separation < size.length; m++)
    square += 2 * (parts - m) * (most[m * separation] as number);
  const summed = Math.min(parts, Math.max(1, Math.floor(MAX_TERMS / given.length)));
  let least = 0;
  if (separation >= given.length)
    for (let s = 0; s < summed; s++) least += rho(given.slice(0, steps - s * separation), 0);
  else {
    const sums = new Float64Array(Math.min(steps, (summed - 1) * separation + given.length));
    for (let s = 0; s < summed; s++)
      given.forEach((c, i) => {
        const at = s * separation + i;
        if (at < sums.length) sums[at] = (sums[at] as number) + c;
      });
    least = rho([...sums], 0);
  }
  const ulps = 8 + 4 * (size.length + parts);
  return {
    upper: asUpper(enlarge(square, ulps), "one-sided"),
    lower: asLower(Math.max(0, shrink(least, ulps + summed)), "one-sided"),
  };
}

function rho(c: readonly number[], lag: number): number {
  let sum = 0;
  for (let i = 0; i + lag < c.length; i++) sum += (c[i] as number) * (c[i + lag] as number);
  return sum;
}

export const treeWork = (event: Tree): number => Math.min(partsOf(event), MAX_TERMS) * Math.log2(event.steps + 1);

/**
 * The square of the sensitivity of all nodes of a binary tree over the steps: a node of 2^j steps holds at most min(k, ⌈2^j/b⌉) of k
 * participations; from below those at 0, b, 2b, … in whole nodes [M244].
 */
export function treeSquare(event: Tree): Interval {
  const { steps, separation } = event;
  const parts = partsOf(event);
  let [square, least] = [0, 0];
  for (let size = 1; size <= steps; size *= 2) {
    square += parts * Math.min(parts, Math.ceil(size / separation));
    let [node, inside] = [-1, 0];
    for (let s = 0; s <= Math.min(parts, MAX_TERMS); s++) {
      const at = s < Math.min(parts, MAX_TERMS) ? Math.floor((s * separation) / size) : -1;
      if (at !== node) {
        least += inside * inside;
        [node, inside] = [at, 0];
      }
      if ((at + 1) * size <= steps) inside++;
    }
  }
  return { upper: asUpper(enlarge(square, 64), "one-sided"), lower: asLower(shrink(least, 64), "one-sided") };
}

/** μ of noise on what has this sensitivity. */
export const muOfSquare = (square: number, noise: number): number => Math.sqrt(square) / noise;
