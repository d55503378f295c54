import { asUpper } from "@dosimeter/core/internal";
import type { Shape } from "./curve.ts";

/** No privacy at all: the two hypotheses are distinguished without error. */
export const total: Shape = {
  isSymmetric: true,
  beta: () => 0,
  power: () => 1,
  logSlope: () => Number.NEGATIVE_INFINITY,
  divergence: () => 1,
  touch: () => 0,
  vertices: () => [0, 1].map((alpha) => ({ alpha, beta: 0 })),
};

/** Perfect privacy: f(α) = 1 − α. */
export const identity: Shape = {
  isSymmetric: true,
  gaussian: { mu: asUpper(0, "exact"), isLeast: true },
  beta: (alpha) => 1 - alpha,
  power: (alpha) => alpha,
  logSlope: (alpha) => (alpha === 1 ? Number.NEGATIVE_INFINITY : 0),
  divergence: (x) => Math.max(0, -Math.expm1(x)),
  touch: (x) => (x >= 0 ? 0 : 1),
  vertices: () => [0, 1].map((alpha) => ({ alpha, beta: 1 - alpha })),
};
