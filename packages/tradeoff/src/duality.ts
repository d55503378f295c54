import { PrivacyError } from "@dosimeter/core";
import { holds, present } from "@dosimeter/core/internal";
import type { Shape } from "./curve.ts";

/** Log-slopes at which a computed curve is compared with its δ. */
const SLOPES = [0, 0.5, 3, 8];

/** Room for where a line touches, which is found by differences, and for the power there. */
const ROOM = 1e-3;
const PART = 0.99;
/** Room for rounding between δ of a list and δ of a part of it. */
const ROUNDING = 1e-9;
/** Below this a bound on δ may rise with x: each is one, and none is sharp. */
const FAINT = 1e-30;

/**
 * The first of several ways to compute one curve that breaks no invariant [M58]; they are tried when the curve is first asked. At the
 * point where a line of slope −e^x touches, the power is δ(x) + e^x·α; and δ(x) is at least `least(x)`, that of what the curve's
 * mechanism can be turned into. INTERNAL where none holds: a curve that breaks one is never read.
 */
export function soundShape(
  { isSymmetric, gaussian, invert }: Pick<Shape, "isSymmetric" | "gaussian" | "invert">,
  ways: readonly (() => Shape)[],
  least: (x: number) => number = () => 0,
): Shape {
  let known: Shape | undefined;
  const sound = (): Shape => {
    known ??= firstSound(ways, least);
    return known;
  };
  return {
    isSymmetric,
    ...present({ gaussian, invert }),
    beta: (alpha) => sound().beta(alpha),
    power: (alpha) => sound().power(alpha),
    logSlope: (alpha) => sound().logSlope(alpha),
    divergence: (x) => sound().divergence(x),
    touch: (x) => sound().touch(x),
    vertices: () => sound().vertices(),
  };
}

function firstSound(ways: readonly (() => Shape)[], least: (x: number) => number): Shape {
  for (const way of ways) {
    const shape = way();
    if (isSound(shape, least)) return shape;
  }
  throw new PrivacyError("INTERNAL", {}, "no certified bound is known for this curve: each one broke an invariant");
}

function isSound(shape: Shape, least: (x: number) => number): boolean {
  return SLOPES.every((x) => {
    const [alpha, delta] = [shape.touch(x), shape.divergence(x)];
    const near = Math.min(1, alpha * (1 + ROOM) + ROOM * delta * Math.exp(-x));
    return (
      (delta < FAINT ||
        holds(
          shape.power(near) >= PART * Math.min(1, delta + Math.exp(x) * alpha),
          "the power of a curve is the dual of its delta",
        )) &&
      holds(delta >= least(x) * (1 - ROUNDING), "a composed curve lies on or below each of its parts")
    );
  });
}
