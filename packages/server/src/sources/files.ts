import { createHmac, type Hmac, randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { File } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import { parseSource, type Source, type UploadFormat, uploadFormats } from "@dosimeter/query";

/** An uploaded table. Its bytes never change and its name is never part of a path. */
export interface StoredFile extends Omit<File, "sameAs"> {
  readonly owner: PrincipalId;
  /** HMAC-SHA-256 of the bytes under the folder's own key: the same bytes are recognised, and no outsider can test a guess. */
  readonly digest: string;
}

export interface Upload {
  readonly name: string;
  readonly owner: PrincipalId;
  readonly bytes: ReadableStream<Uint8Array> | null;
  /** Header names and storage types; refuses what cannot be read. */
  readonly describe: (source: Source) => Promise<File["columns"]>;
}

export interface Files {
  save(upload: Upload): Promise<StoredFile>;
  /** NOT_FOUND unless it is this person's. */
  file(id: string, owner: PrincipalId): Promise<StoredFile>;
  filesOf(owner: PrincipalId): Promise<readonly StoredFile[]>;
  /** Where a stored file is; `name` is its id with its extension. */
  pathOf(name: string): string;
}

const MAX_UPLOAD_BYTES = 2 ** 32;

const ID = /^fil_[0-9a-f]{20}$/;

/** The uploads of a data folder: `<id>.csv` or `<id>.parquet`, each with a `<id>.json` that says whose it is. */
export async function openFiles(folder: string, { largest = MAX_UPLOAD_BYTES } = {}): Promise<Files> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let swept = 0;
  const sweep = async () => {
    if (Date.now() - swept < ABANDONED_MS) return;
    swept = Date.now();
    await removeAbandoned(folder);
  };
  await sweep();
  const key = await recognitionKey(folder);
  /** Whose the files are that were read once: no one's list takes time for those of others. */
  const owners = new Map<string, PrincipalId>();

  async function read(id: string): Promise<StoredFile | null> {
    if (!ID.test(id)) return null;
    try {
      return JSON.parse(await readFile(join(folder, `${id}.json`), "utf8")) as StoredFile;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  return {
    async save({ name, owner, bytes, describe }) {
      await sweep();
      const id = `fil_${randomBytes(10).toString("hex")}`;
      const partial = join(folder, `${id}.partial`);
      try {
        const digest = createHmac("sha256", key);
        const { format, size } = await receive(bytes, partial, { largest, digest });
        const path = join(folder, `${id}.${format}`);
        await rename(partial, path);
        const columns = await describe(parseSource({ [format]: path }));
        const file = {
          id,
          name: basename(name),
          format,
          bytes: size,
          columns,
          uploadedAt: new Date().toISOString(),
          owner,
          digest: digest.digest("hex"),
        };
        await writeDurably(join(folder, `${id}.json`), JSON.stringify(file));
        return file;
      } catch (error) {
        for (const end of ["partial", "json", ...Object.keys(uploadFormats)])
          await rm(join(folder, `${id}.${end}`), { force: true });
        throw error;
      }
    },
    async file(id, owner) {
      const file = await read(id);
      if (file === null || file.owner !== owner) throw new PrivacyError("NOT_FOUND", { name: "file" });
      return file;
    },
    async filesOf(owner) {
      const own: StoredFile[] = [];
      for (const name of await readdir(folder)) {
        const id = basename(name, ".json");
        if (extname(name) !== ".json" || (owners.get(id) ?? owner) !== owner) continue;
        const file = await read(id);
        if (file === null) continue;
        owners.set(id, file.owner);
        if (file.owner === owner) own.push(file);
      }
      return own.sort((a, b) => (a.uploadedAt < b.uploadedAt ? 1 : -1));
    },
    pathOf: (name) => join(folder, basename(name)),
  };
}

/** The folder's own key; who reads it can test whether a file was ever uploaded, so only the server does. */
async function recognitionKey(folder: string): Promise<Buffer> {
  const path = join(folder, "recognition.key");
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  await writeDurably(path, randomBytes(32));
  return readFile(path);
}

/** Longer than any request takes: a file that was not written for this time belongs to no running upload. */
const ABANDONED_MS = 2 * 3_600_000;

/** Removes what crashes left of uploads that were never acknowledged. Other servers may be receiving files into this folder. */
async function removeAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder);
  const finished = new Set(names.filter((name) => extname(name) === ".json").map((name) => basename(name, ".json")));
  for (const name of names) {
    const isLeft = name.startsWith("fil_") && !finished.has(name.slice(0, name.indexOf(".")));
    if (!isLeft && !name.endsWith(".json.partial")) continue;
    const path = join(folder, name);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => null)) ?? {};
    if (Date.now() - mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

const PARQUET = new TextEncoder().encode("PAR1");

/** Streams the bytes to disk and tells what they are by content: Parquet by its magic number, CSV by being UTF-8 text. */
async function receive(
  bytes: ReadableStream<Uint8Array> | null,
  path: string,
  { largest, digest }: { readonly largest: number; readonly digest: Hmac },
) {
  const handle = await open(path, "wx", 0o600);
  try {
    const text = new TextDecoder("utf-8", { fatal: true });
    let format: UploadFormat = "csv";
    let head: Uint8Array<ArrayBufferLike> = new Uint8Array();
    let size = 0;
    const inspect = (part: Uint8Array): void => {
      if (format === "csv") refuseBinary(part, text);
    };
    for await (const part of bytes?.values({ preventCancel: true }) ?? []) {
      if (size + part.byteLength > largest)
        throw new PrivacyError("PAYLOAD_TOO_LARGE", { name: "content", want: `at most ${largest} bytes` });
      if (size < PARQUET.length) {
        // Until the kind is known nothing is looked at, and then all of it at once.
        head = Buffer.concat([head, part]);
        if (PARQUET.every((byte, index) => head[index] === byte)) format = "parquet";
        if (head.length >= PARQUET.length) inspect(head);
      } else inspect(part);
      size += part.byteLength;
      digest.update(part);
      await writeAll(handle, part);
    }
    if (size === 0) throw unreadable("not empty");
    if (size < PARQUET.length) inspect(head);
    if (format === "csv") refuseBinary(new Uint8Array(), text, true);
    await handle.sync();
    return { format, size };
  } finally {
    await handle.close();
  }
}

/** A disk that is nearly full takes less than it is given. */
async function writeAll(handle: FileHandle, part: Uint8Array): Promise<void> {
  for (let at = 0; at < part.byteLength; ) at += (await handle.write(part, at)).bytesWritten;
}

function refuseBinary(part: Uint8Array, text: InstanceType<typeof TextDecoder>, last = false): void {
  try {
    text.decode(part, { stream: !last });
  } catch {
    throw unreadable("a CSV file in UTF-8, or a Parquet file");
  }
  if (part.includes(0)) throw unreadable("a CSV file in UTF-8, or a Parquet file");
}

const unreadable = (want: string) =>
  new PrivacyError("DATA_UNREADABLE", { name: "content", want }, `the file must be ${want}`);

async function writeDurably(path: string, text: string | Buffer): Promise<void> {
  const partial = `${path}.partial`;
  const handle = await open(partial, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, path);
}
