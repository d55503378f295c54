/**
 * The time limit of one step of a test: generous for a machine ten times slower than ours, and half of a quick test's
 * limit.
 */
export const STEP_MS = 60_000;

/**
 * The result of `work`, or an error when it takes longer than `milliseconds`. `step` describes the step and what it
 * saw.
 */
export async function within<T>(
  step: string | (() => string),
  work: PromiseLike<T>,
  milliseconds = STEP_MS,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${typeof step === "string" ? step : step()} took longer than ${milliseconds} ms`));
    }, milliseconds);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
