/** The shortest class of durations of looking for earlier answers; the others are its doubles. */
const CLASS_MS = 4;

/** Holds a result back to the end of its class: whether something was found, that one may not see, does not show in the time. */
export async function inClass<T>(work: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work;
  } finally {
    const elapsed = performance.now() - started;
    const end = CLASS_MS * 2 ** Math.max(0, Math.ceil(Math.log2(elapsed / CLASS_MS)));
    await new Promise((resolve) => setTimeout(resolve, end - elapsed));
  }
}
