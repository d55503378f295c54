import { sql } from "kysely";
import type { Contribution } from "../plan/bounded.ts";
import { type Dialect, type Fragment, integer } from "./dialect.ts";

/** A column to order by, or an expression in its place: `small` is a whole number from 0 below 2³². */
export interface OrderField {
  readonly name: string;
  readonly kind: "text" | "integer" | "small";
  readonly value?: Fragment;
}

/** Rows with one more column: a keyed order of a unit and some fields. */
export type Order = (rows: Fragment, name: string, fields: readonly OrderField[]) => Fragment;

/** By what the rows of a unit are bounded. */
export interface Bounds {
  readonly dialect: Dialect;
  readonly contribution: Contribution;
  /** Every row is a unit of its own. */
  readonly isRow: boolean;
  readonly order: Order;
}

/** Bits of an order: values lie in 0 … 2³¹ − 1. */
export const ORDER_BITS = 31;
/** Most 32-bit limbs with 28-bit multipliers whose sum stays below 2⁶³. */
const MAX_LIMBS = 7;

/** Distinct primes: multipliers are remainders of the salt, as good as independent by the Chinese remainder theorem. */
const LIMB_PRIMES = [
  268_435_399, 268_435_367, 268_435_361, 268_435_337, 268_435_331, 268_435_313, 268_435_291, 268_435_273,
] as const;
const MIX_PRIMES = [2_147_483_629, 2_147_483_587] as const;
/** Spreads short salts over every remainder; any large constant works. */
const SPREAD = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95n;

function remainders(salt: string, primes: readonly number[]): readonly number[] {
  let number = 1n;
  for (const byte of new TextEncoder().encode(salt)) number = (number << 8n) | BigInt(byte);
  return primes.map((prime) => Number((number * SPREAD) % BigInt(prime - 1)) + 1);
}

/**
 * `rows` with one more column: a keyed 31-bit hash of a unit and some fields, the same in every database [M126]. A
 * person without the salt cannot predict which of a unit's rows come first; their order depends on those columns alone.
 * Texts enter through 60 bits of MD5. All else is 64-bit arithmetic with few operations, since it runs for every row.
 */
export function withOrder(
  dialect: Dialect,
  rows: Fragment,
  [unit, ...fields]: readonly [OrderField, ...OrderField[]],
  salt: string,
  name: string,
): Fragment {
  const { and, right } = dialect.bits;
  const low = (value: Fragment): Fragment => sql`(${and(value, integer(2 ** 32 - 1))})`;
  const texts = [unit, ...fields].filter(({ kind }) => kind === "text");
  const bits = (field: OrderField): Fragment => sql.id(`${name}_${field.name}`);
  const whole = (field: OrderField): Fragment =>
    field.kind === "text" ? bits(field) : (field.value ?? sql.id(field.name));
  const limbs = fields.flatMap((field) =>
    field.kind === "small" ? [whole(field)] : [low(whole(field)), low(sql`(${right(whole(field), 32)})`)],
  );
  if (limbs.length > MAX_LIMBS) throw new RangeError("an order takes at most three fields of 64 bits and the unit");
  const [first = 1, ...multipliers] = remainders(salt, LIMB_PRIMES);
  const [one = 1, two = 1] = remainders(salt, MIX_PRIMES);
  const terms = limbs.map((limb, index) => sql`${limb} * ${integer(multipliers[index] ?? 1)}`);
  const step = (from: Fragment, expression: Fragment, as: Fragment): Fragment =>
    sql`(SELECT *, ${expression} AS ${as} FROM ${from} AS o${dialect.fence})`;
  const hashed =
    texts.length === 0
      ? sql`(${rows})`
      : sql`(SELECT *, ${sql.join(
          texts.map((field) => sql`${dialect.textBits(sql.id(field.name))} AS ${bits(field)}`),
        )} FROM (${rows}) AS o${dialect.fence})`;
  const [sum, mixed] = [sql.id(`${name}_1`), sql.id(`${name}_2`)];
  const folded = (x: Fragment, shift: number): Fragment => low(dialect.xor(x, sql`(${right(x, shift)})`));
  const summed = dialect.xor(whole(unit), sql`(${sql.join([...terms, integer(first)], sql` + `)})`);
  const once = sql`(${folded(sum, 32)} * ${integer(one | 1)})`;
  const twice = sql`(${and(sql`(${right(sql`(${folded(mixed, 29)} * ${integer(two | 1)})`, 16)})`, integer(2 ** ORDER_BITS - 1))})`;
  return sql`SELECT *, ${twice} AS ${sql.id(name)} FROM ${step(step(hashed, summed, sum), once, mixed)} AS o${dialect.fence}`;
}
