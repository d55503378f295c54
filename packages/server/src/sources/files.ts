import { createHmac, type Hmac, randomBytes } from "node:crypto";
import { createReadStream, existsSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import type { File } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import type { DatasetId, PrincipalId } from "@dosimeter/ledger";
import { type PackedFormat, parseSource, type Source, type UploadFormat, uploadFormats } from "@dosimeter/query/source";
import { perPerson } from "../access/per-person.ts";
import { withBytes } from "../threads/web-stream.ts";
import type { Conversion, Converted, Converter } from "./convert/converter.ts";
import type { Convertible } from "./convert/unread.ts";
import { type Cut, cutLines } from "./cut-lines.ts";
import { uploadReader } from "./encoding.ts";
import { makeFolder } from "./make-folder.ts";
import { openQuota, type Room } from "./quota.ts";
import { ID, openRecords, type StoredFile, storedAt } from "./records.ts";
import { refuseFull, writtenBytes } from "./room.ts";

export interface Upload {
  readonly name: string;
  readonly owner: PrincipalId;
  /** Of a copy that an append makes: whose upload it adds, which counts already, and its bytes. */
  readonly brought?: { readonly by: PrincipalId; readonly bytes: number };
  /** The id of the session in which its owner sends it, by hand. */
  readonly session?: string | undefined;
  readonly bytes: ReadableStream<Uint8Array> | null;
  /** Of texts; found in the first bytes or the header line of a text, and in other files that say it, when absent. */
  readonly encoding?: string | undefined;
  /** Lines of a text that begin with this sign are no rows. */
  readonly comment?: string | undefined;
  /** What stands around its values. */
  readonly quote?: string | undefined;
  /** Lines above the header and below the table that are not kept. */
  readonly cut?: Cut;
  /** Of a workbook; its first visible one when absent. */
  readonly sheet?: string | undefined;
  /** The caller's leaving ends a conversion. */
  readonly signal?: AbortSignal | undefined;
  /** Marks it from the start, as `hold` does. */
  readonly heldFor?: DatasetId;
  /** Header names and storage types; refuses what cannot be read. */
  readonly describe: (source: Source) => Promise<File["columns"]>;
}

export interface Held extends Pick<StoredFile, "id" | "format"> {
  readonly dataset: DatasetId;
}

export interface Files {
  save(upload: Upload): Promise<StoredFile>;
  /** NOT_FOUND unless it is this person's; anyone's where null. */
  file(id: string, owner: PrincipalId | null): Promise<StoredFile>;
  filesOf(owner: PrincipalId): Promise<readonly StoredFile[]>;
  /** Marks a stored file that an append to this dataset deletes, unless it is kept. */
  hold(id: string, dataset: DatasetId): Promise<void>;
  keep(id: string): Promise<void>;
  /** Marks a stored file as declared: it never expires, also where a restored database knows no table over it. */
  declared(id: string): Promise<void>;
  /** CONFLICT while an append reads it. */
  refuseHeld(id: string): Promise<void>;
  /** The files of people that were never declared, for so long that no one will. */
  expired(): Promise<readonly StoredFile[]>;
  /** Leaves a marked file where it is, with a mark that nothing reads. */
  setAside(id: string): Promise<void>;
  /** The marked files of appends that were killed. */
  heldByKilled(): Promise<readonly Held[]>;
  /** Deletes a stored file, `name` being its id with its extension; whether there was one. */
  erase(name: string): Promise<boolean>;
  /** A path for a file of this size in the making; what a crash leaves there is removed later. NOT_READY where the disk has no room for it. */
  scratch(bytes: number): string;
  /** Where a stored file is; `name` is its id with its extension. */
  pathOf(name: string): string;
}

const MAX_UPLOAD_BYTES = 2 ** 32;
/** How many of the largest uploads one person may have. */
const MAX_UPLOADS = 8;
/** What a small file may become, and each byte of a larger one. Categories compress to a hundredth; more is made to be more. */
const FREE_BYTES = 64e6;
const MAX_GROWTH = 100;
const UNDECLARED_MS = 7 * 86_400_000;
/** Of one person, at once: others wait for no more than these. */
const MAX_CONVERSIONS = 2;

const newId = (): string => `fil_${randomBytes(10).toString("hex")}`;

interface FilesOptions {
  readonly largest?: number;
  /** The most bytes of all files of one person. */
  readonly largestOfPerson?: number;
  /** What stays free on the disk; a gigabyte, or a tenth of a small one, when absent. */
  readonly reserve?: number;
  readonly converter: Converter;
  /** No other server receives files into this folder: all that is unfinished now is left of one that was killed. */
  readonly isAlone: boolean;
}

/** The uploads of a data folder: `<id>.csv` or `<id>.parquet`, each with a `<id>.json` that says whose it is. */
// long: operations over one folder and what is known of it
export async function openFiles(
  folder: string,
  { largest = MAX_UPLOAD_BYTES, largestOfPerson = MAX_UPLOADS * largest, reserve, converter, isAlone }: FilesOptions,
): Promise<Files> {
  await makeFolder(folder);
  const isAbandoned = abandonedBy(isAlone);
  let swept = 0;
  const sweep = async () => {
    if (Date.now() - swept < ABANDONED_MS) return;
    swept = Date.now();
    await removeAbandoned(folder, isAbandoned);
  };
  await sweep();
  const begin = perPerson(MAX_CONVERSIONS, "files to convert");
  const key = await recognitionKey(folder);
  const records = openRecords(folder);
  const quota = openQuota(records, largestOfPerson);

  /** What is stored and recognised of a file that is packed, or no table that the engine reads: what was in it, as a CSV file if need be. */
  async function converted({ cut, ...asked }: Reading, by: ConversionBy, isUnpacked = false): Promise<Kept> {
    const { person, sent, room, signal } = by;
    const to = `${asked.from}.csv`;
    const most = Math.min(largest, Math.max(FREE_BYTES, MAX_GROWTH * sent));
    const from = await converter.convert(
      { ...asked, to, largest: Math.min(most, room.left()), reserve },
      { person, sent, signal },
    );
    if ("packed" in from) {
      if (isUnpacked) throw packedTwice();
      await rm(asked.from);
      const digest = createHmac("sha256", key);
      const { encoding } = asked;
      const inner = await withBytes(to, (bytes) =>
        receive(bytes, asked.from, { largest, take: room.take, digest, encoding, cut }),
      );
      await rm(to);
      const found = isKept(inner) ? inner : await converted({ ...asked, cut, format: inner.format }, by, true);
      return { ...found, packed: from.packed };
    }
    const digest = createHmac("sha256", key);
    let size = 0;
    for await (const part of createReadStream(to)) {
      size += part.byteLength;
      digest.update(part);
    }
    room.take(size);
    await rename(to, asked.from);
    return { format: "csv", size, digest, from };
  }

  async function kept(
    arrived: Received,
    { asked, by }: { readonly asked: Omit<Reading, "format">; readonly by: ConversionBy },
  ): Promise<Kept> {
    if (isKept(arrived)) return arrived;
    const end = begin(by.person);
    return converted({ ...asked, format: arrived.format }, by).finally(end);
  }

  return {
    async save({
      name,
      owner,
      session,
      brought,
      bytes,
      encoding,
      cut = {},
      sheet,
      signal,
      heldFor,
      describe,
      comment,
      quote,
    }) {
      await sweep();
      const id = newId();
      const partial = join(folder, `${id}.partial`);
      const person = brought?.by ?? owner;
      const room = await quota.begin(person);
      try {
        const written = writtenBytes({ folder, reserve, most: largest, tooMany: () => tooLarge(largest) });
        const take = (size: number) => {
          written.take(size);
          if (brought === undefined) room.take(size);
        };
        const arrived = await receive(bytes, partial, {
          ...{ largest, take, digest: createHmac("sha256", key), encoding, cut },
        });
        const { format, size, digest, ...how } = await kept(arrived, {
          ...{ asked: { from: partial, sheet, encoding, cut }, by: { person, sent: arrived.size, room, signal } },
        });
        const path = join(folder, `${id}.${format}`);
        await rename(partial, path);
        const reading = format === "csv" && how.from === undefined ? { comment, quote } : {};
        const columns = await describe(parseSource({ [format]: path, ...reading }));
        const file = {
          id,
          name: basename(name),
          format,
          bytes: size,
          ...how,
          columns,
          uploadedAt: new Date().toISOString(),
          owner,
          ...present({ session }),
          ...(brought === undefined ? {} : { broughtBy: brought.by, broughtBytes: brought.bytes }),
          digest: digest.digest("hex"),
        };
        if (heldFor !== undefined) await mark(folder, id, HELD, heldFor);
        await writeDurably(join(folder, `${id}.json`), JSON.stringify(file));
        records.add(file);
        return file;
      } catch (error) {
        await removeParts(folder, id, ["partial", "partial.csv", "json", HELD, ...Object.keys(uploadFormats)]);
        throw error;
      } finally {
        room.end();
      }
    },
    async file(id, owner) {
      const file = await storedAt(folder, id);
      if (file === null || (owner !== null && file.owner !== owner))
        throw new PrivacyError("NOT_FOUND", {}, "no such upload of yours; an append deletes the one that it is given");
      return file;
    },
    async filesOf(owner) {
      const own: StoredFile[] = [];
      for (const [id, known] of await records.all()) {
        const file = known.owner === owner ? await storedAt(folder, id) : null;
        if (file !== null) own.push(file);
      }
      return own.sort((a, b) => (a.uploadedAt < b.uploadedAt ? 1 : -1));
    },
    hold: (id, dataset) => mark(folder, id, HELD, dataset),
    keep: (id) => removeParts(folder, id, [HELD]),
    declared: (id) => mark(folder, id, DECLARED, ""),
    async refuseHeld(id) {
      if (!existsSync(join(folder, `${id}.${HELD}`))) return;
      throw new PrivacyError("CONFLICT", { name: "file" }, "an append reads this file, and deletes it when it ends");
    },
    async expired() {
      const due: StoredFile[] = [];
      for (const [id, { uploadedAt, broughtBy }] of await records.all()) {
        const isMarked = [HELD, ASIDE, DECLARED].some((ending) => existsSync(join(folder, `${id}.${ending}`)));
        if (isMarked || broughtBy !== undefined || Date.now() - Date.parse(uploadedAt) < UNDECLARED_MS) continue;
        const file = await storedAt(folder, id);
        if (file !== null) due.push(file);
      }
      return due;
    },
    setAside: (id) => rename(join(folder, `${id}.${HELD}`), join(folder, `${id}.${ASIDE}`)),
    heldByKilled: () => heldByKilled(folder, isAbandoned),
    async erase(name) {
      const id = basename(name, extname(name));
      if (!ID.test(id)) return false;
      const isThere = (await storedAt(folder, id)) !== null;
      await removeParts(folder, id, [...Object.keys(uploadFormats), "json", HELD, ASIDE, DECLARED]);
      return isThere;
    },
    scratch(bytes) {
      refuseFull(folder, bytes, reserve);
      return join(folder, `${newId()}.scratch`);
    },
    pathOf: (name) => join(folder, basename(name)),
  };
}

type Reading = Pick<Conversion, "format" | "from" | "sheet" | "encoding"> & { readonly cut: Cut };

const packedTwice = () =>
  new PrivacyError(
    "DATA_UNREADABLE",
    { name: "content", want: "packed once" },
    "the file is packed twice: unpack it once, and send what was in it",
  );

interface ConversionBy extends Pick<Upload, "signal"> {
  readonly person: PrincipalId;
  /** How many bytes the person sent. */
  readonly sent: number;
  readonly room: Room;
}

/** Where the record of a stored file is: whose it is, and its columns. */
export const recordOf = (path: string): string => `${path.slice(0, -extname(path).length)}.json`;

/** The extension of a mark: the file of this id is deleted soon. */
const HELD = "held";
/** Of one whose dataset is not in the database. */
const ASIDE = "aside";
/** Of one that a table was declared over. */
const DECLARED = "declared";

const mark = (folder: string, id: string, ending: string, text: string): Promise<void> =>
  // Two requests may mark the same upload at the same time.
  writeDurably(join(folder, `${id}.${ending}`), text, join(folder, `${id}.${newId()}.partial`));

async function heldByKilled(folder: string, isAbandoned: IsAbandoned): Promise<readonly Held[]> {
  const killed: Held[] = [];
  for (const name of await readdir(folder)) {
    if (extname(name) !== `.${HELD}` || !isAbandoned(await changedAt(join(folder, name)))) continue;
    const file = await storedAt(folder, basename(name, `.${HELD}`));
    const dataset = await readFile(join(folder, name), "utf8").catch(() => ""); // gone meanwhile
    if (file !== null && dataset !== "") killed.push({ ...file, dataset: dataset as DatasetId });
  }
  return killed;
}

/** Now for one that is gone. */
const changedAt = async (path: string): Promise<number> => (await stat(path).catch(() => null))?.mtimeMs ?? Date.now();

async function removeParts(folder: string, id: string, endings: readonly string[]): Promise<void> {
  for (const ending of endings) await rm(join(folder, `${id}.${ending}`), { force: true });
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

type IsAbandoned = (changed: number) => boolean;

function abandonedBy(isAlone: boolean): IsAbandoned {
  const opened = Date.now();
  return (changed) => Date.now() - changed > ABANDONED_MS || (isAlone && changed < opened);
}

/** Removes what crashes left of uploads that were never acknowledged. */
async function removeAbandoned(folder: string, isAbandoned: IsAbandoned): Promise<void> {
  const names = await readdir(folder);
  const finished = new Set(names.filter((name) => extname(name) === ".json").map((name) => basename(name, ".json")));
  for (const name of names) {
    const isLeft = name.startsWith("fil_") && !finished.has(name.slice(0, name.indexOf(".")));
    if (!isLeft && !name.endsWith(".partial")) continue;
    const path = join(folder, name);
    if (isAbandoned(await changedAt(path))) await rm(path, { force: true });
  }
}

interface Stored {
  readonly size: number;
  readonly digest: Hmac;
  readonly encoding?: string;
}

/** Bytes that a dataset can be read from; `from` is what they were converted from. */
type Kept = Stored & {
  readonly format: UploadFormat;
  readonly from?: Converted;
  /** What it was packed in. */
  readonly packed?: PackedFormat;
};

type Received = Kept | (Stored & { readonly format: Convertible });

const isKept = (received: Received): received is Kept => Object.hasOwn(uploadFormats, received.format);

/** Streams the bytes to disk: what is no text as it is, and a text as the UTF-8 that every reader of it expects. */
async function receive(
  bytes: ReadableStream<Uint8Array> | null,
  path: string,
  {
    largest,
    take,
    digest,
    encoding,
    cut,
  }: {
    readonly largest: number;
    readonly take: (bytes: number) => void;
    readonly digest: Hmac;
    readonly encoding?: string | undefined;
    readonly cut: Cut;
  },
): Promise<Received> {
  const handle = await open(path, "wx", 0o600);
  try {
    const reader = uploadReader(encoding, cut.skip);
    const { take: cutTo, end } = cutLines(cut);
    const kept = (part: Uint8Array) => (reader.found().format === "csv" ? cutTo(part) : part);
    let received = 0;
    let size = 0;
    const keep = async (part: Uint8Array) => {
      size += part.byteLength;
      take(part.byteLength);
      digest.update(part);
      await writeAll(handle, part);
    };
    for await (const part of bytes?.values({ preventCancel: true }) ?? []) {
      received += part.byteLength;
      if (received > largest) throw tooLarge(largest);
      await keep(kept(reader.take(part)));
    }
    await keep(kept(reader.end()));
    await keep(end());
    await handle.sync();
    return { ...reader.found(), size, digest };
  } finally {
    await handle.close();
  }
}

const tooLarge = (largest: number) =>
  new PrivacyError("PAYLOAD_TOO_LARGE", { name: "content", want: `at most ${largest} bytes` });

/** A disk that is nearly full takes less than it is given. */
async function writeAll(handle: FileHandle, part: Uint8Array): Promise<void> {
  for (let at = 0; at < part.byteLength; ) at += (await handle.write(part, at)).bytesWritten;
}

async function writeDurably(path: string, text: string | Buffer, partial = `${path}.partial`): Promise<void> {
  const handle = await open(partial, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(partial, path);
}
