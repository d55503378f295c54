/** The longest that work may block the event loop. */
const SLICE_MS = 10;

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
