import { PrivacyError } from "./error.ts";

/**
 * What a computation may still cost, counted where it is done: one unit is about the evaluation of a point, a cell or a sine,
 * some 10 ns. The count depends on the question alone, never on the machine or the clock.
 */
export interface Work {
  /** TOO_MUCH_WORK where no more than this is left. */
  readonly spend: (units: number) => void;
}

/** A budget of its own, for one question. */
export function workBudget(units: number): Work {
  let left = units;
  return {
    spend(more) {
      left -= more;
      if (left >= 0) return;
      const want = "at most that: fewer different events, fewer questions at once, or a method other than pld";
      throw new PrivacyError("TOO_MUCH_WORK", { name: "work", got: `more than ${units} points`, want });
    },
  };
}

/** For programs that end a long computation by other means. */
export const unboundedWork: Work = Object.freeze({ spend: () => {} });

/** Units of one question of a page or of a line of `calc`: up to five seconds of a processor. */
export const QUESTION_WORK = 1e9;
