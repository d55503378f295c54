import { leastAt, normalCdf, risingRoot } from "@dosimeter/core/internal";
import { type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { piecewise } from "./piecewise.ts";
import { tangentAtoms } from "./profile.ts";

/** How two curves lie: "above" is more private everywhere, as after post-processing; when they "cross", neither is. */
export interface Comparison {
  readonly relation: "equal" | "above" | "below" | "cross";
  /** Where they cross, by rising α. */
  readonly crossings: readonly number[];
  /** False where both are curved and were compared at many α instead of by their corners. */
  readonly isProved: boolean;
}

const TINY = 1e-12;

/** Compares f with g on [0, 1] [M74]. Differences below 1e-12 of the smaller distance from an end count as none. */
export function compare(f: TradeoffFunction, g: TradeoffFunction): Comparison {
  const crossings = crossingsOf(f, g);
  const above = dominates(f, g);
  const below = dominates(g, f);
  const isProved = above.isProved && below.isProved;
  if (above.holds && below.holds) return { relation: "equal", crossings: [], isProved };
  if (above.holds) return { relation: "above", crossings: [], isProved };
  if (below.holds) return { relation: "below", crossings: [], isProved };
  return { relation: "cross", crossings, isProved: true };
}

/** Whether f ≥ g everywhere: post-processing can then lead from g to f (Blackwell). */
export function dominates(
  f: TradeoffFunction,
  g: TradeoffFunction,
): { readonly holds: boolean; readonly isProved: boolean } {
  if (f.atoms !== null) {
    const { alpha, beta } = f.atoms.corners;
    for (let i = 0; i < alpha.length; i++)
      if (isBelow(beta[i] ?? 0, g.beta(alpha[i] ?? 0))) return { holds: false, isProved: true };
    return { holds: true, isProved: true };
  }
  if (g.atoms !== null) {
    const { loss, jump } = g.atoms;
    for (const x of loss)
      if (isBelow(1 - f.divergence(x), 1 - g.divergence(x))) return { holds: false, isProved: true };
    return { holds: f.power(0) <= jump + TINY, isProved: true };
  }
  for (const alpha of scan) {
    const higher =
      alpha < 0.5 ? isBelow(1 - f.power(alpha), 1 - g.power(alpha)) : isBelow(f.beta(alpha), g.beta(alpha));
    if (higher) return { holds: false, isProved: true };
  }
  return { holds: true, isProved: false };
}

const isBelow = (a: number, b: number): boolean => a < b - TINY * Math.min(b, 1 - b + 1e-3);

/** α in (0, 1) evenly spaced on the normal scale. */
const scan: readonly number[] = Object.freeze(Array.from({ length: 2401 }, (_, i) => normalCdf(-36 + i * 0.0183)));

function difference(f: TradeoffFunction, g: TradeoffFunction, alpha: number): number {
  const gap = alpha < 0.5 ? g.power(alpha) - f.power(alpha) : f.beta(alpha) - g.beta(alpha);
  const size = alpha < 0.5 ? g.power(alpha) : g.beta(alpha);
  return Math.abs(gap) <= TINY * size ? 0 : gap;
}

/** The α at which f − g changes sign. */
export function crossingsOf(f: TradeoffFunction, g: TradeoffFunction): readonly number[] {
  const found: number[] = [];
  const corners = [f, g].flatMap(({ atoms }) => (atoms === null ? [] : Array.from(atoms.corners.alpha)));
  const alphas = [...scan, ...corners.filter((alpha) => alpha > 0 && alpha < 1)].sort((a, b) => a - b);
  let last: { readonly alpha: number; readonly gap: number } | undefined;
  for (const alpha of alphas) {
    const gap = difference(f, g, alpha);
    if (gap === 0) continue;
    if (last !== undefined && Math.sign(last.gap) !== Math.sign(gap)) {
      const sign = Math.sign(gap);
      found.push(risingRoot((x) => sign * difference(f, g, x), last.alpha, alpha));
    }
    last = { alpha, gap };
  }
  return found;
}

/**
 * Δ(f, g): the least D with f(α + D) − D ≤ g(α) for all α, how far f must slide along the diagonal to lie below g [M74]
 * (Kaissis et al. 2024). 0 where f ≤ g. Found by search, to about 1e-9.
 */
export function slide(f: TradeoffFunction, g: TradeoffFunction): number {
  const [a, b] = [quick(f), quick(g)];
  const gap = (c: number) => -(onDiagonal(a, c) - onDiagonal(b, c));
  const steps = 400;
  let [best, at] = [0, 0];
  for (let i = 0; i <= steps; i++) {
    const c = -1 + (2 * i) / steps;
    const value = gap(c);
    if (value < best) [best, at] = [value, c];
  }
  const width = 2 / steps;
  const corners = [a, b].flatMap(({ atoms }) => (atoms === null || atoms.loss.length > 200 ? [] : [atoms]));
  for (const { corners: at } of corners) {
    for (let i = 0; i < at.alpha.length; i++) best = Math.min(best, gap((at.beta[i] ?? 0) - (at.alpha[i] ?? 0)));
  }
  if (best === 0) return 0;
  return Math.max(0, -Math.min(best, gap(leastAt(gap, Math.max(-1, at - width), Math.min(1, at + width)))));
}

/** The tangents' pieces in place of a curve whose values need a search. */
function quick(curve: TradeoffFunction): TradeoffFunction {
  const { atoms, definition, label } = curve;
  const isParallel = "mechanism" in definition && definition.mechanism.kind === "parallel";
  const isSearched = isParallel || "min" in definition || "max" in definition || "symmetrise" in definition;
  if (atoms !== null || !isSearched) return curve;
  return tradeoffFunction(piecewise(tangentAtoms(curve, 1024)), { label, definition });
}

/** The α with f(α) − α = c, in [0, 1]; 0 where f(0) ≤ c. */
function onDiagonal(f: TradeoffFunction, c: number): number {
  return risingRoot((alpha) => c - (f.beta(alpha) - alpha), 0, 1);
}
