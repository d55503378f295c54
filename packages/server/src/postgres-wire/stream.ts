import type { Duplex, Readable } from "node:stream";
import { WireError } from "./sqlstate.ts";

/** The client has gone, or is too slow: nothing can be said to it any more. */
export class Gone extends Error {}

/** Waits for the next of these events, or for the end of the stream; Gone after `milliseconds`. */
function nextOf(
  stream: Readable,
  event: "readable" | "drain" | "secure" | "close",
  milliseconds: number,
): Promise<void> {
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

/** The bytes of a client. What it sends ahead of what is taken waits on its own side of the line, but for one buffer of the stream. */
export interface Reader {
  /** The next `count` bytes; Gone where they do not come within `milliseconds`. */
  readonly take: (count: number, milliseconds: number) => Promise<Buffer>;
  /** What has come and was not taken; it is not given again. */
  readonly rest: () => Buffer;
  readonly isEmpty: () => boolean;
}

export function readerOf(stream: Readable): Reader {
  let waiting: Buffer[] = [];
  let size = 0;
  const rest = (): Buffer => {
    const bytes = Buffer.concat(waiting);
    [waiting, size] = [[], 0];
    return bytes;
  };
  const put = (bytes: Buffer): void => {
    if (bytes.length > 0) waiting.push(bytes);
    size += bytes.length;
  };
  return {
    rest,
    isEmpty: () => size === 0 && stream.readableLength === 0,
    async take(count, milliseconds) {
      const until = performance.now() + milliseconds;
      while (size < count) {
        // All that is there: a stream that is asked for more than it has says at once, and for ever, that it has something.
        const bytes = stream.read() as Buffer | null;
        const left = until - performance.now();
        if (bytes !== null) put(bytes);
        else if (stream.destroyed || stream.readableEnded || left <= 0) throw new Gone();
        else await nextOf(stream, "readable", left);
      }
      const bytes = rest();
      put(bytes.subarray(count));
      return bytes.subarray(0, count);
    },
  };
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

/** Bytes of large answers that wait to be read: of all clients, and of one person. */
const MAX_UNSENT = 2 ** 29;
const MAX_UNSENT_OF_ONE = 2 ** 27;
const SMALL = 2 ** 20;

/** Counts large answers until they are sent. */
export function countUnsent() {
  const waiting = new Map<string, number>();
  let all = 0;
  const add = (person: string, bytes: number): void => {
    all += bytes;
    const own = (waiting.get(person) ?? 0) + bytes;
    if (own === 0) waiting.delete(person);
    else waiting.set(person, own);
  };
  return (person: string, bytes: number): (() => void) => {
    if (bytes <= SMALL) return () => undefined;
    if (all + bytes > MAX_UNSENT || (waiting.get(person) ?? 0) + bytes > MAX_UNSENT_OF_ONE)
      throw new WireError(
        { code: "53200", hint: "Read the answers of other sessions to their end, or ask for fewer rows." },
        "too many answers wait to be read",
      );
    add(person, bytes);
    let isDone = false;
    return () => {
      if (!isDone) add(person, -bytes);
      isDone = true;
    };
  };
}

/** The longest that a client may take to read the last that is said to it. */
const LINGER_MS = 2000;

/** Ends a connection, so that what was sent last arrives: the system drops it where bytes of the client were not read. */
export async function hangUp(stream: Duplex): Promise<void> {
  if (!stream.destroyed) {
    stream.end();
    stream.resume();
    await nextOf(stream, "close", LINGER_MS).catch(() => undefined);
  }
  stream.destroy();
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
  reader: Reader,
  { idleMilliseconds, bytes = MAX_MESSAGE_BYTES }: Limits,
): Promise<Message> {
  const header = await reader.take(5, idleMilliseconds);
  const length = header.readInt32BE(1);
  if (length < 4 || length - 4 > bytes)
    throw new WireError(
      { severity: "FATAL", code: length < 4 ? "08P01" : "54000" },
      `a message has ${length} bytes, must have 4 to ${bytes + 4}`,
    );
  return { type: String.fromCharCode(header.readUInt8(0)), body: await reader.take(length - 4, MESSAGE_MS) };
}
