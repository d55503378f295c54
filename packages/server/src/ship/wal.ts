import { fstatSync, readSync } from "node:fs";

/** How far the log of a SQLite file has been read: its salts, which change when it starts again, and the sums up to there. */
export interface Position {
  readonly salts: string;
  readonly pageSize: number;
  readonly offset: number;
  readonly sums: readonly [number, number];
}

/** Whole transactions of a log: the newest image of each page, and how many pages the file has after them; null where there are none. */
export interface Transactions {
  readonly pages: ReadonlyMap<number, Buffer>;
  readonly size: number | null;
  /** Null where the log is empty. */
  readonly position: Position | null;
}

const HEADER = 32;
const FRAME = 24;
/** The second magic number says that words are big-endian in the sums. */
const LITTLE = 0x377f0682;
const BIG = 0x377f0683;

/** Where a log ends, as the connections of SQLite have it: what a commit that failed left after it is no transaction. */
export interface End {
  readonly frames: number;
  readonly sums: readonly [number, number];
}

/** From the head of the log's index (`-shm`), which is there twice, so that one that is being written is seen. */
export function endOf(index: number): End {
  const head = Buffer.alloc(96);
  for (let tries = 0; tries < 1000; tries += 1) {
    if (readSync(index, head, 0, 96, 0) < 96 || !head.subarray(0, 48).equals(head.subarray(48))) continue;
    const [frames = 0, , first = 0, second = 0] = new Uint32Array(new Uint8Array(head.subarray(16, 32)).buffer);
    return { frames, sums: [first, second] };
  }
  throw new Error("the index of the log cannot be read");
}

/**
 * Reads what was committed after a position, or from the start of a log that started again. A frame whose sums do not fit ends it; where it must
 * end elsewhere, it throws.
 */
export function readTransactions(file: number, after: Position | null, end: End | null = null): Transactions {
  const found = read(file, after, end?.frames ?? Number.POSITIVE_INFINITY);
  const { position } = found;
  const frames = position === null ? 0 : (position.offset - HEADER) / (FRAME + position.pageSize);
  const isWhole = end === null || (frames === end.frames && (frames === 0 || `${position?.sums}` === `${end.sums}`));
  if (!isWhole) throw new Error("the log does not end where it was read to");
  return found;
}

function read(file: number, after: Position | null, most: number): Transactions {
  const nothing = { pages: new Map<number, Buffer>(), size: null };
  const header = Buffer.alloc(HEADER);
  if (readSync(file, header, 0, HEADER, 0) < HEADER) return { ...nothing, position: null };
  const magic = header.readUInt32BE(0);
  if (magic !== LITTLE && magic !== BIG) return { ...nothing, position: null };
  const isBig = magic === BIG;
  const salts = header.toString("hex", 16, 24);
  const pageSize = header.readUInt32BE(8);
  const start = sum(header, 0, 24, [0, 0], isBig);
  if (start[0] !== header.readUInt32BE(24) || start[1] !== header.readUInt32BE(28))
    return { ...nothing, position: null };
  let position = after?.salts === salts ? after : { salts, pageSize, offset: HEADER, sums: start };
  const end = Math.min(fstatSync(file).size, HEADER + most * (FRAME + pageSize));
  const pages = new Map<number, Buffer>();
  const open = new Map<number, Buffer>();
  let size: number | null = null;
  let { offset, sums } = position;
  for (; offset + FRAME + pageSize <= end; offset += FRAME + pageSize) {
    const frame = Buffer.alloc(FRAME + pageSize);
    if (readSync(file, frame, 0, frame.length, offset) < frame.length) break;
    if (frame.toString("hex", 8, 16) !== salts) break;
    sums = sum(frame, FRAME, frame.length, sum(frame, 0, 8, sums, isBig), isBig);
    if (sums[0] !== frame.readUInt32BE(16) || sums[1] !== frame.readUInt32BE(20)) break;
    open.set(frame.readUInt32BE(0), frame.subarray(FRAME));
    const after = frame.readUInt32BE(4);
    if (after === 0) continue;
    size = after;
    for (const [number, page] of open) pages.set(number, page);
    open.clear();
    position = { salts, pageSize, offset: offset + frame.length, sums };
  }
  return { pages, size, position };
}

/** SQLite's sum of pairs of words, which goes on from the frame before. */
function sum(
  bytes: Buffer,
  from: number,
  to: number,
  [first, second]: readonly [number, number],
  isBig: boolean,
): readonly [number, number] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [a, b] = [first | 0, second | 0];
  for (let at = from; at < to; at += 8) {
    a = (a + view.getInt32(at, !isBig) + b) | 0;
    b = (b + view.getInt32(at + 4, !isBig) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
}
