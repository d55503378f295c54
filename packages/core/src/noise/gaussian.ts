import { nextDown } from "../amounts/double.ts";
import { formatRational, integerSqrt, type Rational, rational } from "../amounts/rational.ts";
import { invalid } from "../error.ts";
import { logNormalCdf, logNormalQuantile, normalCdf } from "../numeric/special.ts";
import { checkAccuracy, checkProbability, checkScale } from "./laplace.ts";
import { below, type Random } from "./random.ts";

const WORD = 2 ** 32;

/** A uniform real in [0, 1) whose 32-bit digits are drawn only when a comparison needs them. */
class LazyUniform {
  readonly digits: number[] = [];

  digit(index: number, random: Random): number {
    while (this.digits.length <= index) this.digits.push(random.uint32());
    return this.digits[index] ?? 0;
  }

  /** Whether this real is below the other; equal digits are drawn on until they differ. */
  isBelow(other: LazyUniform, random: Random): boolean {
    for (let i = 0; ; i++) {
      const mine = this.digit(i, random);
      const theirs = other.digit(i, random);
      if (mine !== theirs) return mine < theirs;
    }
  }
}

/**
 * A sampler of the exactly rounded Gaussian round(σ·Z), Z a true standard normal, for an exact σ > 0 in units of the
 * answer: Karney's exact normal with lazily drawn digits, rounded by integer comparison. It post-processes the real
 * Gaussian mechanism, so it costs exactly Δ₂²/σ² in μ² and Δ₂²/2σ² in ρ. [M8] [M314]
 */
export function gaussianSampler(sigma: Rational): (random: Random) => bigint {
  if (sigma.numerator <= 0n) {
    invalid("sigma", formatRational(sigma), "> 0");
  }
  return (random) => {
    const { whole, part } = drawHalfNormal(random);
    const size = roundScaled(sigma, { whole, part }, random);
    return random.uint32() >= 2 ** 31 ? -size : size;
  };
}

/** |Z| = whole + part for a true standard normal Z (Karney 2016, algorithm N). */
function drawHalfNormal(random: Random): { whole: number; part: LazyUniform } {
  for (;;) {
    let whole = 0;
    while (bernoulliRootE(random)) whole += 1;
    if (!allRootE(whole * (whole - 1), random)) continue;
    const part = new LazyUniform();
    let tries = 0;
    while (tries <= whole && acceptPart(whole, part, random)) tries += 1;
    if (tries > whole) return { whole, part };
  }
}

/** True with probability e^(−1/2). */
function bernoulliRootE(random: Random): boolean {
  let k = 1;
  while (below(2 * k, random) === 0) k += 1;
  return k % 2 === 1;
}

function allRootE(count: number, random: Random): boolean {
  for (let i = 0; i < count; i++) if (!bernoulliRootE(random)) return false;
  return true;
}

/** True with probability exp(−x(2k + x)/(2k + 2)): a falling run below x, each step kept with probability (2k + x)/(2k + 2). */
function acceptPart(k: number, x: LazyUniform, random: Random): boolean {
  let last = x;
  let even = true;
  for (;;) {
    const next = new LazyUniform();
    if (!next.isBelow(last, random)) return even;
    const choice = below(2 * k + 2, random);
    if (choice > 2 * k || (choice === 2 * k && !new LazyUniform().isBelow(x, random))) return even;
    last = next;
    even = !even;
  }
}

/** ⌊σ·(whole + part) + ½⌋, drawing digits of part until every continuation agrees. */
function roundScaled(sigma: Rational, { whole, part }: { whole: number; part: LazyUniform }, random: Random): bigint {
  const { numerator, denominator } = sigma;
  const first = part.digit(0, random);
  if (numerator < WORD && denominator < WORD) {
    const step = 2 * Number(numerator);
    const unit = 2 * Number(denominator) * WORD;
    const low = step * (whole * WORD + first) + unit / 2;
    if (low + step + unit <= Number.MAX_SAFE_INTEGER) {
      const size = Math.floor(low / unit);
      if (low + step - 1 < (size + 1) * unit && size * unit <= low) return BigInt(size);
    }
  }
  let scale = 1n << 32n;
  let digits = BigInt(first);
  for (let index = 1; ; index++) {
    const unit = 2n * denominator * scale;
    const low = 2n * numerator * (BigInt(whole) * scale + digits) + denominator * scale;
    const size = low / unit;
    if ((low + 2n * numerator - 1n) / unit === size) return size;
    digits = (digits << 32n) | BigInt(part.digit(index, random));
    scale <<= 32n;
  }
}

/** Pr[noise = k]. */
export function gaussianPmf(sigma: number, k: number): number {
  const size = Math.abs(k);
  if (size === 0) return 1 - 2 * normalCdf(-0.5 / sigma);
  return normalCdf(-(size - 0.5) / sigma) - normalCdf(-(size + 0.5) / sigma);
}

/** The least integer k with Pr[|noise| > k] ≤ failureProbability, rounded up where doubles cannot tell. [M9] */
export function gaussianAccuracy(sigma: number, failureProbability: number): number {
  checkScale(sigma, "sigma");
  checkProbability(failureProbability);
  const need = Math.log(failureProbability / 2);
  const fits = (k: number): boolean => {
    const value = logNormalCdf(-(k + 0.5) / sigma);
    return value <= need - 1e-15 * (1 + Math.abs(value));
  };
  let k = Math.max(0, Math.ceil(-sigma * logNormalQuantile(need) - 0.5));
  if (k > 2 ** 50) return Math.ceil(k * (1 + 1e-14));
  while (!fits(k)) k += 1;
  while (k > 0 && fits(k - 1)) k -= 1;
  return k;
}

/** The largest σ (a double, rounded down) whose noise stays within `accuracy` except with failureProbability. [M9] */
export function gaussianSigmaFor(accuracy: number, failureProbability: number): number {
  checkAccuracy(accuracy);
  checkProbability(failureProbability);
  let sigma = (accuracy + 0.5) / -logNormalQuantile(Math.log(failureProbability / 2));
  for (let back = 1e-15; gaussianAccuracy(sigma, failureProbability) > accuracy; back *= 2) {
    sigma = Math.min(nextDown(sigma), sigma * (1 - back));
  }
  return sigma;
}

const MULTIPLIER_DIGITS = 10n ** 20n;

/**
 * σ/Δ₂ for a gaussian event, as an exact decimal fraction rounded down at 20 digits (less noise claimed, more loss), for
 * an exact σ and an integer Δ₂².
 */
export function noiseMultiplier(sigma: Rational, sensitivitySquared: bigint): string {
  // (σ/Δ)² = n²/(d²·Δ²); ⌊√(that · 10⁴⁰)⌋ / 10²⁰
  const square =
    (sigma.numerator * sigma.numerator * MULTIPLIER_DIGITS * MULTIPLIER_DIGITS) /
    (sigma.denominator * sigma.denominator * sensitivitySquared);
  return formatRational(rational(integerSqrt(square), MULTIPLIER_DIGITS));
}
