import { invalid } from "@dosimeter/core";
import { discreteGaussian as noiseOf } from "@dosimeter/core/internal";
import { type Atom, atomsOf } from "./atoms.ts";
import { checkCount, checkFinite, checkNonNegative, checkRate } from "./check.ts";
import { type CurveWords, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { numberLabel } from "./number-label.ts";
import { piecewise } from "./piecewise.ts";

/**
 * T(P, Q) of two probability vectors over the same outcomes, by Neyman and Pearson: outcomes by falling Q/P [M62].
 * Each must sum to 1 within 1e-9; it is then taken to sum to 1.
 */
export function fromPair(p: readonly number[], q: readonly number[], label = "discrete pair"): TradeoffFunction {
  const [ps, qs] = [probabilities(p, "p"), probabilities(q, "q")];
  if (ps.length !== qs.length) invalid("q", `${qs.length} values`, `as many as p: ${ps.length}`);
  const words: CurveWords = { label, definition: { pair: [p, q] } };
  return fromAtoms(
    ps.map((mass, i) => ({ p: mass, q: qs[i] ?? 0, loss: Math.log(qs[i] ?? 0) - Math.log(mass) })),
    words,
  );
}

function fromAtoms(list: readonly Atom[], words: CurveWords, isSymmetric = false): TradeoffFunction {
  let [jump, rest] = [0, 0];
  const both: Atom[] = [];
  for (const atom of list) {
    if (atom.p === 0 && atom.loss === Number.POSITIVE_INFINITY) jump += atom.q;
    else if (atom.q === 0 && atom.loss === Number.NEGATIVE_INFINITY) rest += atom.p;
    else if (atom.p > 0 || atom.q > 0) both.push(atom);
  }
  return tradeoffFunction(piecewise(atomsOf(both, jump, rest), { isSymmetric }), words);
}

function probabilities(values: readonly number[], name: string): readonly number[] {
  if (!Array.isArray(values) || values.length === 0) invalid(name, values, "a list of probabilities");
  let sum = 0;
  for (const [i, value] of values.entries()) sum += checkRate(value, `${name}[${i}]`);
  if (Math.abs(sum - 1) > 1e-9) invalid(name, sum, "probabilities that sum to 1");
  return values.map((value) => value / sum);
}

/** k-ary randomised response with ε-DP: the truth with probability e^ε/(e^ε + k − 1) [M72]. */
export function randomizedResponse(epsilon: number, categories = 2): TradeoffFunction {
  checkFinite(epsilon, "epsilon");
  if (!Number.isSafeInteger(categories) || categories < 2) invalid("categories", categories, "an integer >= 2");
  const truth = 1 / (1 + (categories - 1) * Math.exp(-epsilon));
  const lie = Math.exp(-epsilon) * truth;
  const atoms = [
    { loss: epsilon, p: lie, q: truth },
    { loss: 0, p: (categories - 2) * lie, q: (categories - 2) * lie },
    { loss: -epsilon, p: truth, q: lie },
  ];
  const label = `${categories}-ary randomised response, ε = ${numberLabel(epsilon)}`;
  const definition = { mechanism: { kind: "randomizedResponse", epsilon, categories } } as const;
  return fromAtoms(atoms, { label, definition }, true);
}

/** Staircase noise of ε-DP with step share γ in [0, 1]; γ = ½ is f_{ε,0} [M72] (Geng–Viswanath 2014). */
export function staircase(epsilon: number, gamma: number): TradeoffFunction {
  checkFinite(epsilon, "epsilon");
  checkRate(gamma, "gamma");
  const shrink = Math.exp(-epsilon);
  const height = -Math.expm1(-epsilon) / (2 * (gamma + shrink * (1 - gamma)));
  const flat = epsilon === 0 ? 1 : Math.abs(1 - 2 * gamma) * (gamma > 0.5 ? height : height * shrink);
  const small = ((1 - flat) * shrink) / (1 + shrink);
  const large = (1 - flat) / (1 + shrink);
  const atoms = [
    { loss: epsilon, p: small, q: large },
    { loss: 0, p: flat, q: flat },
    { loss: -epsilon, p: large, q: small },
  ];
  const label = `staircase, ε = ${numberLabel(epsilon)}, γ = ${numberLabel(gamma)}`;
  return fromAtoms(atoms, { label, definition: { staircase: [epsilon, gamma] } }, true);
}

/** Integer noise Pr[x] ∝ e^(−|x|/scale) on an integer of the given sensitivity; at sensitivity 1 it is f_{1/scale,0} [M72]. */
export function discreteLaplace(scale: number, sensitivity = 1): TradeoffFunction {
  if (!(checkNonNegative(scale, "scale") > 0)) invalid("scale", scale, "a number > 0");
  checkCount(sensitivity, "sensitivity");
  const step = 1 / scale;
  const zero = Math.tanh(step / 2);
  // Beyond either mean every outcome has the loss ± sensitivity/scale; between them it falls by 2/scale per integer.
  const tail = 1 / (1 + Math.exp(-step));
  const epsilon = sensitivity * step;
  const atoms: Atom[] = [
    { loss: epsilon, p: tail * Math.exp(-epsilon), q: tail },
    { loss: -epsilon, p: tail, q: tail * Math.exp(-epsilon) },
  ];
  for (let x = 1; x < sensitivity; x++) {
    atoms.push({
      loss: (2 * x - sensitivity) * step,
      p: zero * Math.exp(-x * step),
      q: zero * Math.exp(-(sensitivity - x) * step),
    });
  }
  const label = `discrete Laplace, scale ${numberLabel(scale)}, sensitivity ${sensitivity}`;
  const definition = { mechanism: { kind: "discreteLaplace", scale, sensitivity } } as const;
  return fromAtoms(atoms, { label, definition }, true);
}

/** Integer noise Pr[x] ∝ e^(−x²/2σ²) on an integer of the given sensitivity; not Δ/σ-GDP [M72]. What is cut far out shows the person. */
export function discreteGaussian(sigma: number, sensitivity = 1): TradeoffFunction {
  if (!(checkFinite(sigma, "sigma") > 0)) invalid("sigma", sigma, "a finite number > 0");
  checkCount(sensitivity, "sensitivity");
  if (39 * sigma + sensitivity > 2e6)
    invalid("sigma", sigma, "at most 50,000: use gaussian noise, which it then resembles");
  const { reach, mass, cut } = noiseOf(sigma, sensitivity);
  const atoms: Atom[] = [
    { loss: Number.POSITIVE_INFINITY, p: 0, q: cut },
    { loss: Number.NEGATIVE_INFINITY, p: cut, q: 0 },
  ];
  for (let x = -reach; x <= reach + sensitivity; x++) {
    const loss = (sensitivity * (2 * x - sensitivity)) / (2 * sigma * sigma);
    atoms.push({ loss, p: mass(x), q: mass(x - sensitivity) });
  }
  const label = `discrete Gaussian, σ = ${numberLabel(sigma)}, sensitivity ${sensitivity}`;
  const definition = { mechanism: { kind: "discreteGaussian", sigma, sensitivity } } as const;
  return fromAtoms(atoms, { label, definition }, true);
}
