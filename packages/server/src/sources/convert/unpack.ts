import { createReadStream, createWriteStream } from "node:fs";
import { dirname } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { PrivacyError } from "@dosimeter/core";
import { type PackedFormat, packedFormats } from "@dosimeter/query/source";
import { type Entry, openPromise } from "yauzl";
import { writtenBytes } from "../room.ts";
import type { Conversion } from "./converter.ts";
import { tooMuch, unpackedCounter, unread, WANTED } from "./unread.ts";

export const isPacked = (format: string): format is PackedFormat => Object.hasOwn(packedFormats, format);

type Unzipped = "xlsx" | "ods" | "other";

const MAX_ENTRIES = 10_000;

/** Writes the one file that a packed one holds; or what kind of workbook it is, of which nothing is written. */
export async function unpack({
  format,
  from,
  ...limits
}: Conversion & { readonly format: PackedFormat }): Promise<Unzipped> {
  if (format === "zip") return unzip(from, limits);
  const decompress = format === "gz" ? createGunzip() : createZstdDecompress();
  try {
    await write(createReadStream(from).pipe(decompress), limits);
  } catch (error) {
    throw error instanceof PrivacyError ? error : unread(WANTED[format]);
  }
  return "other";
}

type Limits = Pick<Conversion, "to" | "largest" | "reserve" | "unpacked">;

async function write(bytes: Readable, { to, largest, reserve, unpacked }: Limits): Promise<void> {
  const tooMany = () => tooMuch(`at most ${largest} bytes when unpacked`);
  const written = writtenBytes({ folder: dirname(to), reserve, most: largest, tooMany });
  const count = unpackedCounter(unpacked);
  async function* counted(parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      count(part.byteLength);
      written.take(part.byteLength);
      yield part;
    }
  }
  await pipeline(bytes, counted, createWriteStream(to, { flags: "wx", mode: 0o600 }));
}

/** What systems add to the one file. */
const isBeside = ({ fileName }: Entry): boolean =>
  fileName.endsWith("/") || fileName.startsWith("__MACOSX/") || /(?:^|\/)(?:\.DS_Store|desktop\.ini)$/i.test(fileName);

async function unzip(from: string, limits: Limits): Promise<Unzipped> {
  const zip = await openPromise(from, { lazyEntries: true, autoClose: false });
  try {
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName === "[Content_Types].xml" || entry.fileName === "_rels/.rels") return "xlsx";
      if (entry.fileName === "mimetype") return "ods";
      if (!isBeside(entry) && entries.push(entry) > MAX_ENTRIES) throw unread(WANTED.zip);
    }
    const [first] = entries;
    if (first === undefined || entries.length > 1) throw unread(WANTED.zip, `${entries.length} files`);
    if (first.isEncrypted()) throw unread(`${WANTED.zip}, without a password`);
    await write(await zip.openReadStreamPromise(first), limits);
    return "other";
  } finally {
    zip.close();
  }
}
