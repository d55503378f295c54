import { invalid } from "@dosimeter/core";
import { asUpper } from "@dosimeter/core/internal";
import { type Atom, atomsOf } from "./atoms.ts";
import { checkRate } from "./check.ts";
import { type TradeoffFunction, tradeoffFunction } from "./curve.ts";
import { numberLabel } from "./number-label.ts";
import { piecewise } from "./piecewise.ts";
import { tangentAtoms } from "./profile.ts";

/**
 * One of several mechanisms, picked at random, with the choice published: δ(x) = Σ wᵢ·δᵢ(x) [M74]. Exact for
 * piecewise-linear curves, a lower bound from 4,096 tangents each otherwise; a mechanism that keeps the choice secret
 * is at least as private.
 */
export function mixture(
  parts: readonly { readonly weight: number; readonly curve: TradeoffFunction }[],
): TradeoffFunction {
  if (!Array.isArray(parts) || parts.length === 0) invalid("parts", parts, "at least one curve with its weight");
  const total = parts.reduce((sum, { weight }, i) => sum + checkRate(weight, `parts[${i}].weight`), 0);
  if (Math.abs(total - 1) > 1e-9) invalid("weights", total, "numbers that sum to 1");
  const list: Atom[] = [];
  let [jump, rest] = [0, 0];
  for (const { weight, curve } of parts) {
    const atoms = tangentAtoms(curve, 4096);
    for (let i = 0; i < atoms.loss.length; i++) {
      list.push({
        loss: atoms.loss[i] ?? 0,
        p: (weight * (atoms.p[i] ?? 0)) / total,
        q: (weight * (atoms.q[i] ?? 0)) / total,
      });
    }
    jump += (weight * atoms.jump) / total;
    rest += (weight * atoms.rest) / total;
  }
  const isSymmetric = parts.every(({ curve }) => curve.isSymmetric && curve.atoms !== null);
  // Every part lies above the Gaussian of the greatest μ, hence so does every mixture of them.
  const gaussian = {
    mu: asUpper(
      parts.reduce((most, { curve }) => Math.max(most, curve.gaussian.mu), 0),
      "of bounds",
    ),
    isLeast: false,
  };
  const shape = { ...piecewise(atomsOf(list, jump, rest), { isSymmetric }), gaussian };
  return tradeoffFunction(shape, {
    label: parts.map(({ weight, curve }) => `${numberLabel(weight)} of ${curve.label}`).join(" or "),
    definition: { mixture: parts.map(({ weight, curve }) => [weight, curve.definition] as const) },
    isExact: parts.every(({ curve }) => curve.isExact && curve.atoms !== null),
  });
}
