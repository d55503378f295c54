import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { PrivacyError } from "@dosimeter/core";
import { z } from "zod";

/** The first line of a file of shipped changes, unencrypted. */
const headerSchema = z.object({
  format: z.literal(1),
  version: z.string(),
  madeAt: z.iso.datetime(),
  /** The first audit line, which identifies the ledger database; null before there was one. */
  database: z.string().nullable(),
  /** The key of its records, encrypted by age for each recipient. */
  key: z.string(),
});
export type Header = z.output<typeof headerSchema>;

/** What a record says of the ledger database: it holds at least this audit line. */
const metaSchema = z.object({
  at: z.iso.datetime(),
  /** The pages of the file after it; null in a part of the first copy, which is nothing whole yet. */
  size: z.number().int().positive().nullable(),
  pageSize: z.number().int().positive(),
  seq: z.number().int().nonnegative(),
  hash: z.string(),
});
export type Meta = z.output<typeof metaSchema>;

export interface Segment {
  readonly meta: Meta;
  /** Pages by their numbers. */
  readonly pages: () => ReadonlyMap<number, Buffer>;
}

const TAG = 16;
const PREFIX = 4;
/** No segment is longer; a length above it was changed. */
const MAX_HEADER = 65_536;

const nonce = (index: number): Buffer => {
  const iv = Buffer.alloc(12);
  iv.writeBigUInt64BE(BigInt(index), 4);
  return iv;
};

const sealedBy = (header: string): Buffer => createHash("sha256").update(header).digest();

/** What makes segments: they are numbered by the nonce they are encrypted with, so none can be left out, moved or changed unnoticed. */
export function sealer(text: string, key: Buffer): (meta: Meta, pages: ReadonlyMap<number, Buffer>) => Buffer {
  const about = sealedBy(text);
  let index = 0;
  return (meta, pages) => {
    const said = Buffer.from(JSON.stringify(meta));
    const parts: Buffer[] = [];
    for (const [number, page] of pages) parts.push(word(number), page);
    const cipher = createCipheriv("aes-256-gcm", key, nonce(index)).setAAD(about);
    const packed = zstdCompressSync(Buffer.concat(parts));
    const body = Buffer.concat([cipher.update(word(said.length)), cipher.update(said), cipher.update(packed)]);
    const sealed = Buffer.concat([body, cipher.final(), cipher.getAuthTag()]);
    index += 1;
    return Buffer.concat([word(sealed.length), sealed]);
  };
}

const word = (value: number): Buffer => {
  const four = Buffer.alloc(PREFIX);
  four.writeUInt32LE(value);
  return four;
};

export function readHeader(path: string): { readonly header: Header; readonly text: string } {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(MAX_HEADER);
    const read = bytes.subarray(0, readSync(file, bytes, 0, MAX_HEADER, 0));
    return parseHeader(read.subarray(0, read.indexOf(10) + 1).toString(), path);
  } finally {
    closeSync(file);
  }
}

export function parseHeader(text: string, path: string): { readonly header: Header; readonly text: string } {
  try {
    return { header: headerSchema.parse(JSON.parse(text)), text };
  } catch {
    throw new PrivacyError("CONFLICT", { name: "place" }, `${path} is damaged, or a newer Dosimeter made it`);
  }
}

/** Every segment up to the end, or up to one that was cut short or changed: then the generator returns how many bytes cannot be read. */
export function* readGeneration(path: string, key: Buffer): Generator<Segment, number> {
  const { text } = readHeader(path);
  const about = sealedBy(text);
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const prefix = Buffer.alloc(PREFIX);
    let at = Buffer.byteLength(text);
    for (let index = 0; at < size; index += 1) {
      if (readSync(file, prefix, 0, PREFIX, at) < PREFIX) return size - at;
      const length = prefix.readUInt32LE();
      if (length < TAG + PREFIX || at + PREFIX + length > size) return size - at;
      const sealed = Buffer.alloc(length);
      readSync(file, sealed, 0, length, at + PREFIX);
      const segment = opened(sealed, { key, index, about });
      if (segment === null) return size - at;
      yield segment;
      at += PREFIX + length;
    }
    return 0;
  } finally {
    closeSync(file);
  }
}

function opened(
  sealed: Buffer,
  { key, index, about }: { readonly key: Buffer; readonly index: number; readonly about: Buffer },
): Segment | null {
  try {
    const cipher = createDecipheriv("aes-256-gcm", key, nonce(index)).setAAD(about).setAuthTag(sealed.subarray(-TAG));
    const plain = Buffer.concat([cipher.update(sealed.subarray(0, -TAG)), cipher.final()]);
    const from = PREFIX + plain.readUInt32LE();
    const meta = metaSchema.parse(JSON.parse(plain.toString("utf8", PREFIX, from)));
    return { meta, pages: () => pagesIn(zstdDecompressSync(plain.subarray(from)), meta.pageSize) };
  } catch {
    return null;
  }
}

function pagesIn(bytes: Buffer, pageSize: number): ReadonlyMap<number, Buffer> {
  const pages = new Map<number, Buffer>();
  for (let at = 0; at < bytes.length; at += PREFIX + pageSize)
    pages.set(bytes.readUInt32LE(at), bytes.subarray(at + PREFIX, at + PREFIX + pageSize));
  return pages;
}
