import type { Interval } from "./rounding.ts";

/** Hears of a number that broke an invariant of every mechanism [M58]; the caller of the accountant gets a trivial bound in its place. */
export type BrokenInvariantListener = (invariant: string) => void;

let listener: BrokenInvariantListener | undefined;

/** Sets the listener, for a log; undefined for none. */
export function onBrokenInvariant(heard: BrokenInvariantListener | undefined): void {
  listener = heard;
}

/** Whether an invariant holds; tells the listener when it does not. */
export function holds(isTrue: boolean, invariant: string): boolean {
  if (!isTrue) listener?.(invariant);
  return isTrue;
}

/** Largest amount by which masses may miss 1: far above every rounding, far below every mistake. */
const TOLERANCE = 1e-9;

export const isOne = (mass: number): boolean => Math.abs(mass - 1) <= TOLERANCE;

const UNKNOWN: Interval = { upper: 1, lower: 0 };

/** Answers that are kept to compare the next ones with. */
const KEPT = 64;

/**
 * Lets an answer δ(ε) pass where it fits those before it: δ falls in ε and is convex in e^ε, and a list loses no less than one of its
 * events does. After the first that does not, every answer is the trivial one.
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
