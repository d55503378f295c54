import { invalid } from "@dosimeter/core";
import { asUpper } from "@dosimeter/core/internal";
import { lowerAtoms } from "./atoms.ts";
import { renamed, type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { soundShape } from "./duality.ts";
import { piecewise } from "./piecewise.ts";
import { tangentAtoms } from "./profile.ts";
import { invertingRates } from "./rate-search.ts";

/** What one of the curves guarantees, not known which: the convex envelope of their minimum [M74]. */
export function minimum(curves: readonly TradeoffFunction[]): TradeoffFunction {
  return fold(curves, "min", convexMinimum);
}

/** What all the curves guarantee at once: their maximum, which is convex already [M74]. */
export function maximum(curves: readonly TradeoffFunction[]): TradeoffFunction {
  return fold(curves, "max", pairMaximum);
}

/** min{f, f⁻¹}**: what holds when either hypothesis may be the one with the person in it [M74]. */
export function symmetrise(curve: TradeoffFunction): TradeoffFunction {
  if (curve.isSymmetric) return curve;
  const both = convexMinimum(curve, curve.inverted());
  return tradeoffFunction(
    { ...renamed(both), isSymmetric: true },
    {
      label: `${curve.label} both ways`,
      definition: { symmetrise: curve.definition },
      isExact: curve.isExact,
      upper: () => (curve.upper === null ? null : symmetrise(curve.upper)),
    },
  );
}

function fold(
  curves: readonly TradeoffFunction[],
  kind: "min" | "max",
  combine: (f: TradeoffFunction, g: TradeoffFunction) => TradeoffFunction,
): TradeoffFunction {
  const [first, ...others] = Array.isArray(curves) ? curves : [];
  if (first === undefined) invalid("curves", curves, "at least one curve");
  const result = others.reduce(combine, first);
  const definitions = curves.map(({ definition }) => definition);
  return tradeoffFunction(renamed(result), {
    label: `${kind}(${curves.map(({ label }) => label).join(", ")})`,
    definition: kind === "min" ? { min: definitions } : { max: definitions },
    isExact: curves.every(({ isExact }) => isExact),
  });
}

/** min{f, g}**, with tails as exact as those of f and g. */
function convexMinimum(f: TradeoffFunction, g: TradeoffFunction): TradeoffFunction {
  const mu = asUpper(Math.max(f.gaussian.mu, g.gaussian.mu), "of bounds");
  const words = {
    label: `min(${f.label}, ${g.label})`,
    definition: { min: [f.definition, g.definition] },
    isExact: f.isExact && g.isExact,
  } as const;
  const gaussian = { mu, isLeast: f.gaussian.isLeast && g.gaussian.isLeast };
  const isSymmetric = f.isSymmetric && g.isSymmetric;
  if (f.atoms !== null && g.atoms !== null) {
    return tradeoffFunction({ ...piecewise(lowerAtoms(f.atoms, g.atoms), { isSymmetric }), gaussian }, words);
  }
  const shape = (a: TradeoffFunction, b: TradeoffFunction): Shape => {
    const invert = () => shape(a.inverted(), b.inverted());
    const envelope: Shape = { ...envelopeShape(a, b), isSymmetric, gaussian, invert };
    const pieces = () => piecewise(tangentAtoms(tradeoffFunction(envelope, words), PIECES), { isSymmetric });
    return soundShape({ isSymmetric, gaussian, invert }, [() => envelope, pieces]);
  };
  return tradeoffFunction(shape(f, g), words);
}

/** Pieces of an envelope where its own points broke an invariant. */
const PIECES = 4096;

function envelopeShape(f: TradeoffFunction, g: TradeoffFunction): Omit<Shape, "isSymmetric"> {
  /** The curve that supports the line of slope −e^x lower down. */
  const lower = (x: number) => (f.divergence(x) >= g.divergence(x) ? f : g);
  const divergence = (x: number) => Math.max(f.divergence(x), g.divergence(x));
  const touch = (x: number) => lower(x).touch(x);
  /** The tangents just left and right of α. */
  const around = (alpha: number) => {
    let [flat, steep] = [-745, 745];
    for (let i = 0; i < 80 && steep - flat > 1e-13 * (1 + Math.abs(steep)); i++) {
      const x = (flat + steep) / 2;
      if (touch(x) <= alpha) steep = x;
      else flat = x;
    }
    return { steep, flat };
  };
  const [forth, back] = [f.inverted(), g.inverted()];
  const backDivergence = (y: number) => Math.max(forth.divergence(y), back.divergence(y));
  /** 1 − power on the line of slope −e^x that supports both, x < 0. */
  const rest = (x: number, alpha: number) => Math.exp(x) * (1 - alpha - backDivergence(-x));
  const height = (x: number, alpha: number) => divergence(x) + Math.exp(x) * alpha;
  // Every line bounds the power of both, so a slope that is a little off costs sharpness and never truth.
  const slopes = (alpha: number) => {
    const own = [f, g].map((curve) => curve.logSlope(alpha));
    // A tangent of either curve that lies below the other one is a tangent of both.
    const [tangent] = own.filter((x, i) => Math.abs(x) < 700 && lower(x) === (i === 0 ? f : g));
    if (tangent !== undefined) return [tangent];
    const { steep, flat } = around(alpha);
    return [steep, flat, ...own].filter((x) => Math.abs(x) < 700);
  };
  const power = (alpha: number) => {
    const most = slopes(alpha).map((x) => (x < 0 ? 1 - rest(x, alpha) : height(x, alpha)));
    return Math.max(f.power(alpha), g.power(alpha), Math.min(1, ...(alpha === 0 ? [0] : most)));
  };
  const beta = (alpha: number) => {
    const least = slopes(alpha).map((x) => (x < 0 ? rest(x, alpha) : 1 - height(x, alpha)));
    return Math.min(f.beta(alpha), g.beta(alpha), Math.max(0, ...(alpha === 0 ? [1] : least)));
  };
  return {
    beta,
    power,
    logSlope(alpha) {
      if (alpha === 1) return Number.NEGATIVE_INFINITY;
      const { steep, flat } = around(alpha);
      const left = lower(steep);
      return left === lower(flat) ? left.logSlope(alpha) : flat;
    },
    divergence,
    touch,
    vertices: () => sharedVertices(f, g, beta),
  };
}

const ROUNDING = 2 ** -50;

function pairMaximum(f: TradeoffFunction, g: TradeoffFunction): TradeoffFunction {
  const shape = (a: TradeoffFunction, b: TradeoffFunction): Shape => ({
    ...maximumShape(a, b),
    isSymmetric: a.isSymmetric && b.isSymmetric,
    gaussian: { mu: asUpper(Math.min(a.gaussian.mu, b.gaussian.mu), "of bounds"), isLeast: false },
    invert: () => shape(a.inverted(), b.inverted()),
  });
  return tradeoffFunction(shape(f, g), {
    label: `max(${f.label}, ${g.label})`,
    definition: { max: [f.definition, g.definition] },
    isExact: f.isExact && g.isExact,
  });
}

function maximumShape(f: TradeoffFunction, g: TradeoffFunction): Omit<Shape, "isSymmetric"> {
  /** The higher curve at α; where they meet, the one that stays higher to the right. */
  const higher = (alpha: number) => {
    const [a, b] = alpha < 0.5 ? [g.power(alpha), f.power(alpha)] : [f.beta(alpha), g.beta(alpha)];
    if (a !== b) return a > b ? f : g;
    return f.logSlope(alpha) <= g.logSlope(alpha) ? f : g;
  };
  const beta = (alpha: number) => Math.max(f.beta(alpha), g.beta(alpha));
  const logSlope = (alpha: number) => higher(alpha).logSlope(alpha);
  /** Corners where the curves cross, with the log-slopes on both sides. */
  const found: { readonly alpha: number; readonly steep: number; readonly flat: number }[] = [];
  const touch = (x: number) => {
    // A line that supports one curve where it is the higher one supports both.
    const [a, b] = [f.touch(x), g.touch(x)];
    if (higher(a) === f) return a;
    if (higher(b) === g) return b;
    const known = found.find(({ steep, flat }) => flat <= x && x <= steep);
    if (known !== undefined) return known.alpha;
    const alpha = invertingRates((rate) => logSlope(rate) <= x);
    const slopes = [f.logSlope(alpha), g.logSlope(alpha)];
    const corner = { alpha, steep: Math.max(...slopes), flat: Math.min(...slopes) };
    if (corner.flat < x && x < corner.steep) found.push(corner);
    return alpha;
  };
  return {
    beta,
    power: (alpha) => Math.min(f.power(alpha), g.power(alpha)),
    logSlope,
    divergence(x) {
      const alpha = touch(x);
      // Where one curve is higher on both sides the support is its own; at a crossing it is a corner.
      for (const curve of [f, g]) {
        if (curve.touch(x) === alpha && higher(alpha) === curve) return curve.divergence(x);
      }
      // α is right to a few roundings, and so is the power there.
      const corner = Math.min(f.power(alpha), g.power(alpha)) * (1 + ROUNDING) - Math.exp(x) * alpha;
      return Math.min(f.divergence(x), g.divergence(x), Math.max(0, corner));
    },
    touch,
    vertices: () => sharedVertices(f, g, beta),
  };
}

function sharedVertices(f: TradeoffFunction, g: TradeoffFunction, beta: (alpha: number) => number) {
  const alphas = new Set([...f.vertices(), ...g.vertices()].map(({ alpha }) => alpha));
  return [...alphas].sort((a, b) => a - b).map((alpha) => ({ alpha, beta: beta(alpha) }));
}
