import type { Balance } from "@dosimeter/client";
import { activeRuleRow, epsilonAmount, epsilonFromUnits, formatEpsilon } from "@dosimeter/core";

/** Both ε and μ² are kept in 10⁻¹² units, so one exact subtraction serves either. */
const units = (amount: string): bigint => epsilonAmount(amount, "down");
const decimal = (amount: bigint): string => formatEpsilon(epsilonFromUnits(amount > 0n ? amount : 0n));

/** Sum of exact amounts, an exact decimal. */
export const sumOf = (amounts: readonly string[]): string =>
  decimal(amounts.reduce((sum, amount) => sum + units(amount), 0n));

/** `a − b`, never below zero. */
export const lessOf = (a: string, b: string): string => decimal(units(a) - units(b));

export const isMore = (a: string, b: string): boolean => units(a) > units(b);

/** What a division among `rows` leaves; a unit for each row is what it rounds off, and counts as nothing. */
export const sweptOf = (left: string, rows: number): string => (units(left) > BigInt(rows) ? left : "0");

/** The ε that is left, where the active rule counts ε. */
export const epsilonLeft = (balance: Balance): string | null =>
  activeRuleRow(balance.activeRule).counts === "epsilon" ? balance.epsilon.left : null;
