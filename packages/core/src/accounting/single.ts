import { eachGaussPoint } from "../numeric/quadrature.ts";
import type { Interval } from "./contour.ts";
import { type LossDistribution, type Piece, reach } from "./loss-distribution.ts";

/** A few hundred positive terms, each within some 1e-14 (exponents below 60); the rule itself errs by less than 1e-16. */
const MARGIN = 5e-13;

/** δ(ε) of one spend, by its definition E(1 − e^{ε − L})₊ over the finite part scaled to mass 1 [M40]. */
export function singleDelta(distribution: LossDistribution, epsilon: number): Interval {
  let sum = 0;
  for (const { loss, mass } of distribution.atoms) if (loss > epsilon) sum += mass * -Math.expm1(epsilon - loss);
  for (const piece of distribution.pieces) sum += pieceDelta(piece, epsilon);
  const value = sum / (1 - distribution.infinite);
  return { upper: value * (1 + MARGIN), lower: value * (1 - MARGIN) };
}

function pieceDelta(piece: Piece, epsilon: number): number {
  const rising = piece.loss(Math.max(piece.from, -1)) < piece.loss(Math.min(piece.to, 1));
  const [low, high] = reach(piece, 0);
  const edge = Math.min(high, Math.max(low, piece.inverse(epsilon)));
  const [from, to] = rising
    ? [edge, Math.min(piece.to, reachUp(piece, edge, 1))]
    : [Math.max(piece.from, reachUp(piece, edge, -1)), edge];
  if (!(to > from)) return 0;
  let sum = 0;
  eachGaussPoint(from, to, Math.max(4, Math.ceil((4 * (to - from)) / piece.spread)), (x, weight) => {
    const gap = epsilon - piece.loss(x);
    if (gap < 0) sum += weight * Math.exp(piece.logDensity(x)) * -Math.expm1(gap);
  });
  return sum;
}

/** How far from `edge` the density can still matter: until it has fallen by e^−60 from its largest value. */
function reachUp(piece: Piece, edge: number, sign: 1 | -1): number {
  let high = piece.logDensity(edge);
  let x = edge;
  for (let i = 0; i < 4000; i++) {
    x += sign * 0.25 * piece.spread;
    if (x < piece.from || x > piece.to) return x;
    const value = piece.logDensity(x);
    high = Math.max(high, value);
    if (value < high - 60) return x;
  }
  return x;
}
