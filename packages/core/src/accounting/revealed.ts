import { toDouble } from "../amounts/double.ts";
import { bitLength, compare, multiply, parseRational, type Rational, rational } from "../amounts/rational.ts";
import type { DpEvent } from "../event.ts";
import { oneSample } from "./classes.ts";
import type { Direction } from "./profile.ts";
import { asLower, asUpper, decimalAtLeast, drawnShare, type Interval } from "./rounding.ts";

const NONE = rational(0n);

/** P(L = ∞) of one event exactly, its numbers read as decimals [M30]; undefined of a list or a partition that reveals anything. */
export function revealed(event: DpEvent, direction: Direction): Rational | undefined {
  switch (event.kind) {
    case "approximate":
      return parseRational(event.delta);
    case "poissonSampled": {
      const one = oneSample(event);
      const rate = parseRational(one.rate);
      const inner = revealed(one.event, "remove");
      if (inner === undefined) return undefined;
      return direction === "remove" || rate.numerator === rate.denominator ? multiply(rate, inner) : NONE;
    }
    case "sampledWithoutReplacement": {
      const inner = revealed(event.event, "remove");
      return inner === undefined ? undefined : multiply(drawnShare(event), inner);
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

/** A mass at infinity, and how often it is spent. */
export interface RevealingSpend {
  /** The mass as a decimal, where it is known so. */
  readonly exact?: Rational | undefined;
  readonly most: number;
  readonly least: number;
  readonly count: number;
}

/** Longest denominator, in bits, up to which a product is taken exactly. */
const MAX_BITS = 1024;

/** Bounds on 1 − Π(1 − massᵢ): next to it where all masses are decimals whose product is short, else to the roundings of logarithms [M30]. */
export function revealedMass(spends: readonly RevealingSpend[]): Interval {
  const losing = spends.filter(({ most, count }) => most > 0 && count > 0);
  return exactMass(losing) ?? logarithmicMass(losing);
}

function exactMass(spends: readonly RevealingSpend[]): Interval | undefined {
  let [kept, whole] = [1n, 1n];
  let bits = 0;
  for (const { exact, count } of spends) {
    if (exact === undefined) return undefined;
    bits += count * bitLength(exact.denominator);
    if (bits > MAX_BITS) return undefined;
    kept *= (exact.denominator - exact.numerator) ** BigInt(count);
    whole *= exact.denominator ** BigInt(count);
  }
  const lost = rational(whole - kept, whole);
  const upper = decimalAtLeast(lost);
  const isItself = compare(parseRational(upper), lost) === 0n;
  return { upper: asUpper(upper, "one-sided"), lower: asLower(isItself ? upper : toDouble(lost, "down"), "one-sided") };
}

function logarithmicMass(spends: readonly RevealingSpend[]): Interval {
  const lost = (read: (spend: RevealingSpend) => number): number =>
    -Math.expm1(spends.reduce((log, spend) => log + spend.count * Math.log1p(-read(spend)), 0));
  const room = (8 + spends.length) / 2;
  return {
    upper: asUpper(
      Math.min(
        1,
        asUpper(
          lost(({ most }) => most),
          room,
        ),
      ),
      "of bounds",
    ),
    lower: asLower(
      Math.max(
        0,
        asLower(
          lost(({ least }) => least),
          room,
        ),
      ),
      "of bounds",
    ),
  };
}
