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
  /** The names of uploads. */
  files(): Promise<readonly string[]>;
  erase(names: readonly string[]): Promise<void>;
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
    async erase(names) {
      for (const name of names) await rm(join(target, `${name}${ENCRYPTED}`));
      if (names.length > 0) syncFolder(target);
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

const digits = (number: number): string => String(number).padStart(8, "0");
/** Two that write one number at once do not write over one another. */
const partsOf = (number: number, header: string): string =>
  `${digits(number)}-${createHash("sha256").update(header).digest("hex").slice(0, 16)}/`;

/** Segments and parts of files are objects of their own: places of this kind append to nothing. [M424] */
export async function targetAt(place: string, secret: string | undefined): Promise<Target> {
  const objects = await objectsAt(place, secret);
  const textOf = async (number: number) => (await objects.get(`${HEADS}${digits(number)}`))?.toString();
  const erase = async (names: readonly string[]) => {
    for (const name of names) await objects.remove((await objects.names(`${FILES}/${name}${ENCRYPTED}/`)).toReversed());
  };
  async function sweep(below: number, keeps = ""): Promise<void> {
    for (const mark of await objects.names(GONE)) {
      const parts = `${mark.slice(GONE.length)}/`;
      if (parts === keeps || Number.parseInt(parts, 10) > below) continue;
      await objects.remove(await objects.names(parts));
      await objects.remove([mark]);
    }
  }
  return {
    generations: async () => (await objects.names(HEADS)).map((name) => Number(name.slice(HEADS.length))),
    header: async (number) => parseHeader((await textOf(number)) ?? "", place).header,
    async begin(number, header) {
      const parts = partsOf(number, header);
      const mark = `${GONE}${parts.slice(0, -1)}`;
      let index = 0;
      await objects.put(mark, Buffer.from("{}")); // until it is whole
      // Where the second writing of a name wins, nothing keeps two servers apart.
      if (await objects.put(mark, Buffer.from("[]"))) throw coded("OVERWRITES");
      return {
        async append(bytes) {
          if (!(await objects.put(`${parts}${digits(index)}`, bytes))) throw new Taken();
          index += 1;
        },
        async publish() {
          const head = `${HEADS}${digits(number)}`;
          if (!(await objects.put(head, Buffer.from(header)))) throw new Taken();
          await objects.remove([mark]);
          void sweep(number, parts).catch(() => undefined); // again with the next
        },
        async check() {
          const [own, next] = await Promise.all([textOf(number), textOf(number + 1)]);
          if (next !== undefined || (own !== undefined && own !== header)) throw new Taken();
          if (own === undefined) throw new Error("it is not there");
        },
        close: () => undefined,
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
          if (!(await objects.put(`${below}${digits(index)}`, held.subarray(0, PART)))) throw new Taken();
      }
      if (!(await objects.put(`${below}${digits(index)}${LAST}`, held))) throw new Taken();
    },
    files: async () =>
      (await objects.names(`${FILES}/`))
        .filter((name) => name.endsWith(LAST))
        .map((name) => name.slice(FILES.length + 1, name.lastIndexOf(`${ENCRYPTED}/`))),
    erase,
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
  const files = Map.groupBy(await objects.names(`${FILES}/`), (name) => name.slice(0, name.lastIndexOf("/")));
  const keys = await objects.names("signing.key");
  if (keys.length > 0) files.set(`signing.key${ENCRYPTED}`, [...keys]);
  for (const [name, parts] of files)
    if (parts.some((part) => part.endsWith(LAST))) await write(join(folder, name), { head: "", parts });
}

/** A list may lack what was written last: names that follow are asked for. */
async function copyGenerations(
  objects: Objects,
  write: (number: number, copied: Pick<Copied, "head" | "parts">) => Promise<void>,
): Promise<void> {
  const listed = (await objects.names(HEADS)).map((name) => Number(name.slice(HEADS.length)));
  for (let number = listed[0] ?? 1; ; number += 1) {
    const head = (await objects.get(`${HEADS}${digits(number)}`))?.toString();
    if (head === undefined && number > (listed.at(-1) ?? 0)) return;
    if (head === undefined) continue;
    const below = partsOf(number, head);
    const parts = [...(await objects.names(below))];
    for (let next = parts.length; (await objects.get(`${below}${digits(next)}`)) !== null; next += 1)
      parts.push(`${below}${digits(next)}`);
    await write(number, { head, parts });
  }
}
