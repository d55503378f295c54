import { epsilonAmount, formatEpsilon, invalid } from "@dosimeter/core";
import type { DecimalInput } from "@dosimeter/query/plan";
import type { StatisticRequest } from "@dosimeter/query/statistics";

export type Currency = "epsilon" | "rho";

const hasPrice = ({ epsilon, rho }: StatisticRequest): boolean => epsilon !== undefined || rho !== undefined;

export const unpriced = (rows: readonly StatisticRequest[]): number => rows.filter((row) => !hasPrice(row)).length;

/**
 * Splits a stated total evenly between the rows without a price of their own, rounded down to 10⁻¹²: together they never cost
 * more than the total. `refuse` says why the total cannot be theirs.
 */
export function withTotal(
  rows: readonly StatisticRequest[],
  currency: Currency,
  total: DecimalInput,
  refuse: (want: string) => never,
): readonly StatisticRequest[] {
  const units = epsilonAmount(total, "down", currency);
  const other = currency === "epsilon" ? "rho" : "epsilon";
  if (rows.some((row) => row[other] !== undefined)) return refuse(`left out: a row pays in ${other}`);
  const own = rows.reduce((sum, row) => sum + epsilonAmount(row[currency] ?? 0, "up", currency), 0n);
  const count = BigInt(unpriced(rows));
  const stated = formatEpsilon(own);
  if (count === 0n) return own === units ? rows : refuse(stated);
  const share = (units - own) / count;
  if (share < 1n) return refuse(`more than ${stated}`);
  const price = formatEpsilon(share);
  return rows.map((row) => (hasPrice(row) ? row : { ...row, [currency]: price }));
}

/** δ that the text does not state, split evenly between the rows that find groups with it. */
export function withDelta(
  rows: readonly StatisticRequest[],
  finds: (index: number) => boolean,
  delta: DecimalInput | undefined,
): readonly StatisticRequest[] {
  const count = rows.filter((row, index) => finds(index) && row.delta === undefined).length;
  if (delta === undefined || count === 0) return rows;
  const units = epsilonAmount(delta, "down", "delta") / BigInt(count);
  if (count > 1 && units < 1n) return invalid("delta", delta, `at least ${count}e-12: ${count} SELECT share it`);
  const each = count === 1 ? delta : formatEpsilon(units);
  return rows.map((row, index) => (finds(index) && row.delta === undefined ? { ...row, delta: each } : row));
}
