import { invalid } from "../error.ts";

declare const unit: unique symbol;

/** ε ≥ 0, in nats: a real parameter of mathematics. The ledger counts in `EpsilonAmount`. */
export type Epsilon = number & { readonly [unit]: "epsilon" };
/** δ in [0, 1]. */
export type Delta = number & { readonly [unit]: "delta" };
/** zCDP ρ ≥ 0. */
export type Rho = number & { readonly [unit]: "rho" };
/** GDP μ ≥ 0. */
export type Mu = number & { readonly [unit]: "mu" };

/** `Infinity` means "no guarantee"; negative and NaN are INVALID_PARAMETER. */
export const epsilon = (x: number, name = "epsilon"): Epsilon => nonNegative(x, name) as Epsilon;
export const rho = (x: number, name = "rho"): Rho => nonNegative(x, name) as Rho;
export const mu = (x: number, name = "mu"): Mu => nonNegative(x, name) as Mu;

/** Outside [0, 1] and NaN are INVALID_PARAMETER. */
export function delta(x: number, name = "delta"): Delta {
  if (!(x >= 0 && x <= 1)) invalid(name, x, "between 0 and 1");
  return x as Delta;
}

function nonNegative(x: number, name: string): number {
  if (!(x >= 0)) invalid(name, x, ">= 0");
  return x;
}
