import { fallingRoot } from "../numeric/root.ts";
import { enlarge, expUp } from "./rounding.ts";

/** ρ of an ε-DP mechanism: ε·tanh(ε/2), the least that holds for every one of them [M34]. */
export const rhoOfPure = (epsilon: number): number =>
  epsilon === Number.POSITIVE_INFINITY ? epsilon : epsilon * Math.tanh(epsilon / 2);

/** The source's conversion ρ + √(4ρ·ln(1/δ)) [M35]; ∞ at δ = 0 unless ρ = 0. */
export function zcdpEpsilonSimple(rho: number, delta: number): number {
  if (rho === 0) return 0;
  return delta <= 0 ? Number.POSITIVE_INFINITY : enlarge(rho + Math.sqrt(-4 * rho * Math.log(delta)), 4);
}

/**
 * The tight conversion: the least ε over all Rényi orders [M36]. Its order 1 + t solves t²ρ + ln(1 + t) = ln(1/δ).
 * ∞ at δ = 0 unless ρ = 0; never below 0.
 */
export function zcdpEpsilon(rho: number, delta: number): number {
  if (rho === 0) return 0;
  if (delta <= 0 || rho === Number.POSITIVE_INFINITY) return Number.POSITIVE_INFINITY;
  if (delta >= 1) return 0;
  const bits = -Math.log(delta);
  const highest = Math.log(Math.sqrt(bits / rho)) + 1e-9;
  const missing = (s: number): number => bits - Math.exp(2 * s) * rho - Math.log1p(Math.exp(s));
  const t = Math.exp(fallingRoot(missing, Math.min(highest - 60, Math.log(bits) - 40), highest, 1e-13));
  return Math.max(0, renyiEpsilon(t, (1 + t) * rho, delta));
}

/**
 * ε at δ from a Rényi divergence of order 1 + t [M36]: D + ln(1 − 1/α) − (ln δ + ln α)/(α − 1), rounded up.
 */
export function renyiEpsilon(t: number, divergence: number, delta: number): number {
  const spread = (-Math.log(delta) - Math.log1p(t)) / t;
  const epsilon = divergence - Math.log1p(1 / t) + spread;
  return epsilon + 8 * 2 ** -53 * (Math.abs(divergence) + Math.abs(spread) + Math.abs(Math.log1p(1 / t)));
}

/** ln δ at ε from a Rényi divergence of order 1 + t: the same inequality read the other way. */
export function renyiLogDelta(t: number, divergence: number, epsilon: number): number {
  const size = t * (Math.abs(divergence) + Math.abs(epsilon)) + t * Math.log1p(1 / t) + Math.log1p(t);
  return t * (divergence - epsilon) - t * Math.log1p(1 / t) - Math.log1p(t) + 8 * 2 ** -53 * size;
}

/** δ at ε by the tight conversion, at the order that is best for it; 1 at most. */
export function zcdpDelta(rho: number, epsilon: number): number {
  if (rho === 0) return 0;
  if (rho === Number.POSITIVE_INFINITY) return 1;
  const slope = (s: number): number => epsilon + Math.log1p(Math.exp(-s)) - (2 * Math.exp(s) + 1) * rho;
  const start = Math.log((epsilon + 1) / rho + 1) + 40;
  const t = Math.exp(fallingRoot(slope, -60, start, 1e-13));
  return expUp(renyiLogDelta(t, (1 + t) * rho, epsilon));
}
