import { logSumExp } from "../special.ts";
import type { Atoms } from "./atoms.ts";
import { checkFinite, refuse } from "./check.ts";
import { type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { numericShape } from "./given.ts";
import { numberLabel } from "./number-label.ts";
import { tangentAtoms } from "./profile.ts";
import { leastAt } from "./root.ts";

/**
 * Rényi divergence of the given order > 1, the greater of both directions [M76]: closed for Gaussian and Laplace, exact
 * for pieces, an upper bound otherwise. ∞ where something is told apart outright.
 */
export function renyi(curve: TradeoffFunction, order: number): number {
  if (!(order > 1 && Number.isFinite(order))) refuse("order", order, "a finite number > 1");
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
  // ln(order − 1) from −12 to 12: the ratio has one rise and one fall there for the curves tried; the ends bound it.
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

/** What Rényi guarantees imply: the greatest lower bound of each order, and of all of them the highest [M76] (Zhu–Dong–Wang 2022). */
export function fromRenyi(points: readonly RenyiPoint[], label = "Rényi DP"): TradeoffFunction {
  if (!Array.isArray(points) || points.length === 0) refuse("rdp", points, "at least one order");
  for (const [i, { order, epsilon }] of points.entries()) {
    if (!(order > 1 && Number.isFinite(order))) refuse(`rdp[${i}].order`, order, "a finite number > 1");
    checkFinite(epsilon, `rdp[${i}].epsilon`);
  }
  const lowest = (alpha: number, read: (order: number, epsilon: number, alpha: number) => number) =>
    points.reduce((best, { order, epsilon }) => Math.max(best, read(order, epsilon, alpha)), 0);
  const beta = (alpha: number) => lowest(alpha, renyiBeta);
  return tradeoffFunction(numericShape({ beta, power: (alpha) => 1 - beta(alpha), isSymmetric: true }), {
    label,
    definition: { rdp: points.map(({ order, epsilon }) => [order, epsilon] as const) },
    isExact: false,
  });
}

/** ρ-zCDP as a trade-off function: at each α the best order found; any order is a valid bound [M76]. */
export function zcdp(rho: number): TradeoffFunction {
  checkFinite(rho, "rho");
  const beta = (alpha: number) => {
    if (rho === 0) return 1 - alpha;
    const loss = (t: number) => -renyiBeta(1 + Math.exp(t), rho * (1 + Math.exp(t)), alpha);
    return -loss(leastAt(loss, -7, 16));
  };
  return tradeoffFunction(numericShape({ beta, power: (alpha) => 1 - beta(alpha), isSymmetric: true }), {
    label: `${numberLabel(rho)}-zCDP`,
    definition: { zcdp: rho },
    isExact: false,
  });
}

/** The least β that a Rényi divergence of at most ε allows at α: both Bernoulli divergences stay within ε. */
export function renyiBeta(order: number, epsilon: number, alpha: number): number {
  if (alpha === 0 || alpha === 1) return 1 - alpha;
  const [logA, logCoA] = [Math.log(alpha), Math.log1p(-alpha)];
  const room = (order - 1) * epsilon;
  const fits = (logB: number, logCoB: number) => {
    const there = logSumExp([order * logB + (1 - order) * logCoA, order * logCoB + (1 - order) * logA]);
    const back = logSumExp([order * logCoA + (1 - order) * logB, order * logA + (1 - order) * logCoB]);
    return there <= room && back <= room;
  };
  // β runs from 1 − α (no loss, always allowed) towards 0; over ln β the boundary is found to the last bits.
  let [bad, good] = [-745, logCoA];
  for (let i = 0; i < 64; i++) {
    const middle = (bad + good) / 2;
    if (middle <= bad || middle >= good) break;
    if (fits(middle, Math.log(-Math.expm1(middle)))) good = middle;
    else bad = middle;
  }
  return Math.exp(bad);
}
