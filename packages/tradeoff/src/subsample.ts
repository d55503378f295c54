import { mixedLoss, productOf, risingRoot, unmixedLoss } from "@dosimeter/core/internal";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";
import { checkRate } from "./check.ts";
import { type CurveWords, renamed, type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { symmetrise } from "./extremes.ts";
import { numberLabel } from "./number-label.ts";
import { piecewise } from "./piecewise.ts";

/**
 * C_p(f): what f becomes when it sees a Poisson sample of rate p (add/remove), or m of n without replacement with
 * p = m/n (replace-one): min{f_p, f_p⁻¹}** with f_p = p·f + (1 − p)·Id [M73] (Dong–Roth–Su 2022, Theorem 9).
 */
export function subsample(rate: number, curve: TradeoffFunction): TradeoffFunction {
  checkRate(rate, "rate");
  const words = {
    label: `${numberLabel(rate)}-subsampled ${curve.label}`,
    definition: { subsample: [rate, curve.definition] },
    isExact: curve.isExact,
    upper: () => (curve.upper === null ? null : subsample(rate, curve.upper)),
  } as const;
  if (rate === 1 && curve.isSymmetric) return tradeoffFunction(renamed(curve), words);
  if (!curve.isSymmetric) {
    return tradeoffFunction(renamed(symmetrise(subsampleOneWay(rate, curve))), words);
  }
  const shape =
    curve.atoms === null ? curvedShape(rate, curve) : piecewise(sampledAtoms(rate, curve.atoms), { isSymmetric: true });
  return tradeoffFunction({ ...shape, gaussian: { mu: curve.gaussian.mu, isLeast: false } }, words);
}

/** f_p = p·f + (1 − p)·Id = T(P, (1 − p)·P + p·Q): the one direction in which the sampled person is removed [M73]. */
export function subsampleOneWay(rate: number, curve: TradeoffFunction): TradeoffFunction {
  checkRate(rate, "rate");
  const words: CurveWords = {
    label: `one-way ${numberLabel(rate)}-subsampled ${curve.label}`,
    definition: { subsampleOneWay: [rate, curve.definition] },
    isExact: curve.isExact,
    upper: () => (curve.upper === null ? null : subsampleOneWay(rate, curve.upper)),
  };
  const gaussian = { mu: curve.gaussian.mu, isLeast: false };
  if (curve.atoms !== null) return tradeoffFunction({ ...piecewise(mixedAtoms(rate, curve.atoms)), gaussian }, words);
  return tradeoffFunction({ ...oneWayShape(rate, curve), gaussian }, words);
}

const BELOW_ONE = 1 - 2 ** -53;

function mixedAtoms(rate: number, atoms: Atoms): Atoms {
  const list: Atom[] = [];
  for (let i = 0; i < atoms.loss.length; i++) {
    const p = atoms.p[i] ?? 0;
    const q = rate * (atoms.q[i] ?? 0) + (1 - rate) * p;
    list.push({ loss: mixedLoss(rate, atoms.loss[i] ?? 0), p, q });
  }
  if (rate < 1) list.push({ loss: Math.log1p(-rate), p: atoms.rest, q: (1 - rate) * atoms.rest });
  return atomsOf(list, productOf(rate, atoms.jump), rate < 1 ? 0 : atoms.rest);
}

/** For a symmetric curve: the steep half of f_p, a line of slope −1, and the steep half mirrored. */
function sampledAtoms(rate: number, atoms: Atoms): Atoms {
  const oneWay = mixedAtoms(rate, atoms);
  const list: Atom[] = [];
  let [width, height] = [0, oneWay.jump];
  for (let i = 0; i < oneWay.loss.length; i++) {
    const [loss, left] = [oneWay.loss[i] ?? 0, 1 - height - width];
    if (loss <= 0 || left <= 0) break;
    // A piece that crosses the diagonal ends there.
    const [p, q] = [oneWay.p[i] ?? 0, oneWay.q[i] ?? 0];
    const share = Math.min(1, left / (p + q));
    list.push({ loss, p: p * share, q: q * share }, { loss: -loss, p: q * share, q: p * share });
    width += p * share;
    height += q * share;
  }
  const flat = Math.max(0, 1 - height - width);
  return atomsOf([...list, { loss: 0, p: flat, q: flat }], oneWay.jump, oneWay.jump);
}

function oneWayShape(rate: number, curve: TradeoffFunction): Shape {
  const inverse = curve.inverted();
  const power = (alpha: number) => rate * curve.power(alpha) + (1 - rate) * alpha;
  const beta = (alpha: number) => rate * curve.beta(alpha) + (1 - rate) * (1 - alpha);
  const shape: Shape = {
    isSymmetric: false,
    beta,
    power,
    logSlope: (alpha) => (alpha === 1 ? Number.NEGATIVE_INFINITY : mixedLoss(rate, curve.logSlope(alpha))),
    divergence(x) {
      const inner = unmixedLoss(rate, x);
      return inner === Number.NEGATIVE_INFINITY ? -Math.expm1(x) : rate * curve.divergence(inner);
    },
    touch: (x) => (Math.expm1(x) < -rate ? 1 : curve.touch(unmixedLoss(rate, x))),
    vertices: () => curve.vertices().map(({ alpha }) => ({ alpha, beta: beta(alpha) })),
    invert: () => oneWayInverse(rate, inverse, shape),
  };
  return shape;
}

function oneWayInverse(rate: number, inverse: TradeoffFunction, forward: Shape): Shape {
  /** a with f_p(a) = b, from 1 − b. */
  const solve = (b: number) => {
    if (b >= forward.beta(0)) return 0;
    if (b === 0) return 1;
    const target = Math.log(1 - b);
    return Math.exp(risingRoot((x) => Math.log(forward.power(Math.exp(x))) - target, -745, 0));
  };
  return {
    isSymmetric: false,
    beta: solve,
    power: (b) => 1 - solve(b),
    logSlope: (b) => (b === 1 ? Number.NEGATIVE_INFINITY : -forward.logSlope(Math.min(solve(b), BELOW_ONE))),
    divergence(x) {
      const kept = -Math.expm1(x + Math.log1p(-rate));
      if (rate < 1 && kept <= 0) return 0;
      const scale = rate < 1 ? kept : 1;
      return scale * inverse.divergence(x + Math.log(rate) - Math.log(scale));
    },
    touch: (x) => forward.beta(forward.touch(-x)),
    vertices: () =>
      forward
        .vertices()
        .map(({ alpha, beta }) => ({ alpha: beta, beta: alpha }))
        .reverse(),
    invert: () => forward,
  };
}

function curvedShape(rate: number, curve: TradeoffFunction): Shape {
  const oneWay = oneWayShape(rate, curve);
  const inverse = oneWay.invert?.() ?? oneWay;
  const left = curve.touch(0);
  const right = oneWay.beta(left);
  const beta = (alpha: number) => {
    if (alpha <= left) return oneWay.beta(alpha);
    return alpha <= right ? left + (right - alpha) : inverse.beta(alpha);
  };
  const divergence = (x: number): number =>
    x >= 0 ? oneWay.divergence(x) : -Math.expm1(x) + Math.exp(x) * divergence(-x);
  return {
    isSymmetric: true,
    beta,
    power(alpha) {
      if (alpha <= left) return oneWay.power(alpha);
      return alpha <= right ? oneWay.power(left) + (alpha - left) : 1 - inverse.beta(alpha);
    },
    logSlope(alpha) {
      if (alpha < left) return oneWay.logSlope(alpha);
      return alpha < right ? 0 : inverse.logSlope(alpha);
    },
    divergence,
    touch: (x) => (x >= 0 ? oneWay.touch(x) : oneWay.beta(oneWay.touch(-x))),
    vertices: () =>
      [...new Set([...curve.vertices().map(({ alpha }) => alpha), left, right])]
        .sort((a, b) => a - b)
        .map((alpha) => ({ alpha, beta: beta(alpha) })),
  };
}
