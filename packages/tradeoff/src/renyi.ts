import { invalid, toDouble } from "@dosimeter/core";
import { enlarge, exactDouble, log1pexp, logAdd, multiply } from "@dosimeter/core/internal";
import { checkFinite } from "./check.ts";
import { cumulantsOf, greatestRatio } from "./cumulants.ts";
import { type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { atomsFromValues, type BoundPoint } from "./from-values.ts";
import { numberLabel } from "./number-label.ts";
import { piecewise } from "./piecewise.ts";
import { identity } from "./total.ts";

/**
 * Rényi divergence of the given order > 1, the greater of both directions, rounded up [M76]: closed for Gaussian and Laplace noise, sums
 * for compositions, exact for pieces, an upper bound otherwise. ∞ where some outcome is distinguished with certainty, or no bound is known.
 */
export function renyi(curve: TradeoffFunction, order: number): number {
  if (!(order > 1 && Number.isFinite(order))) invalid("order", order, "a finite number > 1");
  const { definition } = curve;
  if ("gdp" in definition && Number.isFinite(definition.gdp)) return halfProduct(order, definition.gdp);
  const lambda = order - 1;
  const { there, back } = cumulantsOf(curve);
  return Math.max(0, enlarge(Math.max(there(lambda), curve.isSymmetric ? 0 : back(lambda)) / lambda, 8));
}

/** order·μ²/2, the next double up. */
function halfProduct(order: number, mu: number): number {
  const exact = exactDouble(mu);
  const square = multiply(exact, exact);
  return toDouble(multiply(exactDouble(order), { ...square, denominator: 2n * square.denominator }), "up");
}

/**
 * The least ρ with D_order ≤ ρ·order for every order > 1 (zero-concentrated DP), rounded up [M76]: closed where known, of a composition
 * at most the sum of its parts', of other curves the supremum over all orders, bracketed. [M320]
 */
export function leastRho(curve: TradeoffFunction): number {
  const { definition } = curve;
  if ("gdp" in definition && Number.isFinite(definition.gdp)) return halfProduct(1, definition.gdp);
  if ("boundedRange" in definition) return enlarge(definition.boundedRange ** 2 / 8, 2);
  return greatestRatio(cumulantsOf(curve));
}

/** A Rényi guarantee: divergence at most `epsilon` at `order`, in both directions. */
export interface RenyiPoint {
  readonly order: number;
  readonly epsilon: number;
}

/**
 * What Rényi guarantees imply: the greatest lower bound of each order, then the maximum of these [M76] (Zhu–Dong–Wang
 * 2022).
 */
export function fromRenyi(points: readonly RenyiPoint[], label = "Rényi DP"): TradeoffFunction {
  if (!Array.isArray(points) || points.length === 0) invalid("rdp", points, "at least one order");
  for (const [i, { order, epsilon }] of points.entries()) {
    if (!(order > 1 && Number.isFinite(order))) invalid(`rdp[${i}].order`, order, "a finite number > 1");
    checkFinite(epsilon, `rdp[${i}].epsilon`);
  }
  const value = (alpha: number) =>
    points.map(({ order, epsilon }) => renyiBound(order, epsilon, alpha)).reduce((a, b) => (b.power < a.power ? b : a));
  const samples = points.length > 16 ? 400 : 1200;
  return tradeoffFunction(piecewise(atomsFromValues(value, samples), { isSymmetric: true }), {
    label,
    definition: { rdp: points.map(({ order, epsilon }) => [order, epsilon] as const) },
    isExact: false,
  });
}

/** ρ-zCDP as a trade-off function: at each α the best order found; any order is a valid bound [M76]. */
export function zcdp(rho: number): TradeoffFunction {
  checkFinite(rho, "rho");
  const words = { label: `${numberLabel(rho)}-zCDP`, definition: { zcdp: rho }, isExact: false } as const;
  if (rho === 0) return tradeoffFunction(identity, words);
  const at = (t: number, alpha: number) => renyiBound(1 + Math.exp(t), rho * (1 + Math.exp(t)), alpha);
  const value = (alpha: number) => {
    // ln(order − 1), from coarse steps to fine ones: any order bounds, a better one bounds more.
    let [best, found] = [0, at(0, alpha)];
    const improve = (t: number) => {
      const bound = at(t, alpha);
      if (bound.power < found.power) [best, found] = [t, bound];
    };
    for (let t = -6; t <= 14; t += 1.25) improve(t);
    for (const step of [0.4, 0.1]) {
      const middle = best;
      for (let k = -3; k <= 3; k++) improve(middle + k * step);
    }
    return found;
  };
  return tradeoffFunction(piecewise(atomsFromValues(value, 400), { isSymmetric: true }), words);
}

/**
 * The least β that a Rényi divergence of at most ε allows at α, where both Bernoulli divergences stay within ε, and its power: each
 * accurate where it is small.
 */
export function renyiBound(order: number, epsilon: number, alpha: number): BoundPoint {
  if (alpha === 0 || alpha === 1) return { alpha, power: alpha, beta: 1 - alpha };
  const [logA, logCoA] = [Math.log(alpha), Math.log1p(-alpha)];
  const room = (order - 1) * epsilon;
  /** How far a test with log odds u of missing exceeds the room, in ln. */
  const excess = (u: number) => {
    const [logB, logCoB] = [-log1pexp(-u), -log1pexp(u)];
    const there = logAdd(order * logB + (1 - order) * logCoA, order * logCoB + (1 - order) * logA);
    const back = logAdd(order * logCoA + (1 - order) * logB, order * logA + (1 - order) * logCoB);
    return Math.max(there, back) - room;
  };
  const guessing = logCoA - logA;
  let low = guessing;
  for (let step = 1; excess(low) <= 0 && low > -1400; step *= 2) low -= step;
  let [bad, good] = [low, guessing];
  for (let i = 0; i < 60 && good - bad > 1e-14 * (1 + Math.abs(good)); i++) {
    const u = (bad + good) / 2;
    if (excess(u) <= 0) good = u;
    else bad = u;
  }
  return { alpha, power: Math.exp(-log1pexp(bad)), beta: Math.exp(-log1pexp(-bad)) };
}
