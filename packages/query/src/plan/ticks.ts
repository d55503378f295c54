import { formatRational, invalid, parseRational, type Rational, rational } from "@dosimeter/core";
import { divide } from "@dosimeter/core/internal";
import type { Ticks } from "./task.ts";

/** Ticks fit doubles and BIGINTs exactly, and 2⁴⁰ rows of them a 128-bit sum [M84]. */
const MAX_TICKS = 2n ** 53n;
/** A number column without a granularity is measured in about a million steps. */
const DEFAULT_DIGITS = 6;

const isWhole = ({ denominator }: Rational): boolean => denominator === 1n;

/**
 * The grid of clamped values from `lower` to `upper`: bounds are whole multiples of the step, so 0 is on the grid and a
 * signed sum needs no correction by a count. Refuses a granularity that does not divide both bounds.
 */
export function ticksOf(
  {
    lower,
    upper,
    granularity,
    integer,
  }: { lower: number; upper: number; granularity: number | undefined; integer: boolean },
  path: string,
): Ticks {
  const low = parseRational(lower, `${path}.lower`);
  const high = parseRational(upper, `${path}.upper`);
  const step =
    granularity === undefined ? defaultStep(low, high, integer) : parseRational(granularity, `${path}.granularity`);
  const first = divide(low, step);
  const last = divide(high, step);
  if (!isWhole(first) || !isWhole(last))
    invalid(`${path}.granularity`, granularity, `a step that divides both bounds (${lower} and ${upper})`);
  for (const [name, end, value] of [
    ["lower", first, lower],
    ["upper", last, upper],
  ] as const)
    if (end.numerator > MAX_TICKS || -end.numerator > MAX_TICKS)
      invalid(`${path}.${name}`, value, "at most 2^53 steps from 0: choose a coarser granularity or narrower bounds");
  const steps = last.numerator - first.numerator;
  if (steps > MAX_TICKS) invalid(`${path}.granularity`, granularity, "coarser: at most 2^53 steps between the bounds");
  return { lower: low, step, first: first.numerator, steps };
}

/** A bound of a total as a whole number of steps from 0. */
export function wholeTicks(value: unknown, { step }: Ticks, path: string): bigint {
  if (typeof value !== "number" || !Number.isFinite(value)) return invalid(path, value, "a finite number");
  const ticks = divide(parseRational(value, path), step);
  if (!isWhole(ticks)) return invalid(path, value, `a multiple of the step (${formatRational(step)})`);
  if (ticks.numerator > MAX_TICKS || -ticks.numerator > MAX_TICKS)
    return invalid(path, value, "at most 2^53 steps from 0");
  return ticks.numerator;
}

function defaultStep(lower: Rational, upper: Rational, integer: boolean): Rational {
  if (integer) return rational(1n);
  const range = rational(
    upper.numerator * lower.denominator - lower.numerator * upper.denominator,
    upper.denominator * lower.denominator,
  );
  let digits = DEFAULT_DIGITS - magnitude(range);
  while (!isWhole(divide(lower, powerOfTen(-digits))) || !isWhole(divide(upper, powerOfTen(-digits)))) digits += 1;
  return powerOfTen(-digits);
}

const powerOfTen = (exponent: number): Rational =>
  exponent >= 0 ? rational(10n ** BigInt(exponent)) : rational(1n, 10n ** BigInt(-exponent));

/** Least m with value ≤ 10^m. */
function magnitude(value: Rational): number {
  let m = value.numerator.toString().length - value.denominator.toString().length - 1;
  while (value.numerator * powerOfTen(m).denominator > value.denominator * powerOfTen(m).numerator) m += 1;
  return m;
}
