import { invalid } from "../error.ts";

/** The question about a total: the ε at a δ, or the δ at an ε. */
export type Question = { readonly delta: number } | { readonly epsilon: number };

export type Method =
  | "basic"
  | "advanced"
  | "advancedTight"
  | "advancedLog"
  | "optimal"
  | "zcdp"
  | "zcdpSimple"
  | "rdp"
  | "gdp"
  | "pld";

/** An (ε, δ) that holds for the whole list, by one method. */
export interface TotalLoss {
  /** Upper bound; Infinity where the method can promise nothing at this δ. */
  readonly epsilon: number;
  readonly delta: number;
  readonly method: Method;
  /** The assumptions under which it holds. */
  readonly assumes: string;
  /** A certified lower bound on the same quantity, where the method has one. */
  readonly lower?: number;
}

/** δ in [0, 1); anything else is INVALID_PARAMETER. */
export function checkDelta(delta: number, name = "delta"): number {
  if (!(delta >= 0 && delta < 1)) {
    invalid(name, delta, ">= 0 and < 1");
  }
  return delta;
}

/** ε ≥ 0, ∞ allowed; anything else is INVALID_PARAMETER. */
export function checkEpsilon(epsilon: number, name = "epsilon"): number {
  if (!(epsilon >= 0)) invalid(name, epsilon, ">= 0");
  return epsilon;
}
