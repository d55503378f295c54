import { type LossFacts, lossFacts, rhoOfPure } from "@dosimeter/core/accounting";
import {
  cumulantOf,
  enlarge,
  type LossSource,
  laplaceLogMgf,
  logSumExp,
  pureRenyi,
  UNIT_ROUNDOFF,
  upper,
} from "@dosimeter/core/internal";
import type { Atoms } from "./atoms.ts";
import { composedParts } from "./compose.ts";
import type { TradeoffFunction } from "./curve.ts";
import type { CurveDefinition } from "./definition.ts";
import { knownPair } from "./loss-distributions.ts";
import { tangentAtoms } from "./profile.ts";

/** λ·D_{1+λ} as a function of λ > 0. */
type Cumulant = (lambda: number) => number;

/** Upper bounds on λ·D_{1+λ} of a curve in either direction, on its largest loss and on its least ρ; ∞ where none is known [M76]. */
export interface Cumulants {
  readonly there: Cumulant;
  readonly back: Cumulant;
  readonly largest: number;
  readonly rho: number;
}

const NONE = Number.POSITIVE_INFINITY;

const both = (cumulant: Cumulant, largest: number, rho: number): Cumulants => ({
  there: cumulant,
  back: cumulant,
  largest,
  rho,
});

/** Of a composition the sums of its parts; of other curves by their definitions, or of their pieces, or of tangents below them. */
export function cumulantsOf(curve: TradeoffFunction): Cumulants {
  const parts = composedParts(curve);
  if (parts !== undefined) return summed(parts.map((part) => ({ of: cumulantsOf(part.curve), count: part.count })));
  // The corners of a curve are no better than doubles: what is known by its definition never reads them.
  return ofDefinition(curve.definition) ?? ofAtoms(tangentAtoms(curve, 4096));
}

function ofDefinition(definition: CurveDefinition): Cumulants | undefined {
  if ("gdp" in definition) {
    const rho = enlarge(definition.gdp ** 2 / 2, 2);
    return both((lambda) => lambda * (lambda + 1) * rho, definition.gdp === 0 ? 0 : NONE, rho);
  }
  if ("lap" in definition) {
    const { lap } = definition;
    return both((lambda) => laplaceLogMgf(lap, lambda), lap, enlarge(lap + Math.expm1(-lap), 4));
  }
  if ("epsdelta" in definition) {
    const [epsilon, delta] = definition.epsdelta;
    if (delta > 0) return both(() => NONE, NONE, NONE);
    return both((lambda) => pureRenyi(epsilon, lambda), epsilon, enlarge(rhoOfPure(epsilon), 4));
  }
  if ("zcdp" in definition) return both((lambda) => lambda * (lambda + 1) * definition.zcdp, NONE, definition.zcdp);
  if ("rdp" in definition) return both((lambda) => ofOrders(definition.rdp, lambda), NONE, NONE);
  if ("mechanism" in definition) return ofFacts(lossFacts(definition.mechanism));
  if ("inverse" in definition) {
    const given = ofDefinition(definition.inverse);
    return given === undefined ? undefined : { ...given, there: given.back, back: given.there };
  }
  if ("symmetrise" in definition) {
    const given = ofDefinition(definition.symmetrise);
    return given === undefined ? undefined : worstOf([given, { ...given, there: given.back, back: given.there }]);
  }
  if ("compose" in definition)
    return mapped(definition.compose, (list) => summed(list.map((of) => ({ of, count: 1 }))));
  if ("selfCompose" in definition) {
    const [count, one] = definition.selfCompose;
    return mapped([one], (list) => summed(list.map((of) => ({ of, count }))));
  }
  if ("min" in definition) return mapped(definition.min, worstOf);
  if ("max" in definition) return mapped(definition.max, bestOf);
  if ("subsample" in definition) return sampled(definition, definition.subsample[1]);
  if ("subsampleOneWay" in definition) return sampled(definition, definition.subsampleOneWay[1]);
  return undefined;
}

function mapped(
  parts: readonly CurveDefinition[],
  read: (list: readonly Cumulants[]) => Cumulants,
): Cumulants | undefined {
  const list = parts.flatMap((part) => ofDefinition(part) ?? []);
  return list.length === parts.length ? read(list) : undefined;
}

function ofFacts({ epsilon, delta, rho, renyi }: LossFacts): Cumulants {
  return upper(delta) > 0 ? both(() => NONE, NONE, NONE) : both(renyi, epsilon, rho);
}

