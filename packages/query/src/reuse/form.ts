import { unitHalfWidth, unitTail } from "../combination.ts";
import type { Noise, NoiseFamily } from "../plan.ts";
import { spread } from "../tail.ts";

/** One released integer in a weighted sum. Terms of one `key` are the same draw. */
export interface Term {
  readonly key: string;
  readonly weight: number;
  readonly value: number;
  readonly kind: NoiseFamily;
  /** Scale or σ, in ticks. */
  readonly spread: number;
}

/** `offset` + Σ weight · integer: what released integers say about one number, with the noise that came with them. */
export interface Form {
  readonly offset: number;
  readonly terms: readonly Term[];
}

export const constant = (offset: number): Form => ({ offset, terms: [] });

/** Released integers, weighted. */
export function formOf(
  source: string,
  noise: Noise,
  integers: readonly { readonly at: number; readonly weight: number; readonly value: bigint }[],
  offset = 0,
): Form {
  const width = spread(noise);
  return {
    offset,
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

/** Σ weight · form; integers that occur in several are counted together, as their noise cancels or adds up exactly. */
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

export const numberOf = ({ offset, terms }: Form): number =>
  terms.reduce((sum, { weight, value }) => sum + weight * value, offset);

/** Variance of the noise, for choosing between forms and weighting them: 2b² for Laplace, σ² for Gaussian noise. */
export const varianceOf = ({ terms }: Form): number =>
  terms.reduce((sum, { weight, kind, spread: s }) => sum + (weight * s) ** 2 * (kind === "laplace" ? 2 : 1), 0);

/** x with P(|noise of the form| > x) ≤ failureProbability, rounded up; two kinds of noise share the probability [M142]. */
export function halfWidthOf({ terms }: Form, failureProbability: number): number {
  const kinds = kindsOf(terms);
  return kinds.reduce(
    (sum, { kind, scales, rounding }) =>
      sum + rounding + realHalfWidth(kind, scales, failureProbability / kinds.length) * SLACK,
    0,
  );
}

/** An upper bound on P(|noise of the form| > x) [M142]. */
export function tailOf({ terms }: Form, x: number): number {
  const kinds = kindsOf(terms);
  if (kinds.length === 0) return x < 0 ? 1 : 0;
  const wide = kinds.map(({ scales }) => Math.hypot(...scales));
  const all = wide.reduce((a, b) => a + b, 0);
  const left = x - kinds.reduce((sum, { rounding }) => sum + rounding, 0);
  return Math.min(
    1,
    kinds.reduce((sum, { kind, scales }, index) => {
      const share = kinds.length === 1 ? 1 : (wide[index] ?? 0) / all;
      return sum + realTail(kind, scales, Math.max(0, left * share) / SLACK);
    }, 0),
  );
}

/** With more Laplace terms than this the exact tail is costly: Chernoff's bound instead, always above it. */
const MOST_EXACT = 4;

const realHalfWidth = (kind: NoiseFamily, scales: readonly number[], failureProbability: number): number =>
  kind === "gaussian" || scales.length <= MOST_EXACT
    ? unitHalfWidth(kind, scales, failureProbability)
    : chernoff(scales, (log, t) => (Math.log(2 / failureProbability) + log) / t);

const realTail = (kind: NoiseFamily, scales: readonly number[], x: number): number =>
  kind === "gaussian" || scales.length <= MOST_EXACT
    ? unitTail(kind, scales, x)
    : Math.min(1, 2 * Math.exp(chernoff(scales, (log, t) => log - t * x)));

/** The least over t in (0, 1/largest scale) of a function of t and −Σ log(1 − t²s²); any t gives a bound. */
function chernoff(scales: readonly number[], of: (log: number, t: number) => number): number {
  const largest = Math.max(...scales);
  const at = (share: number): number => {
    const t = share / largest;
    return of(
      scales.reduce((sum, scale) => sum - Math.log1p(-((t * scale) ** 2)), 0),
      t,
    );
  };
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

/** How far integer noise can be from the real noise that it rounds, as in M90. */
function kindsOf(
  terms: readonly Term[],
): readonly { readonly kind: NoiseFamily; readonly scales: readonly number[]; readonly rounding: number }[] {
  return (["laplace", "gaussian"] as const).flatMap((kind) => {
    const of = terms.filter((term) => term.kind === kind);
    if (of.length === 0) return [];
    const weight = of.reduce((sum, term) => sum + Math.abs(term.weight), 0);
    return [
      {
        kind,
        scales: of.map((term) => Math.abs(term.weight) * term.spread),
        rounding: weight * (kind === "laplace" ? 1 : 0.5),
      },
    ];
  });
}
