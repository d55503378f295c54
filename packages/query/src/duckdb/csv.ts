import { createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { PrivacyError } from "@dosimeter/core";
import { MAX_COLUMNS } from "../declaration/check-declaration.ts";

/** A file that is read whole. */
export interface WholeReading {
  readonly path: string;
  readonly salt: string;
  /** The delimiter of a CSV file; found in its header when undefined. */
  readonly delimiter?: string | undefined;
  /** Lines of a CSV file that begin with it are no records. */
  readonly comment?: string | undefined;
}

/** The format of a text file, found by reading all of it once. */
export interface CsvShape {
  readonly header: readonly string[];
  readonly delimiter: string;
  readonly newline: "\n" | "\r\n" | "\r";
  /** Whether a line is a comment, and whether the sign of comments stands outside quotes within a record. */
  readonly hasComments: boolean;
  readonly hasSigns: boolean;
  /** Whether a value holds a line end. */
  readonly hasQuotedEnds: boolean;
  /** Lines before the header that DuckDB does not take for comments: empty ones, and a comment after a byte-order mark. */
  readonly skipped: number;
  /** Records after the header. Secret. */
  readonly records: number;
  /** Keyed hash of the bytes. */
  readonly version: string;
}

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const DELIMITERS = [",", ";", "\t", "|"];
const MAX_RECORD_BYTES = 1_000_000;
const MAX_HEADER_BYTES = 1_000_000;
/** Before the header: with them the longest names still fit into what is read first. */
const MAX_COMMENT_BYTES = 200_000;

const unreadable = (want: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name: "source.csv", want }, `the file cannot be read: it must hold ${want}`);

/**
 * Reads a CSV file byte by byte: UTF-8, one kind of line end (LF, CRLF or CR) outside quotes, every record as long as the
 * header. Lines that begin with the sign of comments are no records. Errors are DATA_UNREADABLE and name no row and no value.
 */
export async function inspectCsv(
  { path, delimiter: given, comment, salt }: WholeReading,
  signal?: AbortSignal,
): Promise<CsvShape> {
  const hash = createHmac("sha256", salt);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const first: Buffer[] = [];
  let scanner: RecordScanner | null = null;
  let header: readonly string[] = [];
  let delimiter = given ?? ",";
  let skipped = 0;
  const begin = (): RecordScanner => {
    const start = Buffer.concat(first);
    const isMarked = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf;
    const body = start.subarray(isMarked ? 3 : 0);
    const sign = comment?.charCodeAt(0);
    const { named, empty } = afterComments(body, sign);
    skipped = empty + (isMarked && named !== body ? 1 : 0);
    delimiter = given ?? likelyDelimiter(named, comment);
    header = headerOf(named, delimiter);
    const fresh = new RecordScanner({ delimiter: delimiter.charCodeAt(0), width: header.length, comment: sign });
    fresh.push(body);
    return fresh;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    if (chunk.includes(0)) throw unreadable("text in UTF-8 without zero bytes");
    try {
      decoder.decode(chunk, { stream: true });
    } catch {
      throw unreadable("text in UTF-8");
    }
    if (scanner !== null) scanner.push(chunk);
    else {
      first.push(chunk);
      if (first.length > 1 || chunk.length >= MAX_HEADER_BYTES) scanner = begin();
    }
  }
  if (first.length === 0)
    throw new PrivacyError("DATA_UNREADABLE", { name: "source.csv" }, "the file cannot be read: it is empty");
  try {
    decoder.decode();
  } catch {
    throw unreadable("text in UTF-8");
  }
  scanner ??= begin();
  const { records, ...found } = scanner.finish();
  return { header, delimiter, skipped, ...found, records: Math.max(0, records - 1), version: hash.digest("hex") };
}

/** A keyed hash of the bytes of a file. */
export async function hashOf({ path, salt }: WholeReading, signal?: AbortSignal): Promise<string> {
  const hash = createHmac("sha256", salt);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal }) as AsyncIterable<Buffer>)
    hash.update(chunk);
  return hash.digest("hex");
}

/** From the header on, in a file that begins with a comment, and how many lines before it are empty. */
function afterComments(bytes: Uint8Array, sign: number | undefined): { named: Uint8Array; empty: number } {
  if (sign === undefined || bytes[0] !== sign) return { named: bytes, empty: 0 };
  const isEnd = (at: number): boolean => bytes[at] === LF || bytes[at] === CR;
  let empty = 0;
  let at = 0;
  while (bytes[at] === sign || isEnd(at)) {
    if (isEnd(at)) empty += 1;
    while (at < bytes.length && !isEnd(at)) at += 1;
    at += bytes[at] === CR && bytes[at + 1] === LF ? 2 : 1;
    if (at >= bytes.length || at > MAX_COMMENT_BYTES)
      throw unreadable(`a header, with comments of at most ${MAX_COMMENT_BYTES} bytes before it`);
  }
  return { named: bytes.subarray(at), empty };
}

/** The delimiter that the first line holds most often outside quotes. */
function likelyDelimiter(bytes: Uint8Array, comment: string | undefined): string {
  const possible = DELIMITERS.filter((delimiter) => delimiter !== comment);
  const counts = new Map(possible.map((delimiter) => [delimiter.charCodeAt(0), 0]));
  let quoted = false;
  for (const byte of bytes) {
    if (byte === QUOTE) quoted = !quoted;
    else if (!quoted && (byte === LF || byte === CR)) break;
    else if (!quoted && counts.has(byte)) counts.set(byte, (counts.get(byte) ?? 0) + 1);
  }
  const [best] = [...counts].sort(([, a], [, b]) => b - a);
  return best === undefined || best[1] === 0 ? "," : String.fromCharCode(best[0]);
}

