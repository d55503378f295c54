import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { PrivacyError } from "@dosimeter/core";

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

/** All bytes of a request. PAYLOAD_TOO_LARGE above `most`, and what `late` makes where they take longer. */
export async function collect(
  bytes: ReadableStream<Uint8Array> | null,
  { most, milliseconds, late }: { readonly most: number; readonly milliseconds: number; readonly late: () => Error },
): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const signal = AbortSignal.timeout(milliseconds);
  try {
    for await (const part of bytes?.pipeThrough(new TransformStream<Uint8Array>(), { signal }) ?? []) {
      size += part.byteLength;
      if (size > most) throw new PrivacyError("PAYLOAD_TOO_LARGE", { name: "body", want: `at most ${most} bytes` });
      parts.push(part);
    }
  } catch (error) {
    throw signal.aborted ? late() : error;
  }
  return Buffer.concat(parts);
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
