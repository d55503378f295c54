import { invalid, parseRational, unboundedWork, type Work } from "@dosimeter/core";
import {
  asUpper,
  composedDirection,
  composeLosses,
  decimalAtLeast,
  enlarge,
  exactSum,
  revealedMass,
} from "@dosimeter/core/internal";
import { type Atom, type Atoms, atomsOf } from "./atoms.ts";
import { checkCount } from "./check.ts";
import { type ComposedPair, composedPair, composedShape, composedUpperShape, exchanged } from "./composed.ts";
import {
  type CurveWords,
  type GaussianBound,
  renamed,
  type Shape,
  type TradeoffFunction,
  tradeoffFunction,
} from "./curve.ts";
import type { CurveDefinition } from "./definition.ts";
import { soundShape } from "./duality.ts";
import { symmetrise } from "./extremes.ts";
import { gdp } from "./gdp.ts";
import { type LossPair, lossPair, lossPairAbove } from "./loss-distributions.ts";
import { piecewise } from "./piecewise.ts";

/**
 * f₁ ⊗ … ⊗ f_n: the curve of n mechanisms together, where each may depend on the earlier answers [M72]. Exact for
 * Gaussians, and for piecewise-linear curves while they have few enough corners; otherwise a certified lower bound with
 * its `upper`.
 */
export function compose(curves: readonly TradeoffFunction[], work: Work = unboundedWork): TradeoffFunction {
  if (!Array.isArray(curves) || curves.length === 0) invalid("curves", curves, "at least one curve");
  return composeCounted(
    curves.map((curve) => ({ curve, count: 1 })),
    work,
  );
}

/** f ⊗ … ⊗ f, `count` times. */
export function selfCompose(count: number, curve: TradeoffFunction, work: Work = unboundedWork): TradeoffFunction {
  checkCount(count, "count");
  return composeCounted([{ curve, count }], work);
}

export interface Counted {
  readonly curve: TradeoffFunction;
  readonly count: number;
}

/** Replaces composed curves by their parts and counts equal curves together. */
function counted(list: readonly Counted[]): readonly Counted[] {
  return gathered(
    list.flatMap(({ curve, count }) => {
      const parts = curve.atoms === null ? partsOf.get(curve) : undefined;
      return parts === undefined
        ? [{ curve, count }]
        : parts.map((part) => ({ curve: part.curve, count: checkCount(count * part.count, "count") }));
    }),
  );
}

/** Equal curves counted together. A definition that names a given curve, however deep, says nothing of what it is: such a curve equals itself only. */
function gathered(list: readonly Counted[]): readonly Counted[] {
  const groups = new Map<unknown, { curve: TradeoffFunction; count: number }>();
  for (const { curve, count } of list) {
    const text = JSON.stringify(curve.definition);
    const key = text.includes('"given":') ? curve : text;
    const same = groups.get(key);
    if (same === undefined) groups.set(key, { curve, count });
    else same.count += count;
  }
  return [...groups.values()];
}

function composeCounted(given: readonly Counted[], work: Work): TradeoffFunction {
  const words = wordsOf(gathered(given));
  const removed = given.map(({ curve, count }) => ({ curve: removalOf.get(curve) ?? curve, count }));
  if (given.every(({ curve }) => curve.isSymmetric) && removed.some(({ curve }) => !curve.isSymmetric)) {
    const joined = bothWays(composeCounted(removed, work), words);
    partsOf.set(joined, counted(given));
    return joined;
  }
  const list = counted(given);
  const composed = composition(list, words, work);
  partsOf.set(composed, list);
  return composed;
}

/**
 * The curve of a mechanism on data with or without one person, from that in which the person is removed. Several of them are composed
 * in that direction, and joined at the end: the person is removed from all of them, or added to all [M72].
 */
export function bothWays(removed: TradeoffFunction, words: CurveWords): TradeoffFunction {
  const curve = symmetrise(removed);
  const joined = tradeoffFunction(renamed(curve), { ...words, isExact: curve.isExact, upper: () => curve.upper });
  if (curve !== removed) removalOf.set(joined, removed);
  return joined;
}

/** The direction of a removed person, of curves that `bothWays` made. */
const removalOf = new WeakMap<TradeoffFunction, TradeoffFunction>();

