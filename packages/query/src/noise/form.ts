import type { Noise, NoiseFamily } from "../plan/bounded.ts";
import { unitHalfWidth, unitTail } from "./combination.ts";
import { type RoundedNoise, roundedHalfWidth, roundedNoise, roundedTail, sumOfRounded } from "./rounded.ts";
import { spread } from "./tail.ts";

/** One released integer in a weighted sum. Terms of one `key` are the same draw. */
interface Term {
  readonly key: string;
  readonly weight: number;
  readonly value: number;
  readonly kind: NoiseFamily;
  /** Scale or σ, in ticks. */
  readonly spread: number;
}

/** `offset` + Σ weight · integer: an estimate of one number from released integers, with their noise. */
export interface Form {
  readonly offset: number;
  readonly terms: readonly Term[];
}

export const none: Form = { offset: 0, terms: [] };

export const constant = (offset: number): Form => ({ offset, terms: [] });

/** Released integers, weighted. */
export function formOf(
  source: string,
  noise: Noise,
  integers: readonly { readonly at: number; readonly weight: number; readonly value: bigint }[],
): Form {
  const width = spread(noise);
  return {
    offset: 0,
    terms: integers
      .filter(({ weight }) => weight !== 0)
      .map(({ at, weight, value }) => ({
        key: `${source}/${at}`,
        weight,
        value: Number(value),
        kind: noise.kind,
        spread: width,
      })),
  };
}

/**
 * Σ weight · form. It adds the weights of an integer that occurs in several forms, so its noise cancels or adds up
 * exactly.
 */
export function sumOf(parts: readonly (readonly [weight: number, form: Form])[]): Form {
  const terms = new Map<string, Term>();
  let offset = 0;
  for (const [weight, form] of parts) {
    offset += weight * form.offset;
    for (const term of form.terms) {
      const before = terms.get(term.key)?.weight ?? 0;
      terms.set(term.key, { ...term, weight: before + weight * term.weight });
    }
  }
  return { offset, terms: [...terms.values()].filter(({ weight }) => weight !== 0) };
}

/** `form` less a multiple of another. */
export const less = (form: Form, times: number, other: Form): Form =>
  sumOf([
    [1, form],
    [-times, other],
  ]);

export const numberOf = ({ offset, terms }: Form): number =>
  terms.reduce((sum, { weight, value }) => sum + weight * value, offset);

/** Variance of the noise, for choosing between forms and weighting them: 2b² for Laplace, σ² for Gaussian noise. */
export const varianceOf = ({ terms }: Form): number =>
  terms.reduce((sum, { weight, kind, spread: s }) => sum + (weight * s) ** 2 * (kind === "laplace" ? 2 : 1), 0);

/** x with P(|noise of the form| > x) ≤ failureProbability, rounded up; two kinds of noise share the probability [M142]. */
export function halfWidthOf({ terms }: Form, failureProbability: number): number {
  const kinds = kindsOf(terms);
  return kinds.reduce((sum, kind) => sum + kindHalfWidth(kind, failureProbability / kinds.length), 0);
}

/** An upper bound on P(|noise of the form| > x) [M142]. */
export function tailOf({ terms }: Form, x: number): number {
  const kinds = kindsOf(terms);
  if (kinds.length === 0) return x < 0 ? 1 : 0;
  const wide = kinds.map(({ scales }) => Math.hypot(...scales));
  const all = wide.reduce((a, b) => a + b, 0);
  const rounding = kinds.reduce((sum, kind) => sum + (isMany(kind) ? 0 : kind.rounding), 0);
  return Math.min(
    1,
    kinds.reduce((sum, kind, index) => {
      const share = kinds.length === 1 ? 1 : (wide[index] ?? 0) / all;
      return sum + kindTail(kind, Math.max(0, (x - rounding) * share) / SLACK);
    }, 0),
  );
}

/** With more terms than this: Chernoff's bound for Laplace noise, that of M376 for Gaussian noise. */
const MAX_EXACT = 4;
/**
 * Up to this number of terms a half-width is computed both ways and the smaller one is used; a tail, which is needed
 * often, is not.
 */
const MAX_INVERTED = 400;
const isMany = ({ scales }: Kind): boolean => scales.length > MAX_EXACT;

function kindHalfWidth(many: Kind, failureProbability: number): number {
  const { kind, scales, rounding } = many;
  const exact =
    scales.length <= MAX_INVERTED ? rounding + unitHalfWidth(kind, scales, failureProbability) * SLACK : Infinity;
  if (!isMany(many)) return exact;
  if (kind === "laplace")
    return Math.min(exact, chernoff(scales, (log, t) => (Math.log(2 / failureProbability) + log) / t) * SLACK);
  return Math.min(exact, roundedHalfWidth(roundedOf(many), failureProbability) * SLACK);
}

const roundedOf = ({ scales, weights }: Kind): RoundedNoise =>
  sumOfRounded(scales.map((scale, at) => roundedNoise(scale / (weights[at] ?? 1), (weights[at] ?? 1) ** 2)));

/** For many terms without rounding: integer Laplace noise has no larger moments than the real noise of its scale [M111]. */
function kindTail(many: Kind, x: number): number {
  const { kind, scales } = many;
  if (!isMany(many)) return unitTail(kind, scales, x);
  if (kind === "laplace") return Math.min(1, 2 * Math.exp(chernoff(scales, (log, t) => log - t * x)));
  return roundedTail(roundedOf(many), x);
}

/** Further scales count as Σs²/s² of the largest of them: −ln(1 − x)/x rises, so the bound only grows [M111]. */
const MAX_SCALES = 32;

/** The least over t in (0, 1/largest scale) of a function of t and −Σ log(1 − t²s²); any t gives a bound. */
function chernoff(scales: readonly number[], of: (log: number, t: number) => number): number {
  const largest = scales.reduce((a, b) => Math.max(a, b), 0);
  const squares = scales.reduce((sum, scale) => sum + (scale / largest) ** 2, 0);
  const logAt = (share: number): number =>
    scales.length > MAX_SCALES
      ? -squares * Math.log1p(-(share ** 2))
      : scales.reduce((sum, scale) => sum - Math.log1p(-((share * (scale / largest)) ** 2)), 0);
  const at = (share: number): number => of(logAt(share), share / largest);
  let [low, high] = [1e-9, 1 - 1e-9];
  for (let i = 0; i < 40; i++) {
    const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
    if (at(a) < at(b)) high = b;
    else low = a;
  }
  return at((low + high) / 2);
}

/** Doubles add a few roundings; this is far more than they do. */
const SLACK = 1 + 1e-11;

/** The terms of one kind of noise; `rounding`: how far integer noise can be from the real noise that it rounds, as in M90. */
interface Kind {
  readonly kind: NoiseFamily;
  readonly scales: readonly number[];
  readonly weights: readonly number[];
  readonly rounding: number;
}

function kindsOf(terms: readonly Term[]): readonly Kind[] {
  return (["laplace", "gaussian"] as const).flatMap((kind) => {
    const of = terms.filter((term) => term.kind === kind);
    if (of.length === 0) return [];
    const weights = of.map((term) => Math.abs(term.weight));
    const rounding = weights.reduce((sum, weight) => sum + weight, 0) * (kind === "laplace" ? 1 : 0.5);
    return [{ kind, scales: of.map((term) => Math.abs(term.weight) * term.spread), weights, rounding }];
  });
}
