import { PrivacyError } from "@dosimeter/core";
import type { ConvertedFormat, UploadFormat } from "@dosimeter/query/source";

/** How the letters of a text file may be written. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/** How files begin that are no text. */
const MARKS = [
  { format: "parquet", bytes: [0x50, 0x41, 0x52, 0x31] },
  { format: "xlsx", bytes: [0x50, 0x4b, 0x03, 0x04] },
  { format: "arrow", bytes: [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31, 0, 0] },
  { format: "arrow", bytes: [0xff, 0xff, 0xff, 0xff] }, // a stream of the Arrow format
] as const;
/** A workbook of before 2007, or one with a password. */
const COMPOUND = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
const MARK_BYTES = 8;
/** A header line that is longer is read as far as this. */
const MAX_HEADER_BYTES = 1_000_000;
const LINE_ENDS = [0x0a, 0x0d];

interface UploadReader {
  /** The next bytes, as they are to be kept. */
  take(part: Uint8Array): Uint8Array;
  /** What was held back. Throws DATA_UNREADABLE where the file is empty or ends within a letter. */
  end(): Uint8Array;
  found(): Found;
}

interface Found {
  readonly format: UploadFormat | ConvertedFormat;
  readonly encoding?: Encoding;
}

const nothing = new Uint8Array();

/**
 * Tells Parquet, workbooks and Arrow files by their first bytes, and how a text is written by its byte-order mark or else by its header
 * line alone: no value decides. A text comes out as UTF-8. Throws DATA_UNREADABLE for bytes that are no letters.
 */
export function uploadReader(given: Encoding | undefined): UploadReader {
  const held: Uint8Array[] = [];
  let size = 0;
  let hasLineEnd = false;
  let marked: boolean | null = null;
  let read: ((part: Uint8Array, isLast: boolean) => Uint8Array) | null = null;
  let found: Found = { format: "csv" };

  function begin(head: Uint8Array): Uint8Array {
    if (beginsWith(head, COMPOUND)) throw unreadable("an Excel workbook without a password, saved as .xlsx");
    const mark = MARKS.find(({ bytes }) => beginsWith(head, bytes));
    if (mark !== undefined) {
      found = { format: mark.format };
      read = (part) => part;
    } else {
      const encoding = given ?? encodingOf(head);
      found = { format: "csv", encoding };
      read = encoding === "utf-8" ? checkedText() : decodedText(encoding);
    }
    return read(head, false);
  }

  return {
    take(part) {
      if (read !== null) return read(part, false);
      held.push(part);
      size += part.byteLength;
      hasLineEnd ||= part.some((byte) => LINE_ENDS.includes(byte));
      if (size < MARK_BYTES) return nothing;
      marked ??= [COMPOUND, ...MARKS.map(({ bytes }) => bytes)].some((mark) => beginsWith(Buffer.concat(held), mark));
      if (marked || hasLineEnd || size >= MAX_HEADER_BYTES) return begin(Buffer.concat(held));
      return nothing;
    },
    end() {
      if (size === 0 && read === null) throw unreadable("not empty");
      const kept = read === null ? begin(Buffer.concat(held)) : nothing;
      return Buffer.concat([kept, read?.(nothing, true) ?? nothing]);
    },
    found: () => found,
  };
}

const beginsWith = (head: Uint8Array, mark: readonly number[]): boolean =>
  mark.every((byte, index) => head[index] === byte);

function encodingOf(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  const end = head.findIndex((byte) => LINE_ENDS.includes(byte));
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, end < 0 ? head.length : end), {
      stream: end < 0,
    });
    return "utf-8";
  } catch {
    return "windows-1252";
  }
}

/** The same bytes, refused where they are not UTF-8. */
function checkedText() {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  return (part: Uint8Array, isLast: boolean): Uint8Array => {
    decode(decoder, part, isLast, "UTF-8");
    return part;
  };
}

function decodedText(encoding: Exclude<Encoding, "utf-8">) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  return (part: Uint8Array, isLast: boolean): Uint8Array =>
    encoder.encode(decode(decoder, part, isLast, encoding.toUpperCase()));
}

function decode(decoder: InstanceType<typeof TextDecoder>, part: Uint8Array, isLast: boolean, name: string): string {
  let text: string;
  try {
    text = decoder.decode(part, { stream: !isLast });
  } catch {
    throw unreadable(`a CSV file in ${name}, or a Parquet, Excel (.xlsx) or Arrow file`);
  }
  if (text.includes("\0")) throw unreadable(`a CSV file in ${name}, or a Parquet, Excel (.xlsx) or Arrow file`);
  return text;
}

const unreadable = (want: string) =>
  new PrivacyError("DATA_UNREADABLE", { name: "content", want }, `the file must be ${want}`);
