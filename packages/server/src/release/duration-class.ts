/** Shortest class of durations; the others are its doubles. */
export const CLASS_MS = 100;

const endOf = (elapsed: number, shortest: number): number =>
  shortest * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(elapsed, 1) / shortest)));

/** The end of the class of durations that `elapsed` ms falls in: at 100, 200, 400 … A caller sees nothing finer. */
export const classEnd = (elapsed: number): number => endOf(elapsed, CLASS_MS);

/** Resolves at the end of the class of `elapsed`. */
export const settledAfter = (elapsed: number, shortest = CLASS_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, endOf(elapsed, shortest) - elapsed));
