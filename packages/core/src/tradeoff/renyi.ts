import { invalid } from "../error.ts";
import { leastAt } from "../numeric/root.ts";
import { log1pexp, logAdd, logSumExp } from "../numeric/special.ts";
import type { Atoms } from "./atoms.ts";
import { checkFinite } from "./check.ts";
import { type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { atomsFromValues, type BoundPoint } from "./from-values.ts";
import { numberLabel } from "./number-label.ts";
import { piecewise } from "./piecewise.ts";
import { tangentAtoms } from "./profile.ts";
import { identity } from "./total.ts";

/**
 * Rényi divergence of the given order > 1, the greater of both directions [M76]: closed for Gaussian and Laplace, exact
 * for pieces, an upper bound otherwise. ∞ where some outcome is distinguished with certainty.
 */
export function renyi(curve: TradeoffFunction, order: number): number {
  if (!(order > 1 && Number.isFinite(order))) invalid("order", order, "a finite number > 1");
  const { definition } = curve;
  if ("gdp" in definition) return (order * definition.gdp ** 2) / 2;
  if ("lap" in definition) return laplaceRenyi(definition.lap, order);
  const atoms = tangentAtoms(curve, 4096);
  return Math.max(0, atomsRenyi(atoms, order, 1), curve.isSymmetric ? 0 : atomsRenyi(atoms, order, -1));
}

function laplaceRenyi(mu: number, order: number): number {
  const a = Math.log(order / (2 * order - 1)) + (order - 1) * mu;
  const b = Math.log((order - 1) / (2 * order - 1)) - order * mu;
  return logSumExp([a, b]) / (order - 1);
}

/** ln Σ q^order·p^(1−order)/(order − 1), or with p and q exchanged. */
function atomsRenyi({ loss, p, q, jump, rest }: Atoms, order: number, direction: 1 | -1): number {
  if ((direction === 1 ? jump : rest) > 0) return Number.POSITIVE_INFINITY;
  const terms: number[] = [];
  for (let i = 0; i < loss.length; i++) {
    const mass = direction === 1 ? (q[i] ?? 0) : (p[i] ?? 0);
    if (mass > 0) terms.push(Math.log(mass) + (order - 1) * direction * (loss[i] ?? 0));
  }
  return logSumExp(terms) / (order - 1);
}

/** The least ρ with D_order ≤ ρ·order for every order > 1 (zero-concentrated DP) [M76]; closed where known. */
export function leastRho(curve: TradeoffFunction): number {
  const { definition } = curve;
  if ("gdp" in definition) return definition.gdp ** 2 / 2;
  if ("lap" in definition) return definition.lap + Math.expm1(-definition.lap);
  if ("epsdelta" in definition) {
    const [epsilon, delta] = definition.epsdelta;
    return delta > 0 ? Number.POSITIVE_INFINITY : epsilon * Math.tanh(epsilon / 2);
  }
  if ("boundedRange" in definition) return definition.boundedRange ** 2 / 8;
  // ln(order − 1) from −12 to 12: in tests the ratio rises once and falls once there; the ends bound it.
  const ratio = (t: number) => -renyi(curve, 1 + Math.exp(t)) / (1 + Math.exp(t));
  let [best, at] = [0, 0];
  for (let t = -12; t <= 12; t += 0.25) {
    const value = ratio(t);
    if (value === Number.NEGATIVE_INFINITY) return Number.POSITIVE_INFINITY;
    if (value < best) [best, at] = [value, t];
  }
  return -Math.min(best, ratio(leastAt(ratio, at - 0.25, at + 0.25)));
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
