/** The shortest class of durations; each next one is twice as long. */
export const CLASS_MS = 100;

const endOf = (elapsed: number, shortest: number): number =>
  shortest * 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(elapsed, 1) / shortest)));

/** The end of the class of durations of `elapsed` ms: 100, 200, 400 … A caller sees only these. */
export const classEnd = (elapsed: number): number => endOf(elapsed, CLASS_MS);

/** Resolves at the end of the class of `elapsed`. */
export const settledAfter = (elapsed: number, shortest = CLASS_MS): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, endOf(elapsed, shortest) - elapsed));