/** D rises in the order, so a guarantee at one holds below it. */
const ofOrders = (points: readonly (readonly [order: number, epsilon: number])[], lambda: number): number =>
  points.reduce((least, [order, epsilon]) => (lambda + 1 <= order ? Math.min(least, lambda * epsilon) : least), NONE);

/** A sample of a symmetric curve: the pair of its own, and never more than without the sample, since it lies above that curve [M73]. */
function sampled(definition: CurveDefinition, unsampled: CurveDefinition): Cumulants | undefined {
  const pair = knownPair(definition);
  const inner = isSymmetric(unsampled) ? ofDefinition(unsampled) : undefined;
  if (pair === null || inner === undefined) return inner;
  const bound = (source: Omit<LossSource, "count">, otherwise: Cumulant): Cumulant => {
    const own = cumulantOf(source.distribution, source.direction);
    return own === undefined ? otherwise : (lambda) => Math.min(own(lambda), otherwise(lambda));
  };
  return { ...inner, there: bound(pair.there, inner.there), back: bound(pair.back, inner.back) };
}

/** Curves that are the same when the hypotheses are exchanged, by their definition alone. */
function isSymmetric(definition: CurveDefinition): boolean {
  if ("compose" in definition) return definition.compose.every(isSymmetric);
  if ("selfCompose" in definition) return isSymmetric(definition.selfCompose[1]);
  return ["gdp", "lap", "epsdelta", "zcdp", "rdp", "symmetrise"].some((form) => form in definition);
}

function ofAtoms(atoms: Atoms): Cumulants {
  const { loss, jump, rest } = atoms;
  const largest = jump > 0 || rest > 0 ? NONE : Math.max(Math.abs(loss[0] ?? 0), Math.abs(loss.at(-1) ?? 0));
  return { there: atomsCumulant(atoms, 1), back: atomsCumulant(atoms, -1), largest, rho: NONE };
}

/** ln Σ q^(1+λ)·p^−λ, or with p and q exchanged, rounded up: as ln(1 + Σ q·(e^{λl} − 1)), whose terms are small where the losses are. */
function atomsCumulant({ loss, p, q, jump, rest, error }: Atoms, direction: 1 | -1): Cumulant {
  if ((direction === 1 ? jump : rest) > 0) return () => NONE;
  const mass = direction === 1 ? q : p;
  return (lambda) => {
    const terms: number[] = [];
    let [sum, size] = [0, 0];
    mass.forEach((weight, i) => {
      if (weight === 0) return;
      const tilt = lambda * direction * (loss[i] ?? 0);
      const term = weight * Math.expm1(tilt);
      [sum, size] = [sum + term, size + Math.abs(term)];
      terms.push(Math.log(weight) + tilt);
    });
    const slack = (error + 16 + terms.length) * UNIT_ROUNDOFF;
    if (size < 0.5) return Math.log1p(sum + slack * size);
    const log = logSumExp(terms);
    return log + slack * (1 + Math.abs(log));
  };
}

/** Of independent parts everything adds up. */
function summed(parts: readonly { readonly of: Cumulants; readonly count: number }[]): Cumulants {
  const sum = (read: (of: Cumulants) => number): number =>
    enlarge(
      parts.reduce((total, { of, count }) => total + count * read(of), 0),
      parts.length + 1,
    );
  return {
    there: (lambda) => sum(({ there }) => there(lambda)),
    back: (lambda) => sum(({ back }) => back(lambda)),
    largest: sum(({ largest }) => largest),
    rho: sum(({ rho }) => rho),
  };
}

/**
 * Of the envelope of a minimum: e^K − 1 is an integral of the profile with positive weights, and the profile is the greatest of those of
 * the parts, so at most their sum.
 */
function worstOf(parts: readonly Cumulants[]): Cumulants {
  const joined =
    (read: (of: Cumulants) => Cumulant): Cumulant =>
    (lambda) => {
      const values = parts.map((of) => read(of)(lambda));
      const top = values.reduce((most, value) => Math.max(most, value), 0);
      if (top === NONE) return NONE;
      const grown = values.reduce((sum, value) => sum + Math.exp(value - top) - Math.exp(-top), Math.exp(-top));
      const small = values.reduce((sum, value) => sum + Math.expm1(value), 0);
      return (top < 1 ? Math.log1p(small) : top + Math.log(grown)) * (1 + 1e-14);
    };
  return {
    there: joined(({ there }) => there),
    back: joined(({ back }) => back),
    largest: parts.reduce((most, { largest }) => Math.max(most, largest), 0),
    // 1 + Σ(e^Kᵢ − 1) is at most Π e^Kᵢ.
    rho: enlarge(
      parts.reduce((sum, { rho }) => sum + rho, 0),
      parts.length,
    ),
  };
}

