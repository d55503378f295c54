import { at } from "./departure.ts";

/** The shortest class of durations of a search for earlier answers; each next one is twice as long. */
const CLASS_MS = 4;

/** Returns a result at the end of its class of durations, so that the time does not reveal answers that the caller may not see. */
export async function inClass<T>(work: Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await work;
  } finally {
    const took = performance.now() - started;
    await at(started + CLASS_MS * 2 ** Math.max(0, Math.ceil(Math.log2(took / CLASS_MS))));
  }
}
