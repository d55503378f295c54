import { discreteGaussian as noiseOf } from "../accounting/loss-distribution.ts";
import { invalid } from "../error.ts";
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

/**
 * n people each with an ε₀-DP local report, shuffled: the dominating pair of Feldman–McMillan–Talwar 2023 [M72].
 * Symmetric. Costs about n² outcomes; n is at most 2,000.
 */
export function shuffled(epsilon: number, people: number): TradeoffFunction {
  checkFinite(epsilon, "epsilon");
  checkCount(people, "people");
  if (people > 2000) invalid("people", people, "at most 2000");
  const blanket = 2 / (Math.exp(epsilon) + 1);
  const keep = 1 / (1 + Math.exp(-epsilon));
  const clones = binomial(people - 1, blanket);
  const masses = new Map<string, { p: number; q: number; ones: number; all: number }>();
  for (const [clone, weight] of clones.entries()) {
    if (weight === 0) continue;
    for (const [ones, share] of binomial(clone, 0.5).entries()) {
      for (const [truth, chance] of [
        [1, keep],
        [0, 1 - keep],
      ] as const) {
        const mass = weight * share * chance;
        add(masses, ones + truth, clone + 1, { p: mass, q: 0 });
        add(masses, ones + 1 - truth, clone + 1, { p: 0, q: mass });
      }
    }
  }
  const odds = Math.exp(epsilon);
  const atoms = [...masses.values()].map(({ p, q, ones, all }) => {
    // q/p in closed form: both sums share their binomials.
    const others = all - ones;
    return { p, q, loss: Math.log(odds * others + ones) - Math.log(odds * ones + others) };
  });
  const label = `${people} shuffled reports, ε₀ = ${numberLabel(epsilon)}`;
  return fromAtoms(atoms, { label, definition: { shuffle: [epsilon, people] } }, true);
}

function add(
  masses: Map<string, { p: number; q: number; ones: number; all: number }>,
  ones: number,
  all: number,
  mass: { readonly p: number; readonly q: number },
): void {
  const key = `${ones}/${all}`;
  const cell = masses.get(key) ?? { p: 0, q: 0, ones, all };
  cell.p += mass.p;
  cell.q += mass.q;
  masses.set(key, cell);
}

/** Binomial probabilities of 0 … n. */
function binomial(n: number, rate: number): readonly number[] {
  if (rate >= 1) return Array.from({ length: n + 1 }, (_, k) => (k === n ? 1 : 0));
  const masses = [1];
  const mode = Math.min(n, Math.floor((n + 1) * rate));
  const odds = rate / (1 - rate);
  const up: number[] = [];
  for (let k = mode, m = 1; k < n; k++) {
    m *= ((n - k) / (k + 1)) * odds;
    up.push(m);
  }
  const down: number[] = [];
  for (let k = mode, m = 1; k > 0; k--) {
    m *= k / ((n - k + 1) * odds);
    down.push(m);
  }
  const list = [...down.reverse(), ...masses, ...up];
  const total = list.reduce((sum, m) => sum + m, 0);
  return list.map((m) => m / total);
}
