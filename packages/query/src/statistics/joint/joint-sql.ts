import { sql } from "kysely";
import { codeFrom, isScaled } from "../../declaration/decimals.ts";
import type { Column } from "../../declaration/declaration.ts";
import { type Dialect, type Fragment, integer } from "../../dialect/dialect.ts";
import type { Axis, Exponents } from "../../plan/task.ts";

/** Whether a value is neither missing nor NaN, which sorts above infinity. */
export const isPresent = (dialect: Dialect, column: Column, x: Fragment): Fragment =>
  column.type === "number" && !isScaled(column)
    ? sql`${x} <= CAST('Infinity' AS ${dialect.double})`
    : sql`${x} IS NOT NULL`;

/** All grid positions of a row as one whole number, the last column running fastest [M120]. */
export function packedTicks(dialect: Dialect, axes: readonly Axis[], columnOf: (name: string) => Column): Fragment {
  return axes
    .map((axis, index) => tickOf(dialect, axis, columnOf(axis.column), sql.id(`x${index}`)))
    .reduce((packed, tick, index) => sql`(${packed} * ${integer((axes[index]?.steps ?? 0n) + 1n)} + ${tick})`);
}

/** Position 0 … steps of a clamped value. Whole numbers on their own grid never touch a double. */
function tickOf(dialect: Dialect, axis: Axis, column: Column, x: Fragment): Fragment {
  const { type } = column;
  const { steps } = axis;
  const isCode = type === "integer" || isScaled(column);
  const [lower, upper] = isCode
    ? [Number(codeFrom(axis.lower, column)), Number(codeFrom(axis.upper, column))]
    : [axis.lower, axis.upper];
  if (type === "boolean") return sql`CAST(CASE WHEN ${x} THEN ${integer(steps)} ELSE 0 END AS BIGINT)`;
  if (isCode && BigInt(upper) - BigInt(lower) === steps)
    return sql`(least(greatest(${x}, ${integer(lower)}), ${integer(upper)}) - ${integer(lower)})`;
  const double = (value: number): Fragment => sql`CAST(${value} AS ${dialect.double})`;
  const number = isCode ? sql`CAST(${x} AS ${dialect.double})` : x;
  const perUnit = Number(steps) / (upper - lower);
  // Below a quarter of a step is position 0 anyway, and the product of a subnormal number would stop PostgreSQL.
  const first = lower + (upper - lower) / Number(steps) / 4;
  const position = sql`CAST(floor((${number} - ${double(lower)}) * ${double(perUnit)} + ${double(0.5)}) AS BIGINT)`;
  return sql`CASE WHEN ${number} <= ${double(first)} THEN 0 WHEN ${number} >= ${double(upper)} THEN ${integer(steps)} ELSE least(${position}, ${integer(steps)}) END`;
}

/** Σ Π tᵢ^pᵢ over packed rows; the design keeps every product below 2⁶³. */
export function sumOfProducts(dialect: Dialect, powers: Exponents, axes: readonly Axis[]): Fragment {
  const factors = powers.flatMap((power, at) => new Array<Fragment>(power).fill(positionOf(dialect, at, axes)));
  return factors.length === 0 ? sql`count(*)` : dialect.sum(sql.join(factors, sql` * `));
}

function positionOf(dialect: Dialect, at: number, axes: readonly Axis[]): Fragment {
  const below = axes.slice(at + 1).reduce((product, { steps }) => product * (steps + 1n), 1n);
  const shifted = below === 1n ? sql`v` : dialect.quotient(sql`v`, integer(below));
  return at === 0 ? sql`${shifted}` : sql`(${shifted} % ${integer((axes[at]?.steps ?? 0n) + 1n)})`;
}
