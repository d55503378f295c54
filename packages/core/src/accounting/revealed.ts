import { toDouble } from "../amounts/double.ts";
import {
  bitLength,
  compare,
  type Decimal,
  multiply,
  parseRational,
  type Rational,
  rational,
} from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import type { Direction } from "./profile.ts";
import { asLower, asUpper, decimalAtLeast, type Interval } from "./rounding.ts";

const NONE = rational(0n);

/** P(L = ∞) of one event exactly, its numbers read as decimals [M30]; undefined of a list or a partition that reveals anything. */
export function revealed(event: DpEvent, direction: Direction): Rational | undefined {
  switch (event.kind) {
    case "approximate":
      return parseRational(event.delta);
    case "poissonSampled": {
      const rate = parseRational(event.rate);
      const inner = revealed(event.event, "remove");
      if (inner === undefined) return undefined;
      return direction === "remove" || rate.numerator === rate.denominator ? multiply(rate, inner) : NONE;
    }
    case "sampledWithoutReplacement": {
      const inner = revealed(event.event, "remove");
      return inner === undefined ? undefined : multiply(rational(BigInt(event.size), BigInt(event.population)), inner);
    }
    case "parallel":
    case "composed":
      return event.events.every((part) => revealed(part, direction)?.numerator === 0n) ? NONE : undefined;
    case "repeated":
      return event.count === 0 || revealed(event.event, direction)?.numerator === 0n ? NONE : undefined;
    default:
      return NONE;
  }
}

/** Longest denominator, in bits, up to which a product is taken exactly. */
const MAX_BITS = 1024;

/** 1 − Π(1 − massᵢ) between doubles read as decimals; undefined where a mass is not known exactly or the product is too long. */
export function revealedMass(
  terms: Iterable<{ readonly mass: Rational | undefined; readonly count: number }>,
): Interval | undefined {
  let [kept, whole] = [1n, 1n];
  let bits = 0;
  for (const { mass, count } of terms) {
    if (mass === undefined) return undefined;
    const { numerator, denominator } = mass;
    if (numerator === 0n) continue;
    bits += count * bitLength(denominator);
    if (bits > MAX_BITS) return undefined;
    kept *= (denominator - numerator) ** BigInt(count);
    whole *= denominator ** BigInt(count);
  }
  if (whole === 1n) return { upper: asUpper(kept === 0n ? 1 : 0), lower: asLower(kept === 0n ? 1 : 0) };
  const lost = rational(whole - kept, whole);
  const upper = decimalAtLeast(lost);
  return {
    upper: asUpper(upper),
    lower: asLower(compare(parseRational(upper), lost) === 0n ? upper : toDouble(lost, "down")),
  };
}

/** The double for a product of decimals: the least whose decimal is no less. */
export const productOf = (a: Decimal | Rational, b: Decimal | Rational): number =>
  decimalAtLeast(multiply(exactly(a), exactly(b)));

const exactly = (value: Decimal | Rational): Rational => (typeof value === "object" ? value : parseRational(value));
