import { type Atom, type Atoms, atomsOf, sortedAtoms } from "./atoms.ts";
import { checkCount, refuse } from "./check.ts";
import { type Convolution, convolve, gathered, repeated, UNRESOLVED, windowOf } from "./convolve.ts";
import { type CurveWords, renamed, type Shape, type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import type { CurveDefinition } from "./definition.ts";
import { gdp } from "./gdp.ts";
import { latticeAbove, latticeBelow, usefulRange } from "./lattice.ts";
import { piecewise } from "./piecewise.ts";

/**
 * f₁ ⊗ … ⊗ f_n: what n mechanisms give together, each chosen by what the earlier ones said [M72]. Exact for Gaussians,
 * and for piecewise-linear curves while their corners stay countable; otherwise a certified lower bound with its `upper`.
 */
export function compose(curves: readonly TradeoffFunction[]): TradeoffFunction {
  if (!Array.isArray(curves) || curves.length === 0) refuse("curves", curves, "at least one curve");
  return composeCounted(counted(curves));
}

/** f ⊗ … ⊗ f, `count` times. */
export function selfCompose(count: number, curve: TradeoffFunction): TradeoffFunction {
  checkCount(count, "count");
  return composeCounted([{ curve, count }]);
}

interface Counted {
  readonly curve: TradeoffFunction;
  readonly count: number;
}

function counted(curves: readonly TradeoffFunction[]): readonly Counted[] {
  const groups = new Map<string, { curve: TradeoffFunction; count: number }>();
  for (const [i, curve] of curves.entries()) {
    const key = "given" in curve.definition ? `${i}` : JSON.stringify(curve.definition);
    const same = groups.get(key);
    if (same === undefined) groups.set(key, { curve, count: 1 });
    else same.count++;
  }
  return [...groups.values()];
}

function composeCounted(list: readonly Counted[]): TradeoffFunction {
  const words = wordsOf(list);
  const [first] = list;
  if (list.length === 1 && first?.count === 1)
    return tradeoffFunction(renamed(first.curve), { ...words, label: first.curve.label, text: first.curve.toString() });
  const rest = gatherGaussians(list);
  const [only] = rest;
  if (only === undefined) return tradeoffFunction(renamed(gdp(0)), words);
  if (rest.length === 1 && only.count === 1) {
    return tradeoffFunction(renamed(only.curve), {
      ...words,
      isExact: only.curve.isExact,
      upper: () => only.curve.upper,
    });
  }
  const mu = Math.sqrt(list.reduce((sum, { curve, count }) => sum + count * curve.gaussian.mu ** 2, 0));
  const gaussian = { mu: mu * (1 + 1e-15), isLeast: false };
  const isSymmetric = list.every(({ curve }) => curve.isSymmetric);
  const exact = exactAtoms(rest);
  if (exact !== null) {
    const isExact = list.every(({ curve }) => curve.isExact);
    return tradeoffFunction({ ...piecewise(exact, { isSymmetric }), gaussian }, { ...words, isExact });
  }
  return bracket(rest, { isSymmetric, gaussian, words });
}

/** Σμ² of the Gaussians as one of them; no privacy loss is left out. */
function gatherGaussians(list: readonly Counted[]): readonly Counted[] {
  let square = 0;
  const others: Counted[] = [];
  for (const { curve, count } of list) {
    if ("gdp" in curve.definition) square += count * curve.definition.gdp ** 2;
    else if (curve.gaussian.mu !== 0) others.push({ curve, count });
  }
  return square === 0 ? others : [...others, { curve: gdp(rootOf(square)), count: 1 }];
}

/** √x, exact for squares of short decimals such as .36 + .64. */
function rootOf(square: number): number {
  const root = Math.sqrt(square);
  const short = Number(root.toPrecision(14));
  return Math.abs(short - root) <= 2 * Number.EPSILON * root ? short : root;
}

function wordsOf(list: readonly Counted[]): CurveWords {
  const [first] = list;
  if (first !== undefined && list.length === 1) {
    return {
      label: `${first.count} × ${first.curve.label}`,
      definition: { selfCompose: [first.count, first.curve.definition] },
    };
  }
  const parts: CurveDefinition[] = list.map(({ curve, count }) =>
    count === 1 ? curve.definition : { selfCompose: [count, curve.definition] },
  );
  const names = list.map(({ curve, count }) => (count === 1 ? curve.label : `${count} × ${curve.label}`));
  const shown = names.length <= 4 ? names.join(" ⊗ ") : `${names.slice(0, 3).join(" ⊗ ")} ⊗ ${names.length - 3} more`;
  return { label: shown, definition: { compose: parts } };
}

const MOST_ATOMS = 4096;
const MOST_WORK = 2e7;

/** The product pair atom by atom; null where there would be too many of them. */
function exactAtoms(list: readonly Counted[]): Atoms | null {
  let product: Atoms = atomsOf([{ loss: 0, p: 1, q: 1 }]);
  const work = { left: MOST_WORK };
  for (const { curve, count } of list) {
    if (curve.atoms === null || !curve.isExact) return null;
    const power = atomsPower(curve.atoms, count, work);
    if (power === null) return null;
    const next = atomsProduct(product, power, work);
    if (next === null) return null;
    product = next;
  }
  return product;
}

function atomsPower(atoms: Atoms, count: number, work: { left: number }): Atoms | null {
  let result: Atoms | null = null;
  let square: Atoms | null = atoms;
  for (let rest = count; rest > 0 && square !== null; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) {
      result = result === null ? square : atomsProduct(result, square, work);
      if (result === null) return null;
    }
    if (rest > 1) square = atomsProduct(square, square, work);
    if (rest > 1 && square === null) return null;
  }
  return result;
}

