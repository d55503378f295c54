import { invalid, PrivacyError } from "@dosimeter/core";
import type { Upper } from "@dosimeter/core/accounting";
import { asUpper } from "@dosimeter/core/internal";
import type { Atoms } from "./atoms.ts";
import { checkNumber, checkRate } from "./check.ts";
import type { CurveDefinition } from "./definition.ts";

/** A point of a trade-off function: type I error and type II error. */
export interface TradeoffPoint {
  readonly alpha: number;
  readonly beta: number;
}

/**
 * f = T(P, Q): the least type II error β of any test of P against Q with type I error α [M60].
 * Immutable. Where `isExact` is false the curve is a certified lower bound, and `upper`, where known, a certified upper one.
 */
export interface TradeoffFunction {
  /** The skeleton, as `vertices()`. */
  (): readonly TradeoffPoint[];
  /** β at one α, or the points at several, as `beta` and `evaluate`. */
  (alpha: number): number;
  (alphas: readonly number[]): readonly TradeoffPoint[];
  readonly label: string;
  readonly definition: CurveDefinition;
  readonly isExact: boolean;
  /** f = f⁻¹: the curve stays the same when the two hypotheses are exchanged. */
  readonly isSymmetric: boolean;
  readonly upper: TradeoffFunction | null;
  /** The linear pieces, for a piecewise-linear curve. */
  readonly atoms: Atoms | null;
  /** A μ with G_μ ≤ f; `isLeast` where no smaller one does. ∞ where none is known. */
  readonly gaussian: GaussianBound;
  /** f(α), α in [0, 1]. Relative error about 1e-15. */
  beta(alpha: number): number;
  /** 1 − f(α), the greatest true positive rate at false positive rate α; accurate however small. */
  power(alpha: number): number;
  /** ln(1 − f(α)); −∞ where the power is 0. */
  logPower(alpha: number): number;
  /** The right derivative f′(α) in [−∞, 0]. */
  slope(alpha: number): number;
  /** ln(−f′(α)), the privacy loss at the threshold of that test; −∞ where f is flat. */
  logSlope(alpha: number): number;
  /** The smallest α whose test has type II error at most β: f⁻¹(β), β in [0, 1]. */
  inverse(beta: number): number;
  /** δ(ε) = 1 − min over α of f(α) + e^ε·α, for any real ε, in this direction only [M61]. */
  divergence(epsilon: number): number;
  /** The smallest α at which a line of slope −e^ε supports the curve. */
  touch(epsilon: number): number;
  /** Kinks and end points of a piecewise-linear curve; for a curved one the points that a plot draws by default. */
  vertices(): readonly TradeoffPoint[];
  evaluate(alphas: readonly number[]): readonly TradeoffPoint[];
  /** T(Q, P): the same curve with the two errors exchanged. */
  inverted(): TradeoffFunction;
  toString(): string;
}

/** All of a curve but its calls. */
type TradeoffMembers = { readonly [K in keyof TradeoffFunction]: TradeoffFunction[K] };

export interface GaussianBound {
  readonly mu: Upper;
  readonly isLeast: boolean;
}

const unknownBound: GaussianBound = Object.freeze({
  mu: asUpper(Number.POSITIVE_INFINITY, "exact"),
  isLeast: false,
});

/** What a family of curves implements; `tradeoffFunction` checks the arguments first. */
export interface Shape {
  readonly isSymmetric: boolean;
  readonly atoms?: Atoms;
  readonly gaussian?: GaussianBound;
  beta(alpha: number): number;
  power(alpha: number): number;
  logPower?(alpha: number): number;
  logSlope(alpha: number): number;
  divergence(epsilon: number): number;
  touch(epsilon: number): number;
  vertices(): readonly TradeoffPoint[];
  /** Left out where `isSymmetric`. */
  invert?(): Shape;
}

export interface CurveWords {
  readonly label: string;
  readonly definition: CurveDefinition;
  /** `toString`; the label when left out. */
  readonly text?: string;
  readonly isExact?: boolean;
  /** Called when `upper` is first read. */
  readonly upper?: () => TradeoffFunction | null;
}

export function tradeoffFunction(shape: Shape, words: CurveWords): TradeoffFunction {
  const { label, definition, text = label, isExact = true } = words;
  const inverseShape = shape.isSymmetric ? shape : shape.invert?.();
  if (inverseShape === undefined) throw new PrivacyError("INTERNAL", {}, `${label} has no inverse`);
  const upper = once(words.upper ?? (() => null));
  const beta = (alpha: number) => shape.beta(checkRate(alpha, "alpha"));
  const vertices = () => shape.vertices();
  const evaluate = (alphas: readonly number[]) =>
    alphas.map((alpha, i) => ({ alpha, beta: shape.beta(checkRate(alpha, `alpha[${i}]`)) }));
  const members: TradeoffMembers = {
    label,
    definition,
    isExact,
    isSymmetric: shape.isSymmetric,
    get upper() {
      return upper();
    },
    atoms: shape.atoms ?? null,
    gaussian: shape.gaussian ?? unknownBound,
    beta,
    power: (alpha) => shape.power(checkRate(alpha, "alpha")),
    logPower: (alpha) =>
      shape.logPower?.(checkRate(alpha, "alpha")) ?? Math.log(shape.power(checkRate(alpha, "alpha"))),
    slope: (alpha) => -Math.exp(shape.logSlope(checkRate(alpha, "alpha"))),
    logSlope: (alpha) => shape.logSlope(checkRate(alpha, "alpha")),
    inverse: (value) => inverseShape.beta(checkRate(value, "beta")),
    divergence: (epsilon) => shape.divergence(checkNumber(epsilon, "epsilon")),
    touch: (epsilon) => shape.touch(checkNumber(epsilon, "epsilon")),
    vertices,
    evaluate,
    inverted: () =>
      shape.isSymmetric
        ? curve
        : tradeoffFunction(
            { ...inverseShape, invert: () => shape },
            {
              label: `${label} inverse`,
              definition: { inverse: definition },
              isExact,
              upper: () => upper()?.inverted() ?? null,
            },
          ),
    toString: () => text,
  };
  const call = (alpha?: number | readonly number[]) =>
    alpha === undefined ? vertices() : typeof alpha === "number" ? beta(alpha) : evaluate(alpha);
  const curve = Object.freeze(
    Object.defineProperties(call, Object.getOwnPropertyDescriptors(members)),
  ) as TradeoffFunction;
  return curve;
}

export const isTradeoffFunction = (value: unknown): value is TradeoffFunction =>
  typeof value === "function" && "divergence" in value;

/** A curve as a shape, so that it can get another label. */
export function renamed(curve: TradeoffFunction): Shape {
  const inverse = curve.isSymmetric ? curve : curve.inverted();
  return {
    isSymmetric: curve.isSymmetric,
    ...(curve.atoms === null ? {} : { atoms: curve.atoms }),
    gaussian: curve.gaussian,
    beta: curve.beta,
    power: curve.power,
    logPower: curve.logPower,
    logSlope: curve.logSlope,
    divergence: curve.divergence,
    touch: curve.touch,
    vertices: curve.vertices,
    invert: () => renamed(inverse),
  };
}

export function named(curve: TradeoffFunction, label: string): TradeoffFunction {
  if (typeof label !== "string" || label.trim() === "") {
    invalid("label", label, "a name");
  }
  const { definition, isExact } = curve;
  return tradeoffFunction(renamed(curve), {
    label,
    definition,
    text: curve.toString(),
    isExact,
    upper: () => curve.upper,
  });
}

/** A value computed on first use. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
