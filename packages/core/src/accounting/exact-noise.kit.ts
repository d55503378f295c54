import type { DpEvent } from "../event.ts";
import { fixedPoint } from "./fixed-point.kit.ts";

/**
 * A fourth engine, slow and independent: lists of Gaussians with at most one Laplace or one Poisson-sampled Gaussian among them, in fixed
 * point. δ of the Gaussians has a closed form; the one other loss is integrated over it by the trapezoid rule, whose steps are halved
 * until two sums agree to `DIGITS`. Everything is scaled by e^scale, so that the digits are those of δ however small.
 */
const BITS = 420;
const { one: ONE, times, over, of, exp, ln, sqrt, toNumber } = fixedPoint(BITS);
/** Agreement of two sums: with it the finer one is right to twice as many digits. */
const AGREED = ONE >> 110n;
const TAU_HALF = of(
  "1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267105853399107404326",
);

/** Mills' ratio (1 − Φ(x))/φ(x): the series about 0, or the continued fraction. */
function mills(x: bigint): bigint {
  if (x > 6n * ONE) {
    let tail = x;
    for (let k = 400n; k > 0n; k--) tail = x + over(k * ONE, tail);
    return over(ONE, tail);
  }
  const square = times(x, x);
  let [sum, term] = [0n, x];
  for (let k = 3n; term > 1n || term < -1n; k += 2n) {
    sum += term;
    term = times(term, square) / k;
  }
  return times(sqrt(TAU_HALF), exp(square / 2n)) - sum;
}

const ROOT_TAU = sqrt(4n * TAU_HALF);
/** e^power·δ(ε) of μ-GDP at any real ε, that is e^power·φ(a)·(mills(a) − mills(a + μ)) with a = ε/μ − μ/2. */
function gaussian(mu: bigint, epsilon: bigint, power: bigint): bigint {
  const whole = (): bigint => (epsilon < 0n ? exp(power) - exp(power + epsilon) : 0n);
  if (epsilon < 0n) return whole() + gaussian(mu, -epsilon, power + epsilon);
  const a = over(epsilon, mu) - mu / 2n;
  return times(over(exp(power - times(a, a) / 2n), ROOT_TAU), mills(a) - mills(a + mu));
}

/** Σ f(from + k·step)·step, halved until it agrees with itself. */
function integral(f: (x: bigint) => bigint, [from, to]: readonly [number, number], steps: number): bigint {
  const [low, width] = [of(from), of(to) - of(from)];
  let count = steps;
  let sum = 0n;
  for (let k = 0; k <= count; k++) sum += f(low + (width * BigInt(k)) / BigInt(count));
  for (let before = (sum * width) / ONE / BigInt(count); ; count *= 2) {
    for (let k = 1; k < 2 * count; k += 2) sum += f(low + (width * BigInt(k)) / BigInt(2 * count));
    const now = (sum * width) / ONE / BigInt(2 * count);
    const gap = now > before ? now - before : before - now;
    if (gap <= times(now, AGREED) || count > 1e5) return now;
    before = now;
  }
}

interface Parts {
  readonly mu: bigint;
  readonly sampled?: { readonly rate: bigint; readonly mu: bigint };
  readonly laplace?: bigint;
}

function partsOf(events: readonly DpEvent[]): Parts | undefined {
  let square = 0n;
  let other: Pick<Parts, "sampled" | "laplace"> | undefined;
  for (const event of events) {
    const [count, one] = event.kind === "repeated" ? [event.count, event.event] : [1, event];
    if (one.kind === "gaussian")
      square += BigInt(count) * over(ONE, times(of(one.noiseMultiplier), of(one.noiseMultiplier)));
    else if (other !== undefined || count !== 1) return undefined;
    else if (one.kind === "laplace") other = { laplace: over(ONE, of(one.noiseMultiplier)) };
    else if (one.kind === "poissonSampled" && one.event.kind === "gaussian")
      other = { sampled: { rate: of(one.rate), mu: over(ONE, of(one.event.noiseMultiplier)) } };
    else return undefined;
  }
  return square === 0n ? undefined : { mu: sqrt(square), ...other };
}

/** e^scale·δ(ε) of such a list, the worse of both directions; undefined for other lists. */
export function exactNoiseDelta(events: readonly DpEvent[]): ((epsilon: number, scale: number) => number) | undefined {
  const parts = partsOf(events);
  if (parts === undefined) return undefined;
  const { mu, sampled, laplace } = parts;
  const read = (epsilon: bigint, power: bigint): bigint => {
    if (laplace !== undefined) {
      // The atoms at both ends, and between them the density e^{(l − ε₀)/2}/4, with l = ε₀·tanh(sinh t).
      const ends = gaussian(mu, epsilon - laplace, power) / 2n + gaussian(mu, epsilon + laplace, power - laplace) / 2n;
      const between = (t: bigint): bigint => {
        const [up, down] = [exp(t), exp(-t)];
        const grown = exp(up - down);
        const l = times(laplace, over(grown - ONE, grown + ONE));
        const slope = times(laplace, over(2n * times(grown, up + down), times(grown + ONE, grown + ONE)));
        return times(slope, gaussian(mu, epsilon - l, power + (l - laplace) / 2n)) / 4n;
      };
      return ends + integral(between, [-5.5, 5.5], 64);
    }
    if (sampled === undefined) return gaussian(mu, epsilon, power);
    const { rate, mu: own } = sampled;
    const loss = (x: bigint): bigint => ln(ONE - rate + times(rate, exp(times(own, x) - times(own, own) / 2n)));
    // φ(x) is put into the power, and what lies beyond `reach` deviations is below 10⁻⁶⁰ of δ.
    const noise = (x: bigint): bigint => power - times(x, x) / 2n;
    const removed = (x: bigint): bigint => {
      const l = loss(x);
      return over(gaussian(mu, epsilon - l, noise(x) + l), ROOT_TAU);
    };
    const added = (x: bigint): bigint => over(gaussian(mu, epsilon + loss(x), noise(x)), ROOT_TAU);
    const reach = Math.sqrt(2 * (toNumber(power) + 140));
    const [a, b] = [removed, added].map((f) => integral(f, [-reach, reach + toNumber(own)], 128)) as [bigint, bigint];
    return a > b ? a : b;
  };
  return (epsilon, scale) => toNumber(read(of(epsilon), of(scale)));
}