function atomsProduct(a: Atoms, b: Atoms, work: { left: number }): Atoms | null {
  const size = a.loss.length * b.loss.length;
  work.left -= size;
  if (work.left < 0 || size > MOST_ATOMS * 64) return null;
  const list: Atom[] = [];
  for (let i = 0; i < a.loss.length; i++) {
    for (let j = 0; j < b.loss.length; j++) {
      list.push({
        loss: (a.loss[i] ?? 0) + (b.loss[j] ?? 0),
        p: (a.p[i] ?? 0) * (b.p[j] ?? 0),
        q: (a.q[i] ?? 0) * (b.q[j] ?? 0),
      });
    }
  }
  const product = atomsOf(list, either(a.jump, b.jump), either(a.rest, b.rest));
  return product.loss.length > MOST_ATOMS ? null : product;
}

/** 1 − (1 − x)(1 − y). */
const either = (x: number, y: number): number => x + y - x * y;

interface BracketOptions {
  readonly isSymmetric: boolean;
  readonly gaussian: { readonly mu: number; readonly isLeast: boolean };
  readonly words: CurveWords;
}

/** Lower and upper bounds on a common lattice of losses. */
function bracket(list: readonly Counted[], { isSymmetric, gaussian, words }: BracketOptions): TradeoffFunction {
  const size = list.length > 2000 ? 2 ** 14 : 2 ** 16;
  const step = stepFor(list, size);
  const below = latticeShape(
    convolve(gathered(list.map(({ curve, count }) => repeated(latticeBelow(curve, step), count))), size),
    1,
    isSymmetric,
  );
  const hasUpper = list.every(({ curve }) => curve.isExact);
  return tradeoffFunction(
    { ...below, gaussian },
    {
      ...words,
      isExact: false,
      upper: () => (hasUpper ? upperBound(list, { size, step, isSymmetric, label: words.label }) : null),
    },
  );
}

/** The upper bound, on a lattice four times as coarse: it certifies, it is not drawn. */
function upperBound(
  list: readonly Counted[],
  {
    size,
    step,
    isSymmetric,
    label,
  }: { readonly size: number; readonly step: number; readonly isSymmetric: boolean; readonly label: string },
): TradeoffFunction {
  const coarser = step * COARSER;
  const parts = list.map(({ curve, count }) => repeated(latticeAbove(curve, coarser), count));
  const name = `${label}, upper bound`;
  return tradeoffFunction(latticeShape(convolve(gathered(parts), size / COARSER), -1, isSymmetric), {
    label: name,
    definition: { given: name },
    isExact: false,
  });
}

const COARSER = 4;

/** The step that fits the laws of the composition into the transform, found on a coarse lattice; a whole part of the widest range. */
function stepFor(list: readonly Counted[], size: number): number {
  const ranges = list.map(({ curve }) => usefulRange(curve)[1]);
  const widest = Math.max(...ranges);
  const coarse = Math.max(widest / 256, 1e-12);
  const window = windowOf(list.map(({ curve, count }) => repeated(latticeBelow(curve, coarse), count)));
  const step = (window * 1.25) / size;
  const finite = Math.max(0, ...list.map(({ curve }) => curve.logSlope(0)).filter(Number.isFinite));
  if (finite === 0) return step;
  // Whole parts of the steepest slope in sixtieths: halves, thirds, quarters, fifths of it then lie on the lattice too.
  const parts = 60 * Math.ceil(finite / (60 * step * COARSER));
  return parts > 4 * 60 ? finite / (parts * COARSER) : step;
}

/** Room for rounding on top of the transform's own. */
const SPARE = 1e-14;

/** A convolved lattice as pieces, each of whose masses is moved outwards (or inwards) by its relative error [M72]. */
function latticeShape(convolution: Convolution, outwards: 1 | -1, isSymmetric: boolean): Shape {
  const { step, first, masses, jump, errors } = convolution;
  const list: Atom[] = [];
  const add = (atom: Atom) => {
    list.push(atom);
    if (isSymmetric && atom.loss > 0) list.push({ loss: -atom.loss, p: atom.q, q: atom.p });
  };
  for (let i = masses.length - 1; i >= 0; i--) {
    const q = masses[i] ?? 0;
    const x = (first + i) * step;
    if (q === 0 || (outwards === -1 && errors[i] === UNRESOLVED) || first + i === 0 || (isSymmetric && x < 0)) continue;
    const error = (errors[i] ?? 0) + SPARE;
    // q and p are upper bounds; below, the weaker hypothesis gets the least it may have, above the stronger one does.
    const p = q * Math.exp(-x);
    const less = Math.exp(-error);
    if (x > 0 === outwards > 0) add({ loss: x + error, p: p * less, q });
    else add({ loss: x - error, p, q: q * less });
  }
  const height = list.reduce((sum, { q }) => sum + q, jump);
  const width = list.reduce((sum, { p }) => sum + p, isSymmetric ? jump : 0);
  // What is left lies in the middle, where P and Q weigh the same, and at the flat end.
  const middle = Math.max(0, Math.min(1 - height, 1 - width));
  const atoms = atomsOf([...list, { loss: 0, p: middle, q: middle }], jump, 0);
  const rest = Math.max(0, 1 - (atoms.corners.alpha.at(-1) ?? 0));
  return piecewise(sortedAtoms(atoms.loss, atoms.p, atoms.q, { jump, rest: isSymmetric ? jump : rest }), {
    isSymmetric,
  });
}
