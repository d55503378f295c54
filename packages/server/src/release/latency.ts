import { settledSince } from "./duration-class.ts";

/** The shortest class of durations of a search for earlier answers. */
const CLASS_MS = 4;

/** Returns a result at the end of its class of durations, so that the time does not reveal answers that the caller may not see. */
export async function inClass<T>(work: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work;
  } finally {
    await settledSince(started, CLASS_MS);
  }
}
