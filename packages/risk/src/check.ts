import { invalid } from "@dosimeter/core";
import { MAX_EPSILON } from "./difference.ts";

export function checkEpsilon0(epsilon0: number): number {
  if (!(epsilon0 > 0 && epsilon0 <= MAX_EPSILON)) {
    invalid("epsilon0", epsilon0, `more than 0 and at most ${MAX_EPSILON}`);
  }
  return epsilon0;
}

export function checkEpsilon(epsilon: number): number {
  if (!(epsilon >= 0)) invalid("epsilon", epsilon, "0 or more");
  return epsilon;
}

export function checkShare(name: string, share: number): number {
  if (!(share >= 0 && share <= 1)) invalid(name, share, "from 0 to 1");
  return share;
}

export function checkPositive(name: string, value: number): number {
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) {
    invalid(name, value, "a finite number above 0");
  }
  return value;
}

export function checkWhole(name: string, value: number, least = 1): number {
  if (!Number.isSafeInteger(value) || value < least) {
    invalid(name, value, `a whole number from ${least} on`);
  }
  return value;
}
