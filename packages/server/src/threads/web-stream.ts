import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";

/**
 * Bytes as a stream of the web, which are read when they are asked for. A reader who leaves ends the source. `Readable.toWeb` of Node 24 may add a part to a
 * stream that has ended, in a turn of its own: an error that no one can catch, and that ends the process.
 */
export function webStream(source: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  const parts = source[Symbol.asyncIterator]();
  source.on("error", () => undefined); // its reader gets it
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Uses the bytes of a file, which is then closed, also where they were not read to the end or not at all. */
export async function withBytes<T>(
  path: string,
  use: (bytes: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<T>,
): Promise<T> {
  const source = createReadStream(path);
  try {
    return await use(webStream(source));
  } finally {
    source.destroy();
  }
}
