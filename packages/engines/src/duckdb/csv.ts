import { createHmac } from "node:crypto";
import { createReadStream } from "node:fs";
import { PrivacyError } from "@dosimeter/core";
import { recordsOf, SeparatedMachine, Step, separatorOf } from "@dosimeter/core/internal";
import { MAX_COLUMNS } from "@dosimeter/query/declaration";
import { nameTwice } from "@dosimeter/query/input";

export interface WholeReading {
  readonly path: string;
  readonly salt: string;
  /** The delimiter of a CSV file; found in its header when undefined. */
  readonly delimiter?: string | undefined;
  /** Lines of a CSV file that begin with it are no records. */
  readonly comment?: string | undefined;
  readonly quote?: string | undefined;
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

const LF = 0x0a;
const CR = 0x0d;
const MAX_RECORD_BYTES = 1_000_000;
const MAX_HEADER_BYTES = 1_000_000;
/** Before the header: with them the longest names still fit into what is read first. */
const MAX_COMMENT_BYTES = 200_000;

const unreadable = (want: string): PrivacyError =>
  new PrivacyError("DATA_UNREADABLE", { name: "source.csv", want }, `the file cannot be read: it must hold ${want}`);

const refuse = (_got: string, want: string): never => {
  throw unreadable(want);
};

/**
 * Reads a CSV file byte by byte: UTF-8, one kind of line end (LF, CRLF or CR) outside quotes, every record as long as the
 * header. Lines that begin with the sign of comments are no records. Errors are DATA_UNREADABLE and name no row and no value.
 */
export async function inspectCsv(
  { path, delimiter: given, comment, quote, salt }: WholeReading,
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
    const { named, empty } = afterComments(body, comment?.charCodeAt(0));
    skipped = empty + (isMarked && named !== body ? 1 : 0);
    const heading = new TextDecoder().decode(named.subarray(0, MAX_HEADER_BYTES));
    delimiter = given ?? separatorOf(heading, comment, quote);
    header = headerOf(heading, delimiter, quote);
    if (named !== body) refuseNames(body.subarray(0, body.length - named.length), { header, delimiter });
    const machine = new SeparatedMachine({ separator: delimiter, comment, quote, refuse });
    const fresh = new RecordScanner(machine, header.length);
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

/**
 * The comment right above the header that is written as names are, one for each column: it is likely the header, and the first row would
 * be taken for it.
 */
function refuseNames(
  before: Uint8Array,
  { header, delimiter }: { readonly header: readonly string[]; readonly delimiter: string },
): void {
  const lines = new TextDecoder().decode(before).replace(/(?:\r\n|\r|\n)$/, "");
  const above = lines.slice(1 + Math.max(lines.lastIndexOf("\n"), lines.lastIndexOf("\r")));
  const names = above.slice(1).trimStart().split(delimiter);
  const areNames = names.every((name) => name !== "" && name.trim() === name) && new Set(names).size === names.length;
  // A single word says as much of a table of one column as it names; over a number it is its name.
  const isNamed = names.length > 1 || (!/\s/.test(above) && header.every((name) => Number.isFinite(Number(name))));
  if (above !== "" && areNames && names.length === header.length && isNamed)
    throw unreadable(
      "a header that does not begin with the sign of comments. The comment above its first record has as many names: take the sign away, name another sign, or leave an empty line below the comment",
    );
}

/** Names of the first record; an empty name becomes `column_3`. Names that differ only in case are refused. */
function headerOf(heading: string, delimiter: string, quote: string | undefined): readonly string[] {
  const [first] = recordsOf(heading, { separator: delimiter, quote, refuse });
  const cells = first === undefined || first.cells.length === 0 ? [""] : first.cells;
  if (cells.length > MAX_COLUMNS) throw unreadable(`at most ${MAX_COLUMNS} columns`);
  const names = cells.map((cell, place) => (cell === "" ? `column_${place + 1}` : cell.normalize("NFC")));
  const twice = nameTwice(names);
  if (twice !== undefined)
    throw new PrivacyError(
      "DATA_UNREADABLE",
      { name: "source.csv", got: twice },
      `the file cannot be read: its header names "${twice}" twice`,
    );
  return names;
}

/** Counts the records of a text whose bytes come in parts, each as wide as the header. */
class RecordScanner {
  readonly #machine: SeparatedMachine;
  readonly #width: number;
  #cells = 1;
  #length = 0;
  #records = 0;

  constructor(machine: SeparatedMachine, width: number) {
    this.#machine = machine;
    this.#width = width;
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += 1) {
      const next = this.#machine.skip(bytes, at);
      this.#lengthen(next - at);
      at = next;
      const byte = bytes[at];
      if (byte !== undefined) this.#take(this.#machine.take(byte));
    }
  }

  finish(): Pick<CsvShape, "newline" | "records" | "hasComments" | "hasSigns" | "hasQuotedEnds"> {
    const { last, ...found } = this.#machine.finish();
    if (last !== Step.blank) this.#take(last);
    return { ...found, hasComments: this.#machine.hasComments, records: this.#records };
  }

  #lengthen(by: number): void {
    this.#length += by;
    if (this.#length > MAX_RECORD_BYTES) throw unreadable("no record longer than a million bytes");
  }

  #take(step: Step): void {
    if (step <= Step.cell) {
      this.#lengthen(1);
      if (step === Step.cell) this.#cells += 1;
      return;
    }
    // In a table of one column an empty line is a missing value; in any other, and among comments before the header, it is skipped.
    const mayBeBlank = this.#width > 1 || (this.#machine.hasComments && this.#records === 0);
    if (step === Step.record || (step === Step.blank && !mayBeBlank)) {
      if (this.#cells !== this.#width)
        throw unreadable(
          "as many fields in every record as in the header. Leave out lines above the header or below the table (skip, footer), or name another delimiter or quote",
        );
      this.#records += 1;
    }
    this.#cells = 1;
    this.#length = 0;
  }
}
