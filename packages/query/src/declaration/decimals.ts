import { invalid, parseRational, type Rational, rational } from "@dosimeter/core";
import { type Fields, own } from "../input/check.ts";
import type { Column } from "./declaration.ts";

/** Digits of a decimal before and behind its point: this many fit 64 bits. */
export const MAX_DIGITS = 18;
const MAX_SCALE = 9;
/** Doubles hold decimals of 15 digits exactly, and bounds and edges are doubles. */
const MAX_CODE = 10n ** 15n;

type Scaled = Pick<Column, "scale">;

/** Whether an engine counts the values of a column in whole steps of its last digit [M193]. */
export const isScaled = (column: Scaled): column is { readonly scale: number } => column.scale !== undefined;

const power = (scale: number): bigint => 10n ** BigInt(scale);

/** What a decimal is multiplied by to be whole; 1 where no scale is declared. */
export const factorOf = ({ scale = 0 }: Scaled): bigint => power(scale);

/** A number in steps of the last digit, which need not be whole. */
function stepsOf(value: number, column: Scaled): Rational {
  const { numerator, denominator } = parseRational(value, "value");
  return rational(numerator * factorOf(column), denominator);
}

/** The least code that is not below a number: `x >= number` is `code >= codeFrom(number)`. */
export function codeFrom(value: number, column: Scaled): bigint {
  const { numerator, denominator } = stepsOf(value, column);
  const most = power(MAX_DIGITS);
  const whole = numerator > 0n ? (numerator + denominator - 1n) / denominator : numerator / denominator;
  return whole > most ? most : whole < -most ? -most : whole;
}

/** A number in a filter or a bound as its code; refused where it has more digits than the column, or than a double holds. */
export function checkCode(value: number, column: Scaled, path: string): bigint {
  const { numerator, denominator } = stepsOf(value, column);
  if (denominator !== 1n) invalid(path, value, `a number with at most ${column.scale} digits behind the point`);
  if (numerator > MAX_CODE || -numerator > MAX_CODE) invalid(path, value, "a number of at most 15 digits");
  return numerator;
}

/** A code as the decimal that people write. */
export function textOfCode(code: bigint, { scale = 0 }: Scaled): string {
  const digits = String(code < 0n ? -code : code).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${code < 0n ? "-" : ""}${digits.slice(0, point)}${scale === 0 ? "" : `.${digits.slice(point)}`}`;
}

/** How many digits behind its point a step has, such as 2 of 0.01: what a form or a flag says of a decimal. Null of no such step. */
export function scaleOfStep(step: string): number | null {
  const digits = /^\d*(?:\.(\d+))?$/.exec(step.trim());
  return digits === null || !(Number(step) > 0) ? null : (digits[1]?.length ?? 0);
}

/** The scale of a decimal column, and its last digit as granularity where no coarser one is declared. */
export function checkScale(given: Fields, path: string, bounds: Partial<Column>): Partial<Column> {
  const scale = own(given, "scale");
  if (typeof scale !== "number" || !Number.isInteger(scale) || scale < 0 || scale > MAX_SCALE)
    return invalid(`${path}.scale`, scale, `the number of digits behind the point, 0 to ${MAX_SCALE}`);
  const { lower, upper, granularity } = bounds;
  for (const [name, value] of Object.entries({ lower, upper, granularity })) {
    if (value === undefined) continue;
    checkCode(value, { scale }, `${path}.${name}`);
  }
  return { scale, ...(lower === undefined ? {} : { granularity: granularity ?? Number(`1e-${scale}`) }) };
}
