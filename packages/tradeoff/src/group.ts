import { asUpper, productOf } from "@dosimeter/core/internal";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";
import { boundedRange } from "./bounded-range.ts";
import { checkCount } from "./check.ts";
import { renamed, type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { gdp } from "./gdp.ts";
import { lap } from "./lap.ts";
import { piecewise } from "./piecewise.ts";
import { invertingRates } from "./rate-search.ts";

/**
 * The guarantee for k people that follows from one for a single person: 1 − (1 − f)^∘k [M75] (Dong–Roth–Su 2022,
 * Theorem 8).
 */
export function group(size: number, curve: TradeoffFunction): TradeoffFunction {
  checkCount(size, "size");
  if (size === 1) return curve;
  return tradeoffFunction(groupShape(size, curve), {
    label: `${curve.label}, group of ${size}`,
    definition: { group: [size, curve.definition] },
    isExact: curve.isExact,
    upper: () => (curve.upper === null ? null : group(size, curve.upper)),
  });
}

function groupShape(size: number, curve: TradeoffFunction): Shape {
  const { definition } = curve;
  if ("gdp" in definition) return renamed(gdp(productOf(size, definition.gdp)));
  if ("lap" in definition) return renamed(lap(productOf(size, definition.lap)));
  if ("boundedRange" in definition) return renamed(boundedRange(productOf(size, definition.boundedRange)));
  const gaussian = { mu: asUpper(size * curve.gaussian.mu, 1), isLeast: false };
  if (curve.atoms !== null) {
    let atoms = curve.atoms;
    for (let k = 1; k < size; k++) atoms = chained(atoms, curve.atoms);
    return { ...piecewise(atoms, { isSymmetric: curve.isSymmetric }), gaussian };
  }
  return { ...iterated(size, curve), gaussian };
}

/** The pieces of α ↦ power₂(power₁(α)): the heights of the first laid over the widths of the second. */
function chained(first: Atoms, second: Atoms): Atoms {
  const [low, high] = [first.corners.power, second.corners.alpha];
  const [coLow, coHigh] = [first.corners.beta, second.corners.coAlpha];
  const list: Atom[] = [];
  let jump = second.jump;
  let rest = first.rest;
  /** The length from one mark to a later one, from the nearer end of [0, 1]. */
  const length = (from: Mark, to: Mark) => (to.at <= 0.5 ? to.at - from.at : from.rest - to.rest);
  let here: Mark = { at: 0, rest: 1 };
  let [i, j] = [0, 0];
  const end: Mark = { at: 1, rest: 0 };
  while (here.rest > 0) {
    const nextLow = i < low.length ? { at: low[i] ?? 1, rest: coLow[i] ?? 0 } : end;
    const nextHigh = j < high.length ? { at: high[j] ?? 1, rest: coHigh[j] ?? 0 } : end;
    if (nextLow.at <= here.at && nextLow.rest >= here.rest && i < low.length) {
      // A piece of the first curve whose height underflowed: its width is kept.
      if (i > 0 && i <= first.loss.length && !((first.q[i - 1] ?? 0) > 0)) {
        list.push({ loss: lossAt(first, i - 1) + lossAt(second, j - 1), p: first.p[i - 1] ?? 0, q: 0 });
      }
      i++;
      continue;
    }
    if (nextHigh.at <= here.at && nextHigh.rest >= here.rest && j < high.length) {
      // A piece of the second curve whose width underflowed: its height is kept.
      if (j > 0 && j <= second.loss.length && !((second.p[j - 1] ?? 0) > 0)) {
        const height = second.q[j - 1] ?? 0;
        list.push({ loss: lossAt(first, i - 1) + lossAt(second, j - 1), p: 0, q: height });
      }
      j++;
      continue;
    }
    const next =
      nextLow.rest > nextHigh.rest || (nextLow.rest === nextHigh.rest && nextLow.at < nextHigh.at) ? nextLow : nextHigh;
    const size = Math.max(0, length(here, next));
    // Piece i − 1 of the first (0: its jump), piece j − 1 of the second (beyond its last: power 1 already).
    const [a, b] = [i - 1, j - 1];
    const flat = b >= second.loss.length;
    const width = a < 0 ? 0 : (size * (first.p[a] ?? 0)) / (first.q[a] ?? 1);
    const height = flat ? 0 : (size * (second.q[b] ?? 0)) / (second.p[b] ?? 1);
    if (a < 0) jump += height;
    else if (flat) rest += width;
    else list.push({ loss: (first.loss[a] ?? 0) + (second.loss[b] ?? 0), p: width, q: height });
    here = next;
  }
  return atomsOf(list, jump, rest);
}

const lossAt = ({ loss }: Atoms, i: number): number => loss[Math.min(loss.length - 1, Math.max(0, i))] ?? 0;

interface Mark {
  readonly at: number;
  readonly rest: number;
}

const ROUNDING = 2 ** -50;

function iterated(size: number, curve: TradeoffFunction): Shape {
  const chain = (alpha: number, steps: number) => {
    let rate = alpha;
    for (let k = 0; k < steps; k++) rate = curve.power(rate);
    return rate;
  };
  const beta = (alpha: number) => curve.beta(chain(alpha, size - 1));
  const logSlope = (alpha: number) => {
    let [sum, rate] = [0, alpha];
    for (let k = 0; k < size; k++) {
      sum += curve.logSlope(rate);
      rate = curve.power(rate);
    }
    return alpha === 1 ? Number.NEGATIVE_INFINITY : sum;
  };
  const touch = (x: number) => invertingRates((alpha) => logSlope(alpha) <= x);
  return {
    isSymmetric: curve.isSymmetric,
    beta,
    power: (alpha) => chain(alpha, size),
    logSlope,
    divergence(x) {
      const alpha = touch(x);
      // α is right to a few roundings, and so is the power there.
      return Math.max(0, chain(alpha, size) * (1 + size * ROUNDING) - Math.exp(x) * alpha);
    },
    touch,
    vertices: () => curve.vertices().map(({ alpha }) => ({ alpha, beta: beta(alpha) })),
    invert: () => iterated(size, curve.inverted()),
  };
}
