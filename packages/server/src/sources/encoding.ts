import { invalid, PrivacyError } from "@dosimeter/core";
import { type AnyFormat, fileFormats, unreadFormats } from "@dosimeter/query/source";

/** How files begin that are no text. */
const MARKS = Object.entries(fileFormats).flatMap(([format, { begins }]) =>
  begins.map((mark) => ({ format: format as AnyFormat, mark: Buffer.from(mark, "latin1") })),
);
const REFUSED = unreadFormats.map(([mark, want]) => ({ mark: Buffer.from(mark, "latin1"), want }));
const MARK_BYTES = Math.max(...[...MARKS, ...REFUSED].map(({ mark }) => mark.length));
/** An array of objects, or an object a line. */
const JSON_BEGINS = /^\s*(?:\[\s*(?:[{[]|$)|\{\s*")/;
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
  readonly format: AnyFormat;
  /** Of a text, by the name that every `TextDecoder` knows. */
  readonly encoding?: string;
}

const nothing = new Uint8Array();

/**
 * Tells files of other kinds by their first bytes, and how a text is written by its byte-order mark or else by its header line alone: no value
 * decides. A text comes out as UTF-8. Throws DATA_UNREADABLE for bytes that are no letters, INVALID_PARAMETER for an unknown encoding.
 */
export function uploadReader(given: string | undefined, skip = 0): UploadReader {
  const wanted = given === undefined ? undefined : knownEncoding(given);
  const held: Uint8Array[] = [];
  let size = 0;
  let lineEnds = 0;
  let marked: boolean | null = null;
  let read: ((part: Uint8Array, isLast: boolean) => Uint8Array) | null = null;
  let found: Found = { format: "csv" };

  function begin(head: Buffer): Uint8Array {
    const refused = REFUSED.find(({ mark }) => beginsWith(head, mark));
    if (refused !== undefined) throw unreadable(refused.want);
    const mark = MARKS.find((one) => beginsWith(head, one.mark));
    if (mark !== undefined) {
      found = { format: mark.format };
      read = (part) => part;
      return read(head, false);
    }
    const encoding = markedEncoding(head) ?? wanted ?? (isUtf8(head, skip) ? "utf-8" : "windows-1252");
    const text = new TextDecoder(encoding).decode(head.subarray(0, 1000));
    found = { format: JSON_BEGINS.test(text) ? "json" : "csv", encoding };
    read = encoding === "utf-8" ? checkedText() : decodedText(encoding);
    return read(head, false);
  }

  return {
    take(part) {
      if (read !== null) return read(part, false);
      held.push(part);
      size += part.byteLength;
      for (const byte of part) if (LINE_ENDS.includes(byte)) lineEnds += 1;
      if (size < MARK_BYTES) return nothing;
      marked ??= [...MARKS, ...REFUSED].some(({ mark }) => beginsWith(Buffer.concat(held), mark));
      if (marked || lineEnds > 2 * skip || size >= MAX_HEADER_BYTES) return begin(Buffer.concat(held));
      return nothing;
    },
    end() {
      if (size === 0 && read === null)
        throw new PrivacyError("DATA_UNREADABLE", { name: "content" }, "the file is empty");
      const kept = read === null ? begin(Buffer.concat(held)) : nothing;
      return Buffer.concat([kept, read?.(nothing, true) ?? nothing]);
    },
    found: () => found,
  };
}

const beginsWith = (head: Buffer, mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark);

/** An encoding by the name that every `TextDecoder` knows. INVALID_PARAMETER for an unknown one. */
export function knownEncoding(given: string): string {
  try {
    return new TextDecoder(given).encoding;
  } catch {
    return invalid("encoding", given, "one that browsers know, such as utf-8, utf-16le, windows-1252 or shift_jis");
  }
}

function markedEncoding(head: Buffer): string | undefined {
  if (beginsWith(head, Buffer.from([0xff, 0xfe, 0, 0])))
    throw unreadable("a text in UTF-8 or UTF-16, and not in UTF-32");
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  if (head[0] === 0xfe && head[1] === 0xff) return "utf-16be";
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? "utf-8" : undefined;
}

/** By its header line, and those above. */
function isUtf8(head: Buffer, skip: number): boolean {
  let ends = 0;
  const isEnd = (byte: number, at: number) => LINE_ENDS.includes(byte) && !(byte === 0x0a && head[at - 1] === 0x0d);
  const end = head.findIndex((byte, at) => isEnd(byte, at) && ++ends > skip);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head.subarray(0, end < 0 ? head.length : end), {
      stream: end < 0,
    });
    return true;
  } catch {
    return false;
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

function decodedText(encoding: string) {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const encoder = new TextEncoder();
  return (part: Uint8Array, isLast: boolean): Uint8Array =>
    encoder.encode(decode(decoder, part, isLast, encoding.toUpperCase()));
}

function decode(decoder: InstanceType<typeof TextDecoder>, part: Uint8Array, isLast: boolean, name: string): string {
  let text: string | null = null;
  try {
    text = decoder.decode(part, { stream: !isLast });
  } catch {
    // Refused below.
  }
  if (text === null || text.includes("\0")) throw unreadable(`a text in ${name}, or say its encoding; or ${OTHERS}`);
  return text;
}

const OTHERS = Object.values(fileFormats)
  .filter(({ begins }) => begins.length > 0)
  .map(({ label }) => label)
  .join(", ");

const unreadable = (want: string) =>
  new PrivacyError("DATA_UNREADABLE", { name: "content", want }, `the file must be ${want}`);
