import { logDeltaOfMu } from "../numeric/gaussian-profile.ts";
import { unmixedLoss } from "./mixture.ts";
import { asLower, asUpper, expUp, type Interval, UNIT_ROUNDOFF, type Upper } from "./rounding.ts";

/** Bounds on δ(ε) = E(1 − e^{ε − L})₊ of a finite loss scaled to mass 1, at any ε in [−∞, ∞] [M57]. */
export type Profile = (epsilon: number) => Interval;

/** Which of the two neighbours has the extra person: `remove` is P = with, Q = without; `add` the reverse. */
export type Direction = "remove" | "add";

const CERTAIN: Interval = { upper: asUpper(1, "exact"), lower: asLower(1, "exact") };
const NONE: Interval = { upper: asUpper(0, "exact"), lower: asLower(0, "exact") };

/** Room for the roundings of a mass: exponents up to 1000 and a compensated sum. */
const MASS_MARGIN = 5e-13;

/** Room for the few roundings of a closed form, in units of the last place. */
const CLOSED_ROOM = 8;

/** A δ by a closed form, from above. */
const capped = (delta: number): Upper => asUpper(Math.min(1, asUpper(delta, CLOSED_ROOM)), "of bounds");

/** x moved away from its true value by no more than this many roundings of `size`. */
function around(x: number, ulps: number, size = Math.abs(x)): readonly [number, number] {
  const error = Number.isFinite(x) ? ulps * UNIT_ROUNDOFF * size : 0;
  return [x - error, x + error];
}

/** 1 − e^x for x ≤ 0. */
const drop = (x: number): number => -Math.expm1(Math.min(0, x));

/** Of atoms whose losses are right up to a relative `error`, in units of rounding. */
export function atomsProfile(
  atoms: readonly { readonly loss: number; readonly mass: number }[],
  { infinite, error }: { readonly infinite: number; readonly error: number },
): Profile {
  return (epsilon) => {
    const [high, low] = [new CompensatedSum(), new CompensatedSum()];
    for (const { loss, mass } of atoms) {
      const [least, most] = around(loss, error);
      if (most > epsilon) high.add(mass * drop(epsilon - most));
      if (least > epsilon) low.add(mass * drop(epsilon - least));
    }
    const finite = 1 - infinite;
    return {
      upper: asUpper(Math.min(1, (high.value / finite) * (1 + MASS_MARGIN)), "one-sided"),
      lower: asLower((low.value / finite) * (1 - MASS_MARGIN), "one-sided"),
    };
  };
}

/** Adds up numbers with an error of two roundings, however many there are. A class for its running error. */
export class CompensatedSum {
  value = 0;
  #lost = 0;

  add(x: number): void {
    const term = x - this.#lost;
    const next = this.value + term;
    this.#lost = next - this.value - term;
    this.value = next;
  }
}

/** Relative error of ln δ, in addition to that of ε. */
const LOG_MARGIN = 4e-15;

/** Of the Gaussian mechanism with μ > 0: the roundings of ε/μ − μ/2 are put into ε. */
export function gaussianProfile(mu: number): Profile {
  return (epsilon) => {
    if (!Number.isFinite(epsilon)) return epsilon > 0 ? NONE : CERTAIN;
    const [least, most] = around(epsilon, 8, Math.abs(epsilon) + mu * mu);
    const [high, low] = [logDeltaOfMu(least, mu), logDeltaOfMu(most, mu)];
    return {
      upper: asUpper(expUp(high + LOG_MARGIN * (1 + Math.abs(high))), "one-sided"),
      lower: asLower(Math.exp(low - LOG_MARGIN * (1 + Math.abs(low))), "one-sided"),
    };
  };
}

/** Of the Laplace mechanism with noise multiplier 1/ε₀: 1 − e^{(ε − ε₀)/2} between −ε₀ and ε₀, which is itself one rounding. */
export function laplaceProfile(most: number): Profile {
  const at = (epsilon: number): number => (epsilon < -most ? drop(epsilon) : drop(Math.min(0, (epsilon - most) / 2)));
  return (epsilon) => {
    const [low, high] = around(epsilon, 1, most);
    return { upper: asUpper(at(low), CLOSED_ROOM), lower: asLower(at(high), CLOSED_ROOM) };
  };
}

/**
 * Of what a Poisson sample makes of a symmetric mechanism [M41]: γ·δ(ln(1 + (e^ε − 1)/γ)), and 1 − e^ε where that logarithm does
 * not exist; the other way a·δ(ln(γe^ε/a)) with a = 1 − (1 − γ)e^ε, and 0 where a is not positive.
 */
export function sampledProfile(base: Profile, rate: number, direction: Direction): Profile {
  if (direction === "remove") {
    return (epsilon) => {
      const [low, high] = unmixedBetween(rate, epsilon);
      const all = drop(epsilon);
      return {
        upper: capped(Math.max(all, productUp(rate, base(low).upper))),
        lower: asLower(Math.max(all, high === Number.NEGATIVE_INFINITY ? 0 : rate * base(high).lower), CLOSED_ROOM),
      };
    };
  }
  return (epsilon) => {
    if (epsilon > 700) return NONE;
    const [start, sampled] = [-Math.expm1(epsilon), rate * Math.exp(epsilon)];
    const [low, high] = around(start + sampled, 4, Math.abs(start) + sampled);
    if (high <= 0) return NONE;
    const inner = (share: number): readonly [number, number] => {
      const [log, own] = [Math.log(share), Math.log(rate)];
      return around(epsilon + own - log, 4, Math.abs(epsilon) + Math.abs(own) + Math.abs(log));
    };
    return {
      upper: capped(productUp(high, base(inner(high)[0]).upper)),
      lower: asLower(low > 0 ? low * base(inner(low)[1]).lower : 0, CLOSED_ROOM),
    };
  };
}

/** x·y, and not 0 where neither is: a bound from above is not lost to an underflow. */
const productUp = (x: number, y: number): number => (x > 0 && y > 0 ? Math.max(Number.MIN_VALUE, x * y) : 0);

/** Bounds on ln(1 + (e^loss − 1)/rate), −∞ where it does not exist. */
function unmixedBetween(rate: number, loss: number): readonly [number, number] {
  if (loss > 30) return around(unmixedLoss(rate, loss), 8, loss - Math.log(rate));
  const [low, high] = around(Math.expm1(loss) / rate, 4);
  return [around(Math.log1p(Math.max(-1, low)), 2)[0], around(Math.log1p(Math.max(-1, high)), 2)[1]];
}

/** With the same profile at ε ≥ 0 in both directions: at −ε the dual of it [M42]. */
export function mirroredProfile(above: Profile): Profile {
  return (epsilon) => {
    if (epsilon >= 0) return above(epsilon);
    const { upper, lower } = above(-epsilon);
    const dual = (delta: number): number => drop(epsilon) + Math.exp(epsilon) * delta;
    return { upper: capped(dual(upper)), lower: asLower(dual(lower), CLOSED_ROOM) };
  };
}
