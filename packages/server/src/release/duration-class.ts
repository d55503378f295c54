/** Shortest class of durations; the others are its doubles. */
export const CLASS_MS = 100;

/** Where the class ends that so many milliseconds fall in: at 100, 200, 400 … Nothing finer is seen from outside. */
export const classEnd = (elapsed: number): number =>
  CLASS_MS * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(elapsed, 1) / CLASS_MS)));

/** Resolves at the end of the class. */
export const settledAfter = (elapsed: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, classEnd(elapsed) - elapsed));
