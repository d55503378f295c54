import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { unread } from "./unread.ts";

/** A file that is read from place to place. */
export interface FileBytes {
  readonly size: number;
  at(): number;
  seek(to: number): void;
  /** The next bytes, which stay until the next call. DATA_UNREADABLE where the file has fewer. */
  take(count: number): Buffer;
  close(): void;
}

const BLOCK = 2 ** 20;
/** More is none of one row, name or label. */
const MAX_TAKEN = 2 ** 25;

export function openFileBytes(path: string, want: string): FileBytes {
  const file = openSync(path, "r");
  const { size } = fstatSync(file);
  const block = Buffer.allocUnsafe(BLOCK);
  let [start, held, place] = [0, 0, 0];
  function fill(into: Buffer, from: number, count: number): void {
    for (let got = 0; got < count; ) {
      const more = readSync(file, into, got, count - got, from + got);
      if (more === 0) throw unread(want);
      got += more;
    }
  }
  return {
    size,
    at: () => place,
    seek(to) {
      if (!(Number.isSafeInteger(to) && to >= 0 && to <= size)) throw unread(want);
      place = to;
    },
    take(count) {
      if (!(count >= 0 && count <= Math.min(size - place, MAX_TAKEN))) throw unread(want);
      const from = place;
      place += count;
      if (count > BLOCK) {
        const own = Buffer.allocUnsafe(count);
        fill(own, from, count);
        return own;
      }
      if (from < start || place > start + held) {
        [start, held] = [from, Math.min(BLOCK, size - from)];
        fill(block, start, held);
      }
      return block.subarray(from - start, place - start);
    },
    close: () => closeSync(file),
  };
}

/** Bytes as letters, up to a zero. DATA_UNREADABLE where they are none of this encoding. */
export function lettersOf(encoding: string, want: string): (bytes: Uint8Array) => string {
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(encoding, { fatal: true });
  } catch {
    throw unread(`${want} whose encoding is known: say which, such as windows-1252`, encoding.slice(0, 40));
  }
  return (bytes) => {
    const end = bytes.indexOf(0);
    try {
      return decoder.decode(end < 0 ? bytes : bytes.subarray(0, end));
    } catch {
      throw unread(`${want} with texts in ${encoding}: say another encoding, such as windows-1252`);
    }
  };
}
