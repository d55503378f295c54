import { invalid } from "@dosimeter/core";
import type { Lower, Upper } from "@dosimeter/core/accounting";
import { asLower, asUpper } from "@dosimeter/core/internal";

/** Decimal places of an estimate; the R package calls them `dp`. */
export const DIGITS = 2;

/** The least multiple of 10^−digits that is ≥ value, as the nearest double; value itself where doubles are coarser. */
export function roundUp(value: Upper, digits: number): Upper {
  if (!Number.isSafeInteger(digits) || digits < 0 || digits > 15) invalid("digits", digits, "an integer from 0 to 15");
  if (!Number.isFinite(value) || value <= 0) return asUpper(Math.max(0, value), "of bounds");
  const scale = 10 ** digits;
  let steps = Math.ceil(value * scale);
  if (!Number.isSafeInteger(steps)) return value;
  while (steps > 0 && (steps - 1) / scale >= value) steps--;
  while (steps / scale < value) steps++;
  return asUpper(Math.max(0, steps / scale), "one-sided");
}

/** The same towards 0, for lower bounds on leakage. */
export function roundDown(value: Lower, digits: number): Lower {
  if (!Number.isSafeInteger(digits) || digits < 0 || digits > 15) invalid("digits", digits, "an integer from 0 to 15");
  if (!Number.isFinite(value) || value <= 0) return asLower(Math.max(0, value), "of bounds");
  const scale = 10 ** digits;
  let steps = Math.floor(value * scale);
  if (!Number.isSafeInteger(steps)) return value;
  while (steps / scale > value) steps--;
  while ((steps + 1) / scale <= value) steps++;
  return asLower(steps / scale, "one-sided");
}
