import { type Rational, toDouble } from "@dosimeter/core";
import { sql } from "kysely";
import type { Dialect, Fragment } from "./dialect.ts";

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
