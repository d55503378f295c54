import { type Reals, reals } from "./real.ts";

/** Units of r and of ε: 10⁻¹². */
const UNIT = 10n ** 12n;
/** e^ε times the arithmetic's error must stay far below one unit. */
const MAX_EPSILON = 200n * UNIT;
const coarse = reals(320);
const fine = reals(640);

/** 1 − δ: the part of the Gaussian mechanism with μ² = r that an ε-DP one can imitate, Φ(−μ/2 + ε/μ) + e^ε·Φ(−μ/2 − ε/μ). */
function covered(real: Reals, r: bigint, epsilon: bigint): bigint {
  if (r <= 0n) return real.one;
  const mu = real.sqrt(r);
  const shift = real.over(epsilon, mu);
  const upper = real.normal(shift - mu / 2n);
  const lower = real.normal(-shift - mu / 2n);
  return upper + real.times(real.exp(epsilon), lower);
}

/** What must stay covered after an ε-DP answer at remaining r: (1 + e^ε)·Φ(−√r/2). */
function needed(real: Reals, r: bigint, epsilon: bigint): bigint {
  return real.times(real.one + real.exp(epsilon), real.normal(-(real.sqrt(r) / 2n)));
}

/** Whether r units may stand after one ε-DP answer at `before`: the inequality that makes the filter sound. Null: too large to say. */
export function mayRemain(before: bigint, epsilon: bigint, after: bigint): boolean | null {
  if (epsilon > MAX_EPSILON) return null;
  const [from, to, loss] = [before, after, epsilon].map((units) => fine.of(units, UNIT)) as [bigint, bigint, bigint];
  return covered(fine, to, loss) + SLACK >= needed(fine, from, loss);
}

/** The arithmetic's own error, e^200 of it included; a unit of r moves the sides by far more. */
const SLACK = fine.one >> 200n;

const known = new Map<string, bigint | null>();
const MAX_KNOWN = 10_000;

/** About the largest r that may stand after one ε-DP answer, in units, rounded down; null when none may. */
export function remainder(before: bigint, epsilon: bigint): bigint | null {
  const name = `${before} ${epsilon}`;
  let after = known.get(name);
  if (after === undefined) {
    after = solve(before, epsilon);
    if (known.size > MAX_KNOWN) known.clear();
    known.set(name, after);
  }
  return after;
}

function solve(before: bigint, epsilon: bigint): bigint | null {
  if (epsilon > MAX_EPSILON || before <= 0n) return null;
  const loss = coarse.of(epsilon, UNIT);
  const need = needed(coarse, coarse.of(before, UNIT), loss);
  if (need > coarse.one) return null;
  let [low, high] = [0n, before];
  const fits = (units: bigint): boolean => covered(coarse, coarse.of(units, UNIT), loss) >= need;
  while (high - low > 1n) {
    const middle = guess(low, high, { loss, need });
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** A Newton step from the lower end, and one unit next to it, as long as it falls inside; else the middle. */
function guess(low: bigint, high: bigint, { loss, need }: { loss: bigint; need: bigint }): bigint {
  const middle = (low + high) / 2n;
  if (low === 0n) return middle;
  const r = coarse.of(low, UNIT);
  const mu = coarse.sqrt(r);
  const density = coarse.density(mu / 2n - coarse.over(loss, mu));
  if (density === 0n) return middle;
  const gap = covered(coarse, r, loss) - need;
  const step = coarse.over(2n * coarse.times(gap, mu), density);
  const next = low + (step * UNIT) / coarse.one;
  // The function is not convex everywhere: a step that gains nothing is replaced by bisection.
  const inside = next > low && next < high;
  return inside ? next : high - low > 4n && next <= low ? low + 1n : middle;
}

/** Whether a Gaussian mechanism with μ² = r loses at most δ at ε, all in units (δ in 10⁻¹⁸). Null: too large to say. */
export function keepsPromise(r: bigint, epsilon: bigint, delta: bigint): boolean | null {
  if (epsilon > MAX_EPSILON) return null;
  const loss = fine.one - covered(fine, fine.of(r, UNIT), fine.of(epsilon, UNIT));
  return loss <= fine.of(delta, 10n ** 18n) + SLACK;
}
