import { createHash } from "node:crypto";
import {
  closeSync,
  createWriteStream,
  existsSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Header } from "./generation.ts";
import { parseHeader, readHeader } from "./generation.ts";
import { coded, inTurns, type Objects, objectsAt } from "./objects.ts";
import { ENCRYPTED, FILES, generationsIn, PARTIAL, pathOf, Taken } from "./place.ts";

/** One generation that is being written. */
export interface Writer {
  /** Resolves when the place has it. */
  append(bytes: Buffer): Promise<void>;
  /** From now on it is one of the place. Taken where another has its number. */
  publish(): Promise<void>;
  /** Taken where another server writes; another error where it is not there any more. */
  check(): Promise<void>;
  close(): void;
}

/** What a shipper does with a place. */
export interface Target {
  /** The numbers of the whole generations, oldest first. */
  generations(): Promise<readonly number[]>;
  header(number: number): Promise<Header>;
  begin(number: number, header: string): Promise<Writer>;
  drop(number: number): Promise<void>;
  /** Keeps all of it under this name, or nothing. */
  put(name: string, bytes: ReadableStream<Uint8Array>): Promise<void>;
  /** The names of uploads that are whole. */
  files(): Promise<readonly string[]>;
  /** All of an upload, what came of one before its writer was killed too. */
  erase(id: string): Promise<void>;
  /** After several were put. */
  sync(): void;
}

export function targetIn(place: string): Target {
  const target = join(place, FILES);
  return {
    generations: async () => generationsIn(place),
    header: async (number) => readHeader(pathOf(place, number)).header,
    async begin(number, header) {
      const partial = `${pathOf(place, number)}${PARTIAL}`;
      rmSync(partial, { force: true }); // of a writer that was killed
      const file = openSync(partial, "wx", 0o600);
      const { ino } = fstatSync(file);
      let [size, isNamed] = [writeAll(file, Buffer.from(header), 0), false];
      return {
        async append(bytes) {
          size = writeAll(file, bytes, size);
          fdatasyncSync(file);
        },
        async publish() {
          renameSync(partial, pathOf(place, number));
          isNamed = true;
          syncFolder(place);
        },
        async check() {
          // What was removed, or hidden by another volume, would still be written to.
          if (statSync(pathOf(place, number)).ino !== ino) throw new Error("another file is there");
          if (existsSync(pathOf(place, number + 1))) throw new Taken();
        },
        close() {
          closeSync(file);
          if (!isNamed) rmSync(partial, { force: true });
        },
      };
    },
    drop: async (number) => unlinkSync(pathOf(place, number)),
    async put(name, bytes) {
      const to = join(place, `${name}${ENCRYPTED}`);
      const partial = `${to}${PARTIAL}`;
      await mkdir(target, { mode: 0o700 }).catch(() => undefined);
      await rm(partial, { force: true });
      const file = createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }); // follows no link that someone put there
      await pipeline(Readable.fromWeb(bytes as never), file);
      await rename(partial, to);
    },
    async files() {
      await mkdir(target, { mode: 0o700 }).catch(() => undefined);
      return (await readdir(target))
        .filter((name) => name.endsWith(ENCRYPTED))
        .map((name) => name.slice(0, -ENCRYPTED.length));
    },
    async erase(id) {
      const names = existsSync(target) ? await readdir(target) : [];
      for (const name of names.filter((one) => one.startsWith(`${id}.`))) await rm(join(target, name));
      if (existsSync(target)) syncFolder(target);
    },
    sync: () => syncFolder(target),
  };
}

/** A disk that is nearly full takes less than it is given. Returns where the next bytes go. */
function writeAll(file: number, bytes: Buffer, from: number): number {
  let at = 0;
  while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, from + at);
  return from + at;
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Of a place with an address: the first lines, each of which makes a generation whole, and what may be deleted. */
const HEADS = "heads/";
const GONE = "gone/";
const PART = 8 * 2 ** 20;
const LAST = "-end";

const HEAD = /^heads\/(\d{8})$/;
const PARTS = /^(\d{8})-[0-9a-f]{16}\/$/;
const FILE_PART = /^files\/[\w.-]+\.age\/\d{8}(-end)?$/;

const digits = (number: number): string => String(number).padStart(8, "0");
/** Two that write one number at once do not write over one another. */
const partsOf = (number: number, header: string): string =>
  `${digits(number)}-${createHash("sha256").update(header).digest("hex").slice(0, 16)}/`;

const numbersIn = async (objects: Objects): Promise<readonly number[]> =>
  (await objects.names(HEADS)).flatMap((name) => HEAD.exec(name)?.[1] ?? []).map(Number);

