import { invalid } from "@dosimeter/core";
import { risingRoot } from "@dosimeter/core/internal";
import type { TradeoffFunction } from "./curve.ts";

/**
 * The distribution function of the canonical noise of a symmetric curve: adding it to an answer of sensitivity 1 costs
 * exactly f [M72] (Awan–Vadhan 2023). `x` in units of the sensitivity.
 */
export function canonicalNoise(curve: TradeoffFunction): (x: number) => number {
  if (!curve.isSymmetric) invalid("curve", curve.label, "a symmetric curve");
  const fixed = risingRoot((alpha) => alpha - curve.beta(alpha), 0, 1);
  const below = (x: number): number => {
    // F(x) = f(1 − F(x + 1)) for x < −½; the steps to the middle are taken one by one.
    const steps = Math.max(0, Math.ceil(-0.5 - x));
    let value = fixed * (0.5 - (x + steps)) + (1 - fixed) * (x + steps + 0.5);
    for (let i = 0; i < steps; i++) value = curve.beta(1 - value);
    return value;
  };
  return (x) => {
    if (typeof x !== "number" || Number.isNaN(x)) invalid("x", x, "a number");
    if (Math.abs(x) > 1e6) return x < 0 ? 0 : 1;
    return x <= 0.5 ? below(x) : 1 - below(-x);
  };
}