/** Of a maximum of curves: no more than of any of them. */
function bestOf(parts: readonly Cumulants[]): Cumulants {
  const least = (read: (of: Cumulants) => number): number => parts.reduce((low, of) => Math.min(low, read(of)), NONE);
  return {
    there: (lambda) => least(({ there }) => there(lambda)),
    back: (lambda) => least(({ back }) => back(lambda)),
    largest: least(({ largest }) => largest),
    rho: least(({ rho }) => rho),
  };
}

/** Relative width to which the supremum over orders is closed, and the most cells that may take. */
const CLOSED = 1e-10;
const MAX_CELLS = 4000;

interface Cell {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly bound: number;
}

/**
 * An upper bound on the least ρ with K(λ) ≤ λ(λ + 1)ρ at every λ > 0, K being convex with K(0) = 0: between two orders K lies below its
 * chord, beyond the last one below λ times the largest loss. Cells are halved until the supremum is closed [M76].
 */
export function greatestRatio({ there, back, largest, rho }: Cumulants): number {
  if (!(largest < NONE)) return rho;
  const cumulant = (lambda: number): number => Math.max(0, there(lambda), back(lambda));
  let best = 0;
  const read = (lambda: number): number => {
    const value = cumulant(lambda);
    best = Math.max(best, value / (lambda * (lambda + 1)));
    return value;
  };
  const first = 1e-3;
  let start = read(first);
  const cells: Cell[] = [cellOf({ lambda: 0, value: 0 }, { lambda: first, value: start }, NONE)];
  let from = first;
  // The last order is far enough that what lies beyond it cannot be the greatest.
  while (largest / (from + 1) > best && from < 1e12) {
    const to = 2 * from;
    const end = read(to);
    cells.push(cellOf({ lambda: from, value: start }, { lambda: to, value: end }, NONE));
    [from, start] = [to, end];
  }
  const beyond = largest / (from + 1) > best ? largest / (from + 1) : 0;
  for (let used = 0; used < MAX_CELLS; used++) {
    const widest = cells.reduce((most, cell, i) => (cell.bound > (cells[most] as Cell).bound ? i : most), 0);
    const cell = cells[widest] as Cell;
    if (cell.bound <= best * (1 + CLOSED) || cell.to - cell.from < 1e-13 * cell.to || cell.to < 1e-12) break;
    const middle = cell.from === 0 ? cell.to / 4 : (cell.from + cell.to) / 2;
    const at = { lambda: middle, value: read(middle) };
    cells[widest] = cellOf({ lambda: cell.from, value: cell.start }, at, cell.bound);
    cells.push(cellOf(at, { lambda: cell.to, value: cell.end }, cell.bound));
  }
  const found = cells.reduce((most, { bound }) => Math.max(most, bound), beyond);
  return Math.min(rho, enlarge(found, 8));
}

interface Value {
  readonly lambda: number;
  readonly value: number;
}

function cellOf(left: Value, right: Value, atMost: number): Cell {
  return {
    from: left.lambda,
    to: right.lambda,
    start: left.value,
    end: right.value,
    bound: Math.min(atMost, chordRatio(left, right)),
  };
}

/** The greatest of (a + bλ)/(λ(λ + 1)) over a cell, a + bλ its chord, which lies below 0 at 0. */
function chordRatio(left: Value, right: Value): number {
  const b = (right.value - left.value) / (right.lambda - left.lambda);
  if (left.lambda === 0) return b;
  const a = Math.min(0, left.value - b * left.lambda);
  const at = (lambda: number): number => (left.value + b * (lambda - left.lambda)) / (lambda * (lambda + 1));
  const inside = b > 0 ? (-a + Math.sqrt(a * (a - b))) / b : left.lambda;
  return Math.max(at(Math.min(right.lambda, Math.max(left.lambda, inside))), at(left.lambda), at(right.lambda));
}
