import { leastAt } from "../numeric/root.ts";

/** ln M(θ) of a total loss. */
export type LogMgf = (theta: number) => number;

const MIN_LOG = Math.log(1e-3);
const STEEPEST = 1e13;

/** A tilt θ, and the ε or ln δ that a first approximation puts there [M45]. */
export interface Saddle {
  readonly theta: number;
  readonly epsilon: number;
  readonly logDelta: number;
}

/** The tilt for a given ln δ, at most `steepest`: where [K(θ) − ln δ − ln θ(θ + 1)]/θ is least. */
export function saddleForDelta(logMgf: LogMgf, logDelta: number, steepest = STEEPEST): Saddle {
  const epsilonAt = (u: number): number => {
    const t = Math.exp(u);
    return (logMgf(t) - logDelta - Math.log(t * (t + 1))) / t;
  };
  const u = leastPoint(epsilonAt, Math.log(steepest));
  return { theta: Math.exp(u), epsilon: epsilonAt(u), logDelta };
}

/** The tilt for a given ε: where K(θ) − θε − ln θ(θ + 1) is least. */
export function saddleForEpsilon(logMgf: LogMgf, epsilon: number, steepest = STEEPEST): Saddle {
  const logDeltaAt = (u: number): number => {
    const t = Math.exp(u);
    return logMgf(t) - t * epsilon - Math.log(t * (t + 1));
  };
  const u = leastPoint(logDeltaAt, Math.log(steepest));
  return { theta: Math.exp(u), epsilon, logDelta: logDeltaAt(u) };
}

/** A minimum of f over u = ln θ: a coarse scan that stops once f has risen, then golden sections. */
function leastPoint(f: (u: number) => number, most: number): number {
  let best = MIN_LOG;
  let least = Number.POSITIVE_INFINITY;
  let risen = 0;
  for (let u = Math.min(MIN_LOG, most); u <= most && risen < 4; u += 0.7) {
    const value = f(u);
    if (value < least) [best, least, risen] = [u, value, 0];
    else risen++;
  }
  const found = Math.min(most, leastAt(f, best - 0.7, best + 0.7, 0.02));
  return f(found) <= least ? found : best; // beyond the last tilt with a transform there is nothing to find
}

/** ln of the Chernoff bound on E(1 − e^{x−L})₊ at order s: K(s) − sx + s·ln s − (1 + s)·ln(1 + s) [M36]. */
export const chernoff = (k: number, s: number, x: number): number =>
  k - s * x + s * Math.log(s) - (1 + s) * Math.log1p(s);
