import type { Duplex, Readable } from "node:stream";
import { WireError } from "./sqlstate.ts";

/** The client has gone, or is too slow: nothing can be said to it any more. */
export class Gone extends Error {}

/** Waits for the next of these events, or for the end of the stream; Gone after `milliseconds`. */
function nextOf(stream: Readable, event: "readable" | "drain" | "secure", milliseconds: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => reject(new Gone()), milliseconds);
  const events = [event, "close", "error", "end"] as const;
  const done = () => resolve();
  for (const each of events) stream.once(each, done);
  return promise.finally(() => {
    clearTimeout(timer);
    for (const each of events) stream.off(each, done);
  });
}

/** The next `count` bytes. No more than these are waited for, so what a client sends ahead waits on its own side of the line. */
export async function take(stream: Readable, count: number, milliseconds: number): Promise<Buffer> {
  if (count === 0) return Buffer.alloc(0);
  const until = performance.now() + milliseconds;
  for (;;) {
    const bytes = stream.read(count) as Buffer | null;
    if (bytes?.length === count) return bytes;
    const left = until - performance.now();
    if (bytes !== null || stream.destroyed || stream.readableEnded || left <= 0) throw new Gone();
    await nextOf(stream, "readable", left);
  }
}

/** Waits until a TLS handshake is done. */
export async function secured(stream: Duplex, milliseconds: number): Promise<void> {
  await nextOf(stream, "secure", milliseconds);
  if (stream.destroyed) throw new Gone();
}

/** The longest that a client may leave answers unread. */
const DRAIN_MS = 60_000;

export async function send(stream: Duplex, bytes: Buffer): Promise<void> {
  if (stream.destroyed || stream.writableEnded) throw new Gone();
  if (bytes.length > 0 && !stream.write(bytes)) await nextOf(stream, "drain", DRAIN_MS);
}

/** The most bytes of one message: a query of 100,000 characters fits, whatever they are. */
const MAX_MESSAGE_BYTES = 2 ** 19;
/** The longest that the rest of a message may take. */
const MESSAGE_MS = 30_000;

export interface Message {
  /** Its letter. */
  readonly type: string;
  readonly body: Buffer;
}

interface Limits {
  /** How long the client may say nothing. */
  readonly idleMilliseconds: number;
  readonly bytes?: number;
}

/** The next message. One that is too large is refused before its bytes are read. */
export async function takeMessage(
  stream: Readable,
  { idleMilliseconds, bytes = MAX_MESSAGE_BYTES }: Limits,
): Promise<Message> {
  const header = await take(stream, 5, idleMilliseconds);
  const length = header.readInt32BE(1);
  if (length < 4 || length - 4 > bytes)
    throw new WireError(
      { severity: "FATAL", code: length < 4 ? "08P01" : "54000" },
      `a message has ${length} bytes, must have 4 to ${bytes + 4}`,
    );
  return { type: String.fromCharCode(header.readUInt8(0)), body: await take(stream, length - 4, MESSAGE_MS) };
}
