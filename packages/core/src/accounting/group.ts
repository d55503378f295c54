import { invalid } from "../error.ts";
import { enlarge } from "./rounding.ts";

/** Loss against a group of `size` people at once, from a loss against one [M49]. */
export interface GroupLoss {
  readonly epsilon: number;
  readonly delta: number;
}

/** (gε, δ·(e^{gε} − 1)/(e^ε − 1)), the exact form of the chain of g neighbours; δ is capped at 1. */
export function groupPrivacy(loss: GroupLoss, size: number): GroupLoss {
  const { epsilon, delta } = loss;
  checkSize(size);
  const growth = epsilon === 0 ? size : Math.expm1(size * epsilon) / Math.expm1(epsilon);
  const total =
    delta === 0 ? 0 : Math.min(1, enlarge(delta * (Number.isNaN(growth) ? Number.POSITIVE_INFINITY : growth), 4));
  return { epsilon: size * epsilon, delta: total };
}

/** g²·ρ. */
export const groupRho = (rho: number, size: number): number => rho * checkSize(size) * size;

function checkSize(size: number): number {
  if (!Number.isSafeInteger(size) || size < 1) {
    invalid("size", size, "an integer >= 1");
  }
  return size;
}