/** Segments and parts of files are objects of their own: places of this kind append to nothing. [M424] */
export async function targetAt(place: string, secret: string | undefined): Promise<Target> {
  const objects = await objectsAt(place, secret);
  const textOf = async (number: number) => (await objects.get(`${HEADS}${digits(number)}`))?.toString();
  /** A generation that has its first line is whole: only the mark is left of its beginning, where the writer was killed, or may delete nothing. */
  async function sweep(below: number): Promise<void> {
    for (const mark of await objects.names(GONE)) {
      const parts = `${mark.slice(GONE.length)}/`;
      const number = Number(PARTS.exec(parts)?.[1]);
      if (!(number <= below)) continue;
      const head = await textOf(number);
      if (head === undefined || partsOf(number, head) !== parts) await objects.remove(await objects.names(parts));
      await objects.remove([mark]);
    }
  }
  return {
    generations: () => numbersIn(objects),
    header: async (number) => parseHeader((await textOf(number)) ?? "", place).header,
    async begin(number, header) {
      const parts = partsOf(number, header);
      const mark = `${GONE}${parts.slice(0, -1)}`;
      let [index, isTried] = [0, false];
      await objects.put(mark, Buffer.from("{}")); // until it is whole
      // Where the second writing of a name wins, nothing keeps two servers apart.
      if (await objects.put(mark, Buffer.from("[]"))) throw coded("OVERWRITES");
      return {
        async append(bytes) {
          if (!(await objects.put(`${parts}${digits(index)}`, bytes))) throw coded("NOT_KEPT");
          index += 1;
        },
        async publish() {
          const head = `${HEADS}${digits(number)}`;
          isTried = true;
          if (!(await objects.put(head, Buffer.from(header)))) throw new Taken();
          void sweep(number).catch(() => undefined); // again with the next
        },
        async check() {
          const [own, next] = await Promise.all([textOf(number), textOf(number + 1)]);
          if (next !== undefined || (own !== undefined && own !== header)) throw new Taken();
          if (own === undefined) throw new Error("it is not there");
        },
        close() {
          if (isTried) return;
          const emptied = objects.names(parts).then((names) => objects.remove(names));
          void emptied.then(() => objects.remove([mark])).catch(() => undefined); // with the next
        },
      };
    },
    async drop(number) {
      const header = await textOf(number);
      if (header === undefined) return;
      await objects.put(`${GONE}${partsOf(number, header).slice(0, -1)}`, Buffer.from("{}"));
      await objects.remove([`${HEADS}${digits(number)}`]);
      void sweep(number).catch(() => undefined);
    },
    async put(name, bytes) {
      const below = `${name}${ENCRYPTED}/`;
      await objects.remove((await objects.names(below)).toReversed()); // of a writer that was killed
      let [held, index] = [Buffer.alloc(0), 0];
      for await (const part of bytes) {
        held = Buffer.concat([held, part]);
        for (; held.length > PART; held = held.subarray(PART), index += 1)
          if (!(await objects.put(`${below}${digits(index)}`, held.subarray(0, PART)))) throw coded("NOT_KEPT");
      }
      if (!(await objects.put(`${below}${digits(index)}${LAST}`, held))) throw coded("NOT_KEPT");
    },
    files: async () =>
      (await objects.names(`${FILES}/`))
        .filter((name) => name.endsWith(LAST))
        .map((name) => name.slice(FILES.length + 1, name.lastIndexOf(`${ENCRYPTED}/`))),
    erase: async (id) => objects.remove((await objects.names(`${FILES}/${id}.`)).toReversed()),
    sync: () => undefined,
  };
}

/** A name, and how to read its parts in their order. */
interface Copied {
  readonly name: string;
  readonly head: string;
  readonly parts: readonly string[];
}

/** Copies a place with an address into an empty folder, as `restore` reads one. A part that lacks ends what is read there. */
export async function copyPlace(place: string, secret: string | undefined, folder: string): Promise<void> {
  const objects = await objectsAt(place, secret);
  const write = async (path: string, { head, parts }: Pick<Copied, "head" | "parts">) => {
    const file = openSync(path, "wx", 0o600);
    try {
      let size = writeAll(file, Buffer.from(head), 0);
      for (let at = 0; at < parts.length; at += 64)
        for (const part of await inTurns(parts.slice(at, at + 64), (name) => objects.get(name)))
          size = writeAll(file, part ?? Buffer.alloc(0), size);
    } finally {
      closeSync(file);
    }
  };
  await copyGenerations(objects, (number, copied) => write(pathOf(folder, number), copied));
  await mkdir(join(folder, FILES), { mode: 0o700 });
  const names = (await objects.names(`${FILES}/`)).filter((name) => FILE_PART.test(name));
  const files = Map.groupBy(names, (name) => name.slice(0, name.lastIndexOf("/")));
  const key = `signing.key${ENCRYPTED}`;
  files.set(key, [...(await objects.names(`${key}/`))]);
  for (const [name, parts] of files)
    if (parts.some((part) => part.endsWith(LAST))) await write(join(folder, name), { head: "", parts });
}

/** A list may lack what was written last: names that follow are asked for. */
async function copyGenerations(
  objects: Objects,
  write: (number: number, copied: Pick<Copied, "head" | "parts">) => Promise<void>,
): Promise<void> {
  const left = new Set(await numbersIn(objects));
  // A set goes on with what is added to it.
  for (const number of left.size === 0 ? left.add(1) : left) {
    const head = (await objects.get(`${HEADS}${digits(number)}`))?.toString();
    if (head === undefined) continue;
    left.add(number + 1);
    const below = partsOf(number, head);
    const count = Number((await objects.names(below)).at(-1)?.slice(below.length) ?? -1) + 1;
    const parts = Array.from({ length: count }, (_, index) => `${below}${digits(index)}`);
    for (let next = count; (await objects.get(`${below}${digits(next)}`)) !== null; next += 1)
      parts.push(`${below}${digits(next)}`);
    await write(number, { head, parts });
  }
}