function composition(list: readonly Counted[], words: CurveWords, work: Work): TradeoffFunction {
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
  const gaussian = { mu: asUpper(mu, 8 + list.length), isLeast: false };
  const isSymmetric = list.every(({ curve }) => curve.isSymmetric);
  const exact = exactAtoms(rest);
  if (exact !== null) {
    const isExact = list.every(({ curve }) => curve.isExact);
    return tradeoffFunction({ ...piecewise(exact, { isSymmetric, isRounded: true }), gaussian }, { ...words, isExact });
  }
  return bracket(rest, { isSymmetric, gaussian, words, work });
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

/** √x rounded up, exact for squares of short decimals such as .36 + .64. */
function rootOf(square: number): number {
  const root = Math.sqrt(square);
  const short = Number(root.toPrecision(14));
  return Math.abs(short - root) <= 2 * Number.EPSILON * root && short * short >= square ? short : enlarge(root, 2);
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

const partsOf = new WeakMap<TradeoffFunction, readonly Counted[]>();

/** The curves that a composition was made of, with how often; undefined of other curves. */
export const composedParts = (curve: TradeoffFunction): readonly Counted[] | undefined => partsOf.get(curve);

const MAX_ATOMS = 4096;
const MAX_WORK = 2e7;

/** The product pair atom by atom; null where there would be too many of them. */
function exactAtoms(list: readonly Counted[]): Atoms | null {
  let product: Atoms = atomsOf([{ loss: 0, p: 1, q: 1 }], 0, 0, 0);
  const work = { left: MAX_WORK };
  for (const { curve, count } of list) {
    if (curve.atoms === null || !curve.isExact) return null;
    const power = atomsPower(curve.atoms, count, work);
    if (power === null) return null;
    const next = atomsProduct(product, power, work);
    if (next === null) return null;
    product = next;
  }
  if (product.loss.length === 0) return product;
  const ends = (of: (atoms: Atoms) => number) =>
    list.map(({ curve: { atoms }, count }) => ({ value: atoms === null ? 0 : of(atoms), count }));
  const [top, bottom] = [ends(({ loss }) => loss[0] ?? 0), ends(({ loss }) => -(loss.at(-1) ?? 0))];
  return {
    ...product,
    jump: chanceOfAny(ends(({ jump }) => jump)),
    rest: chanceOfAny(ends(({ rest }) => rest)),
    loss: product.loss.with(0, decimalAtLeast(exactSum(top))).with(-1, -decimalAtLeast(exactSum(bottom))),
  };
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
  if (work.left < 0 || size > MAX_ATOMS * 64) return null;
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
  const product = atomsOf(list, either(a.jump, b.jump), either(a.rest, b.rest), a.error + b.error + 4);
  return product.loss.length > MAX_ATOMS ? null : product;
}

/** 1 − Π(1 − chance)^count, as decimals where that is short, and rounded up. */
const chanceOfAny = (terms: readonly { readonly value: number; readonly count: number }[]): number =>
  revealedMass(terms.map(({ value, count }) => ({ exact: parseRational(value), most: value, least: value, count })))
    .upper;

/** 1 − (1 − x)(1 − y). */
const either = (x: number, y: number): number => x + y - x * y;

interface BracketOptions {
  readonly isSymmetric: boolean;
  readonly gaussian: GaussianBound;
  readonly words: CurveWords;
  readonly work: Work;
}

/** Lower and upper bounds from the accountant's privacy loss distribution of the pairs. */
function bracket(list: readonly Counted[], { isSymmetric, gaussian, words, work }: BracketOptions): TradeoffFunction {
  const distributions = list.map(({ curve }) => lossPair(curve, cellsFor(list)));
  const isKnown = distributions.every(({ isExact }) => isExact);
  const below = pairOf(list, distributions, { isSymmetric, isExact: isKnown, work });
  const lattice = (): ComposedPair =>
    pairOf(list, distributions, { isSymmetric, isExact: isKnown, work, engine: "lattice" });
  const upper = (): TradeoffFunction | null => {
    if (!list.every(({ curve }) => curve.isExact)) return null;
    const pair = isKnown
      ? below
      : pairOf(
          list,
          list.map(({ curve }) => lossPairAbove(curve, cellsFor(list))),
          { isSymmetric, isExact: true, work },
        );
    const label = `${words.label}, upper bound`;
    return tradeoffFunction(composedUpperShape(pair), { label, definition: { given: label }, isExact: false });
  };
  const shape = (inverse: boolean): Shape => {
    const turned = (pair: ComposedPair): Shape => composedShape(inverse ? exchanged(pair) : pair, gaussian);
    const ways = [() => turned(below), () => turned(lattice())];
    if (Number.isFinite(gaussian.mu)) ways.push(() => renamed(gdp(gaussian.mu)));
    return soundShape({ isSymmetric, gaussian, invert: () => shape(!inverse) }, ways, leastOf(list, inverse));
  };
  return tradeoffFunction(shape(false), { ...words, isExact: false, upper });
}

/** δ of the part that loses most, of those whose δ is known: a lower bound on that of the list. */
const leastOf =
  (list: readonly Counted[], inverse: boolean) =>
  (x: number): number =>
    list.reduce((most, { curve }) => {
      if (!curve.isExact) return most;
      return Math.max(most, (inverse ? curve.inverted() : curve).divergence(x));
    }, 0);

interface PairOptions {
  readonly isSymmetric: boolean;
  readonly isExact: boolean;
  readonly work: Work;
  readonly engine?: "best" | "lattice";
}

function pairOf(
  list: readonly Counted[],
  distributions: readonly LossPair[],
  { isSymmetric, isExact, work, engine = "best" }: PairOptions,
): ComposedPair {
  const side = (read: (pair: LossPair) => LossPair["there"]) =>
    composedDirection(
      composeLosses(
        distributions.map((pair, i) => ({ ...read(pair), count: list[i]?.count ?? 1 })),
        { isExact, work },
      ),
      { engine },
    );
  return composedPair(
    side(({ there }) => there),
    isSymmetric ? null : side(({ back }) => back),
  );
}

/** Tangents for each curve whose distribution is not known: fewer where there are many, whose errors average out. */
const cellsFor = (list: readonly Counted[]): number => Math.max(64, Math.ceil(1500 / Math.sqrt(list.length)));
