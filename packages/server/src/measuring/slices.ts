/** The longest that work may block the event loop. */
const SLICE_MS = 10;

/**
 * A function for work of many steps to await after each one: once a slice has passed, it lets requests, timers and signals
 * through first.
 */
export function betweenSlices(): () => Promise<void> {
  let until = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < until) return;
    await new Promise((resume) => setImmediate(resume));
    until = performance.now() + SLICE_MS;
  };
}

/** Runs a generator to its end, letting requests, timers and signals through every few milliseconds. */
export async function inSlices<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const until = performance.now() + SLICE_MS;
    do {
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < until);
    await new Promise((resume) => setImmediate(resume));
  }
}
