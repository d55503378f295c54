import type { Interval } from "./rounding.ts";

/**
 * Called when a number breaks an invariant of every mechanism [M58]; the caller of the accountant gets a trivial bound
 * in its place.
 */
export type BrokenInvariantListener = (invariant: string) => void;

let listener: BrokenInvariantListener | undefined;

/** Sets the listener, for a log; undefined for none. */
export function onBrokenInvariant(heard: BrokenInvariantListener | undefined): void {
  listener = heard;
}

/** Whether an invariant holds; calls the listener when it does not. */
export function holds(isTrue: boolean, invariant: string): boolean {
  if (!isTrue) listener?.(invariant);
  return isTrue;
}

/** The largest distance of a sum of masses from 1: far above rounding, far below an error of the program. */
const TOLERANCE = 1e-9;

export const isOne = (mass: number): boolean => Math.abs(mass - 1) <= TOLERANCE;

const UNKNOWN: Interval = { upper: 1, lower: 0 };

/** The number of earlier answers that are kept for comparison. */
const KEPT = 64;

/**
 * Returns an answer δ(ε) that is consistent with earlier ones: δ falls in ε and is convex in e^ε, and a list loses at
 * least as much as each of its events. After the first inconsistent answer, every answer is the trivial one.
 */
export function consistent(least: (epsilon: number) => number): (epsilon: number, answer: Interval) => Interval {
  const known: { readonly epsilon: number; readonly answer: Interval }[] = [];
  let isSound = true;
  const fits = (epsilon: number, { upper, lower }: Interval): boolean => {
    const after = known.findIndex((one) => one.epsilon > epsilon);
    const [left, right] = [known[(after < 0 ? known.length : after) - 1], after < 0 ? undefined : known[after]];
    const share =
      left === undefined || right === undefined
        ? 0
        : Math.expm1(epsilon - left.epsilon) / Math.expm1(right.epsilon - left.epsilon);
    const chord = (left?.answer.upper ?? 1) * (1 - share) + (right?.answer.upper ?? 0) * share;
    return (
      holds(lower <= upper && upper <= 1 && lower >= 0, "bounds in order") &&
      holds(upper >= least(epsilon) - TOLERANCE, "a list loses no less than one of its events") &&
      holds(
        lower <= (left?.answer.upper ?? 1) + TOLERANCE && upper >= (right?.answer.lower ?? 0) - TOLERANCE,
        "delta falls in epsilon",
      ) &&
      holds(right === undefined || lower <= chord + TOLERANCE, "delta is convex in e^epsilon")
    );
  };
  return (epsilon, answer) => {
    isSound &&= fits(epsilon, answer);
    if (!isSound) return UNKNOWN;
    const at = known.findIndex((one) => one.epsilon >= epsilon);
    if (known[at]?.epsilon !== epsilon && known.length < KEPT)
      known.splice(at < 0 ? known.length : at, 0, { epsilon, answer });
    return answer;
  };
}
