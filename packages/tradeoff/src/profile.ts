import { invalid } from "@dosimeter/core";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";
import { checkNonNegative, checkRate } from "./check.ts";
import { type CurveWords, type GaussianBound, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { atomsBelow } from "./lattice.ts";
import { piecewise } from "./piecewise.ts";

/** One guarantee of a privacy profile. */
export interface ProfilePoint {
  readonly epsilon: number;
  readonly delta: number;
}

/** A profile δ(ε) as a function of ε ≥ 0: what a curve guarantees at every ε, in both directions [M61]. */
export const profileOf =
  (curve: TradeoffFunction): ((epsilon: number) => number) =>
  (epsilon) => {
    checkNonNegative(epsilon, "epsilon");
    const there = curve.divergence(epsilon);
    return curve.isSymmetric ? there : Math.max(there, curve.inverted().divergence(epsilon));
  };

/**
 * The trade-off function that a profile implies: sup over ε of f_{ε,δ(ε)} [M61]. Given a finite list it is exact for
 * that list; given a function it uses 4,001 values of ε from 0 to `upTo`, and any such choice is a valid lower bound.
 */
export function fromProfile(
  profile: readonly ProfilePoint[] | ((epsilon: number) => number),
  options: { readonly upTo?: number; readonly label?: string } = {},
): TradeoffFunction {
  const { upTo = 50, label = "profile" } = options;
  const points = typeof profile === "function" ? sampled(profile, upTo) : profile;
  if (!Array.isArray(points) || points.length === 0) invalid("profile", points, "at least one (ε, δ)");
  for (const [i, { epsilon, delta }] of points.entries()) {
    checkNonNegative(epsilon, `profile[${i}].epsilon`);
    checkRate(delta, `profile[${i}].delta`);
  }
  const words: CurveWords = {
    label,
    definition: { profile: points.map(({ epsilon, delta }) => [epsilon, delta] as const) },
    isExact: typeof profile !== "function",
  };
  return tradeoffFunction(piecewise(symmetricAtoms(points), { isSymmetric: true }), words);
}

function sampled(profile: (epsilon: number) => number, upTo: number): readonly ProfilePoint[] {
  if (!(upTo > 0 && Number.isFinite(upTo))) invalid("upTo", upTo, "a finite number > 0");
  const count = 4000;
  return Array.from({ length: count + 1 }, (_, i) => {
    const epsilon = (upTo * i * i) / (count * count);
    return { epsilon, delta: Math.min(1, Math.max(0, profile(epsilon))) };
  });
}

/** The upper envelope of the lines 1 − δ − e^ε·α left of the diagonal, and its mirror image right of it. */
function symmetricAtoms(points: readonly ProfilePoint[]): Atoms {
  const lines = points
    .filter(({ epsilon }) => Number.isFinite(epsilon))
    .sort((a, b) => b.epsilon - a.epsilon || a.delta - b.delta);
  const least = points.reduce((min, { delta }) => Math.min(min, delta), 1);
  const hull: { readonly epsilon: number; readonly delta: number; readonly from: number }[] = [];
  for (const line of lines) {
    let from = 0;
    while (hull.length > 0) {
      const top = hull[hull.length - 1];
      if (top === undefined || top.epsilon === line.epsilon) break;
      from = (line.delta - top.delta) / (Math.exp(line.epsilon) * Math.expm1(top.epsilon - line.epsilon));
      if (from > top.from) break;
      hull.pop();
      from = 0;
    }
    const top = hull.at(-1);
    if (top?.epsilon === line.epsilon) continue;
    if (hull.length === 0) hull.push({ ...line, from: 0 });
    else hull.push({ ...line, from });
  }
  if (hull.length === 0) return atomsOf([], least, least);
  const atoms: Atom[] = [];
  for (const [i, { epsilon, delta, from }] of hull.entries()) {
    // The line reaches the diagonal at (1 − δ)/(1 + e^ε); what lies beyond is the mirror image.
    const diagonal = ((1 - delta) * Math.exp(-epsilon)) / (1 + Math.exp(-epsilon));
    const end = Math.min(hull[i + 1]?.from ?? Number.POSITIVE_INFINITY, diagonal);
    const width = Math.max(0, end - from);
    const height = width * Math.exp(epsilon);
    atoms.push({ loss: epsilon, p: width, q: height }, { loss: -epsilon, p: height, q: width });
    if (end === diagonal) break;
  }
  const outright = hull[0]?.delta ?? least;
  return atomsOf(atoms, outright, outright);
}

/** A privacy loss distribution: Pr[ln(Q/P) = loss] under Q, with the mass at +∞ apart [M62]. */
export interface LossDistribution {
  readonly losses: readonly number[];
  readonly probabilities: readonly number[];
  readonly infinite: number;
}

/** The curve of a privacy loss distribution: T(P, Q) with P = Q·e^(−loss) [M62]; `gaussian` where a μ below it is known. */
export function fromLosses(
  distribution: LossDistribution,
  label = "privacy loss distribution",
  gaussian?: GaussianBound,
): TradeoffFunction {
  const { losses, probabilities, infinite } = distribution;
  if (losses.length !== probabilities.length) invalid("probabilities", probabilities.length, `${losses.length} values`);
  checkRate(infinite, "infinite");
  const atoms = losses.map((loss, i) => {
    if (!Number.isFinite(loss)) invalid(`losses[${i}]`, loss, "a finite number; put mass at infinity in `infinite`");
    const q = checkRate(probabilities[i] ?? Number.NaN, `probabilities[${i}]`);
    return { loss, p: q * Math.exp(-loss), q };
  });
  const [p, q] = [atoms.reduce((sum, a) => sum + a.p, 0), atoms.reduce((sum, a) => sum + a.q, infinite)];
  if (Math.abs(q - 1) > 1e-9) invalid("probabilities", q, "probabilities that sum to 1 with `infinite`");
  if (p > 1 + 1e-9) invalid("losses", p, "losses with E[e^(−loss)] <= 1");
  const shape = piecewise(atomsOf(atoms, infinite, Math.max(0, 1 - p)));
  return tradeoffFunction(gaussian === undefined ? shape : { ...shape, gaussian }, {
    label,
    definition: { given: label },
  });
}

/** The privacy loss distribution of a curve: exact for pieces, from `cells` tangents (never less loss) otherwise. */
export function lossDistribution(curve: TradeoffFunction, cells = 2048): LossDistribution {
  const { loss, q, jump } = curve.atoms ?? tangentAtoms(curve, cells);
  return { losses: Array.from(loss), probabilities: Array.from(q), infinite: jump };
}

/** A piecewise-linear lower bound of a curve in about `cells` pieces; its own where it is piecewise linear [M69]. */
export function tangentAtoms(curve: TradeoffFunction, cells: number): Atoms {
  return curve.atoms ?? atomsBelow(curve, cells);
}
