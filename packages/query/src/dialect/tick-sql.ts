import { type Rational, rational, toDouble } from "@dosimeter/core";
import { sql } from "kysely";
import { codeFrom, factorOf } from "../declaration/decimals.ts";
import type { Column } from "../declaration/declaration.ts";
import { type Dialect, type Fragment, integer } from "./dialect.ts";

/** Below this many steps a rounded product cannot pass the last tick: steps·2⁻⁵¹ < ½. */
const SURE_STEPS = 2n ** 48n;

/** floor((clamp(x) − lower)/step + ½) in 0 … steps, for a double x [M84]; NULL for NULL, the last tick for NaN. */
export function tickSql(
  { double: type }: Pick<Dialect, "double">,
  x: Fragment,
  {
    lower,
    upper,
    step,
    steps,
  }: { readonly lower: number; readonly upper: number; readonly step: Rational; readonly steps: bigint },
): Fragment {
  const number = (value: number): Fragment => sql`CAST(${value} AS ${type})`;
  const above = lower === 0 ? x : sql`(${x} - ${number(lower)})`;
  const inverse = toDouble({ numerator: step.denominator, denominator: step.numerator }, "down");
  let scaled = above;
  const coarse = step.numerator > step.denominator;
  if (coarse) scaled = sql`${above} / ${number(toDouble(step, "down"))}`;
  if (step.numerator < step.denominator) scaled = sql`${above} * ${number(inverse)}`;
  const rounded = sql`CAST(floor(${scaled} + ${number(0.5)}) AS BIGINT)`;
  const inside = steps <= SURE_STEPS ? rounded : sql`least(${rounded}, ${sql.raw(String(steps))})`;
  // A quarter of a step is tick 0 too, and a subnormal number divided by a step would stop PostgreSQL.
  const first = lower === 0 && coarse ? toDouble(step, "down") / 4 : lower;
  return sql`CASE WHEN ${x} <= ${number(first)} THEN 0 WHEN ${x} >= ${number(upper)} THEN ${sql.raw(String(steps))} ELSE ${inside} END`;
}

/** The same for a BIGINT x: a whole number, a date by its period, a decimal in steps of its last digit. It never touches a double. */
export function wholeTickSql(
  dialect: Pick<Dialect, "quotient">,
  x: Fragment,
  { lower, upper, step }: { readonly lower: number; readonly upper: number; readonly step: Rational },
  { column, isClamped = false }: { readonly column: Pick<Column, "scale">; readonly isClamped?: boolean },
): Fragment {
  const [first, last] = [codeFrom(lower, column), codeFrom(upper, column)];
  const clamped = isClamped ? x : sql`least(greatest(${x}, ${integer(first)}), ${integer(last)})`;
  const above = first === 0n ? clamped : sql`(${clamped} - ${integer(first)})`;
  const { numerator } = rational(step.numerator * factorOf(column), step.denominator);
  if (numerator === 1n) return above;
  return dialect.quotient(sql`(${above} * 2 + ${integer(numerator)})`, integer(2n * numerator));
}
