import { holds } from "../accounting/invariants.ts";
import type { Shape } from "./curve.ts";

/** Log-slopes at which a computed curve is compared with its δ. */
const SLOPES = [0, 0.5, 3];

/** Room for where a line touches, which is found by differences, and for the power there. */
const ROOM = 1e-3;
const PART = 0.99;

/**
 * A curve computed from others, which answers β = 0 from then on when it is not the dual of its own δ: at the point where a line of slope
 * −e^x touches, the power is δ(x) + e^x·α [M58]. Checked once, when it is first asked.
 */
export function dualShape(shape: Shape): Shape {
  let known: boolean | undefined;
  const isDual = (): boolean => {
    known ??= SLOPES.every((x) => {
      const [alpha, delta] = [shape.touch(x), shape.divergence(x)];
      const near = Math.min(1, alpha * (1 + ROOM) + ROOM * delta * Math.exp(-x));
      return holds(
        shape.power(near) >= PART * Math.min(1, delta + Math.exp(x) * alpha),
        "the power of a curve is the dual of its delta",
      );
    });
    return known;
  };
  return {
    ...shape,
    beta: (alpha) => (isDual() ? shape.beta(alpha) : 0),
    power: (alpha) => (isDual() ? shape.power(alpha) : 1),
  };
}
