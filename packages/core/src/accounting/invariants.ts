import { PrivacyError } from "../error.ts";
import { asLower, type Interval } from "./rounding.ts";

/**
 * Called when a number breaks an invariant of every mechanism [M58]; the caller of the accountant gets a plainer bound, or a refusal,
 * in its place.
 */
export type BrokenInvariantListener = (invariant: string) => void;

const listeners = new Set<BrokenInvariantListener>();

/** Adds a listener, for a log; the function that is returned removes it. */
export function onBrokenInvariant(listener: BrokenInvariantListener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether an invariant holds; calls the listeners when it does not. */
export function holds(isTrue: boolean, invariant: string): boolean {
  if (!isTrue) for (const heard of listeners) heard(invariant);
  return isTrue;
}

/** The largest distance of a sum of masses from 1: far above rounding, far below an error of the program. */
const TOLERANCE = 1e-9;

export const isOne = (mass: number): boolean => Math.abs(mass - 1) <= TOLERANCE;

/** The number of earlier answers that are kept for comparison. */
const KEPT = 64;

interface Known {
  readonly epsilon: number;
  readonly answer: Interval;
}

/**
 * Returns an answer δ(ε) that is consistent with earlier ones: δ falls in ε and is convex in e^ε, and a list loses at least as much as
 * each of its events. An inconsistent answer is never given: `otherwise` is, or the answer at the next smaller ε, which δ cannot exceed;
 * where neither is consistent, UNSUPPORTED_EVENT.
 */
export function consistent(
  least: (epsilon: number) => number,
): (epsilon: number, answer: Interval, otherwise?: () => Interval) => Interval {
  const known: Known[] = [];
  const fits = (epsilon: number, { upper, lower }: Interval, at: number): boolean => {
    const [left, right] = [known[at - 1], known[known[at]?.epsilon === epsilon ? at + 1 : at]];
    const [most, fewest] = [left?.answer.upper ?? 1, right?.answer.lower ?? 0];
    return (
      holds(lower <= upper && upper <= 1 && lower >= 0, "bounds in order") &&
      holds(upper >= least(epsilon) - TOLERANCE, "a list loses no less than one of its events") &&
      holds(lower <= most + TOLERANCE && upper >= fewest - TOLERANCE, "delta falls in epsilon") &&
      holds(
        left === undefined || right === undefined || lower <= chord(left, right, epsilon) + TOLERANCE,
        "delta is convex in e^epsilon",
      )
    );
  };
  return (epsilon, answer, otherwise) => {
    const found = known.findIndex((one) => one.epsilon >= epsilon);
    const at = found < 0 ? known.length : found;
    const before = known[at - 1];
    const choices = [
      () => answer,
      ...(otherwise === undefined ? [] : [otherwise]),
      ...(before === undefined ? [] : [() => ({ upper: before.answer.upper, lower: asLower(0, "exact") })]),
    ];
    for (const choice of choices) {
      const given = choice();
      if (!fits(epsilon, given, at)) continue;
      if (known[at]?.epsilon !== epsilon && known.length < KEPT) known.splice(at, 0, { epsilon, answer: given });
      return given;
    }
    throw new PrivacyError("UNSUPPORTED_EVENT", {
      name: "events",
      got: "a list whose bounds contradict each other here",
      want: "asked for at another epsilon or delta, or totalled by another method",
    });
  };
}

/** The height at ε of the straight line in e^ε between two upper bounds; no exponent is above 0. */
function chord(left: Known, right: Known, epsilon: number): number {
  const share =
    (Math.exp(epsilon - right.epsilon) * Math.expm1(left.epsilon - epsilon)) / Math.expm1(left.epsilon - right.epsilon);
  return left.answer.upper * (1 - share) + right.answer.upper * share;
}