/** Names of the first record; an empty name becomes `column_3`. Names that differ only in case are refused. */
function headerOf(bytes: Uint8Array, delimiter: string): readonly string[] {
  const line = new TextDecoder().decode(bytes.subarray(0, MAX_HEADER_BYTES));
  const names: string[] = [];
  let field = "";
  let at = 0;
  let wasQuoted = false;
  const finish = (): void => {
    if (names.length === MAX_COLUMNS) throw unreadable(`at most ${MAX_COLUMNS} columns`);
    names.push(field === "" ? `column_${names.length + 1}` : field.normalize("NFC"));
    field = "";
    wasQuoted = false;
  };
  for (;;) {
    const char = line[at];
    if (char === undefined || char === "\n" || char === "\r") break;
    if (char === '"' && field === "" && !wasQuoted) {
      wasQuoted = true;
      at += 1;
      for (; at < line.length; at += 1) {
        if (line[at] !== '"') field += line[at];
        else if (line[at + 1] === '"') {
          field += '"';
          at += 1;
        } else break;
      }
      at += 1;
    } else {
      if (char === delimiter) finish();
      else field += char;
      at += 1;
    }
  }
  finish();
  const seen = new Set<string>();
  const twice = names.find((name) => seen.size === seen.add(name.toLowerCase()).size);
  if (twice !== undefined)
    throw new PrivacyError(
      "DATA_UNREADABLE",
      { name: "source.csv", got: twice },
      `the file cannot be read: its header names "${twice}" twice`,
    );
  return names;
}

/** RFC 4180 as a byte machine: counts records and fields, and finds the one kind of line end. */
class RecordScanner {
  readonly #delimiter: number;
  readonly #width: number;
  readonly #comment: number | undefined;
  #state: "start" | "plain" | "quoted" | "closed" | "comment" = "start";
  #fields = 1;
  #length = 0;
  #afterReturn = false;
  #records = 0;
  #hasComments = false;
  #hasSigns = false;
  #hasQuotedEnds = false;
  readonly #ends = { lf: 0, crlf: 0, cr: 0 };

  constructor({ delimiter, width, comment }: { delimiter: number; width: number; comment: number | undefined }) {
    this.#delimiter = delimiter;
    this.#width = width;
    this.#comment = comment;
  }

  push(bytes: Uint8Array): void {
    for (const byte of bytes) this.#take(byte);
  }

  finish(): Pick<CsvShape, "newline" | "records" | "hasComments" | "hasSigns" | "hasQuotedEnds"> {
    if (this.#state === "quoted") throw unreadable("a closing quote for every opening one");
    if (this.#afterReturn) this.#ends.cr += 1;
    if (this.#length > 0) this.#endRecord();
    const { lf, crlf, cr } = this.#ends;
    if ([lf, crlf, cr].filter((count) => count > 0).length > 1) throw unreadable("one kind of line end");
    return {
      newline: crlf > 0 ? "\r\n" : cr > 0 ? "\r" : "\n",
      records: this.#records,
      hasComments: this.#hasComments,
      hasSigns: this.#hasSigns,
      hasQuotedEnds: this.#hasQuotedEnds,
    };
  }

  #take(byte: number): void {
    if (this.#state === "quoted") {
      this.#length += 1;
      if (byte === QUOTE) this.#state = "closed";
      else if (byte === LF || byte === CR) this.#hasQuotedEnds = true;
      return;
    }
    if (this.#afterReturn) {
      this.#afterReturn = false;
      if (byte === LF) {
        this.#ends.crlf += 1;
        return;
      }
      this.#ends.cr += 1;
    }
    if (byte === CR || byte === LF) {
      this.#endRecord();
      if (byte === CR) this.#afterReturn = true;
      else this.#ends.lf += 1;
      return;
    }
    this.#length += 1;
    if (this.#length > MAX_RECORD_BYTES) throw unreadable("no record longer than a million bytes");
    if (this.#state === "comment") return;
    if (byte === this.#comment) {
      if (this.#length === 1) {
        this.#state = "comment";
        this.#hasComments = true;
        return;
      }
      this.#hasSigns = true;
    }
    if (byte === this.#delimiter) {
      this.#fields += 1;
      this.#state = "start";
    } else if (byte === QUOTE && (this.#state === "start" || this.#state === "closed")) this.#state = "quoted";
    else if (this.#state === "closed") throw unreadable("nothing between a closing quote and the next delimiter");
    else this.#state = "plain";
  }

  #endRecord(): void {
    // In a table of one column an empty line is a missing value; in any other, and among comments before the header, it is skipped.
    const mayBeBlank = this.#width > 1 || (this.#hasComments && this.#records === 0);
    const blank = this.#state === "comment" || (this.#length === 0 && mayBeBlank);
    if (!blank && this.#fields !== this.#width) throw unreadable("as many fields in every record as in the header");
    if (!blank) this.#records += 1;
    this.#fields = 1;
    this.#length = 0;
    this.#state = "start";
  }
}
