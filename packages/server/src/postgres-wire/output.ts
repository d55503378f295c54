import type { Duplex } from "node:stream";
import { send } from "./stream.ts";

/** Bytes that wait to be sent together. */
const BATCH_BYTES = 2 ** 16;

export interface Out {
  readonly add: (...bytes: readonly Buffer[]) => Promise<void>;
  readonly flush: () => Promise<void>;
}

export function batched(stream: Duplex): Out {
  let waiting: Buffer[] = [];
  let size = 0;
  const flush = async (): Promise<void> => {
    const bytes = Buffer.concat(waiting);
    [waiting, size] = [[], 0];
    await send(stream, bytes);
  };
  return {
    flush,
    async add(...bytes) {
      for (const each of bytes)
        for (let at = 0; at < each.length; at += BATCH_BYTES) {
          const part = each.subarray(at, at + BATCH_BYTES);
          waiting.push(part);
          size += part.length;
          if (size >= BATCH_BYTES) await flush();
        }
    },
  };
}

/** An error that PostgreSQL has said, and that was passed on. */
export class Passed extends Error {}
