import { invalid } from "@dosimeter/core";

/** A confidence from 10⁻¹² to 1 − 10⁻¹²: nearer to 0 or 1 no interval could be computed after the charge. */
export function checkConfidence(value: unknown): number {
  if (typeof value !== "number" || !(value > 0 && value < 1))
    return invalid("confidence", value, "between 0 and 1, both excluded");
  if (value < 1e-12 || value > 1 - 1e-12) return invalid("confidence", value, "between 1e-12 and 1 - 1e-12");
  return value;
}
