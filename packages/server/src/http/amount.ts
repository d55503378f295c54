import { type EpsilonAmount, epsilonAmount, invalid, MAX_EPSILON } from "@dosimeter/core";

/** An ε from a request: a cap, so it rounds down. INVALID_PARAMETER above what any ledger may promise. */
export function askedEpsilon(
  value: string | number,
  name = "body.epsilon",
  rounding: "down" | "up" = "down",
): EpsilonAmount {
  const amount = epsilonAmount(value, rounding, name);
  if (amount > MAX_EPSILON) invalid(name, value, "at most 1e6");
  return amount;
}
