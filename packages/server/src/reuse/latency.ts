import { settledAfter } from "../release/duration-class.ts";

/** The shortest class of durations of a search for earlier answers. */
const CLASS_MS = 4;

/** Holds a result back to the end of its class: the time does not show whether answers were found that the caller may not see. */
export async function inClass<T>(work: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work;
  } finally {
    await settledAfter(performance.now() - started, CLASS_MS);
  }
}
