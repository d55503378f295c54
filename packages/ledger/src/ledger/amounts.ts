import { atLeastZero, minus, NO_DELTA, NO_EPSILON } from "@dosimeter/core/internal";
import type { Quota } from "../values/terms.ts";

export const NOTHING: Quota = { epsilon: NO_EPSILON, delta: NO_DELTA };

/** `a − b`, by unit. */
export const excess = (a: Quota, b: Quota): Quota => ({
  epsilon: atLeastZero(minus(a.epsilon, b.epsilon)),
  delta: atLeastZero(minus(a.delta, b.delta)),
});
