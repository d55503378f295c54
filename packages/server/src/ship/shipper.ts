import { randomBytes } from "node:crypto";
import {
  closeSync,
  createWriteStream,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PrivacyError, VERSION } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import { withBytes } from "../threads/web-stream.ts";
import { encrypterFor } from "./age.ts";
import { createGeneration, type Generation, type Header, type Meta, readHeader } from "./generation.ts";
import { ENCRYPTED, FILES, generationsIn, isShipped, PARTIAL, pathOf } from "./place.ts";
import { sealIn, sealing } from "./seal.ts";
import { endOf, type Position, readTransactions } from "./wal.ts";

export interface ShipTo {
  /** The folder of the second place. */
  readonly place: string;
  readonly recipients: readonly string[];
  /** The SQLite file of the ledger database, in the data folder. */
  readonly ledger: string;
  readonly uploads: string;
  /** Other files of the data folder, such as its signing key. */
  readonly more: readonly string[];
  readonly keepDays: number;
  /** A generation of fewer bytes does not end by its growth; 256 MB when absent. */
  readonly endBytes?: number;
}

/** What the place got. */
export interface Shipped {
  /** How far the log of the SQLite file has been read. */
  readonly logBytes: number;
}

export interface Shipper {
  /** Ships every transaction that was committed before the call; `folds` counts how often a wholly shipped log was folded into the file. */
  ship(folds: number): Promise<Shipped>;
  /** Ships the uploads that are not there. */
  files(): Promise<void>;
  erase(id: string): Promise<void>;
  end(): void;
}

interface Live {
  readonly generation: Generation;
  readonly number: number;
  readonly began: number;
  readonly bytes: number;
  readonly base: number;
  readonly position: Position | null;
  readonly folds: number;
}

/** Pages in one segment of the first copy. */
const AT_ONCE = 1024;
/** The times of its first copy, and the bytes, above which a generation ends. */
const GROWTH = 8;
const END_BYTES = 256 * 2 ** 20;
/** Of generations that began within this time, as with a server that starts again and again, the first and the last stay. */
const APART_MS = 3_600_000;
/** In the data folder: the newest generation that this folder wrote. */
const SHIP_NOTE = "ship.json";

export class Taken extends PrivacyError {
  constructor() {
    super(
      "CONFLICT",
      { name: "DOSIMETER_SHIP" },
      "another server writes to this place, or another ledger database is there",
    );
  }
}

/** What this folder wrote is not there. */
export class Emptied extends PrivacyError {
  constructor() {
    super(
      "CONFLICT",
      { name: "DOSIMETER_SHIP" },
      "the place lacks what was written there: mount it, or delete ship.json of the data folder to begin in an empty one",
    );
  }
}

interface Note {
  readonly number: number;
  readonly place: string;
  /** The first one of this folder, with none of another server after it. */
  readonly from: number;
  /** Whether it has its name in the place. */
  readonly isThere?: true;
}

/** One writer of a place. A failure ends its generation, and the next call begins another with a copy of the whole file. */
// long: operations over one place and what is known of it
export function openShipper({
  place,
  recipients,
  ledger,
  uploads,
  more,
  keepDays,
  endBytes = END_BYTES,
}: ShipTo): Shipper {
  const note = join(ledger, "..", SHIP_NOTE);
  const reader = new DatabaseSync(ledger, { readOnly: true });
  // Not closed before the database is: closing one drops the locks that SQLite has on it.
  const file = openSync(ledger, "r");
  const log = openSync(`${ledger}-wal`, "r");
  const index = openSync(`${ledger}-shm`, "r");
  const there = new Set<string>();
  /** Uploads that are erased: those that are still in the folder, whose turn comes after the place's, are not shipped again. */
  const gone = new Set<string>();
  const turn = oneAfterAnother();
  const keptMs = keepDays * 86_400_000;
  let live: Live | null = null;
  let seen = 0;

  const writeNote = (now: Note): void => {
    writeFileSync(`${note}.new`, JSON.stringify(now), { mode: 0o600, flush: true });
    renameSync(`${note}.new`, note);
  };

  function lineNow(): Pick<Meta, "at" | "seq" | "hash"> {
    const row = reader.prepare("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").get();
    return { at: new Date().toISOString(), seq: Number(row?.seq ?? 0), hash: String(row?.hash ?? "") };
  }

  /** Which number comes next. A folder that was not the last to write here takes over only where it never wrote here. [M430] */
  function nextNumbers(database: string | null): Pick<Note, "number" | "from"> {
    const last = generationsIn(place).at(-1) ?? 0;
    const own = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as Note) : null;
    const isOurs = own !== null && own.place === place;
    if (isOurs && last > own.number) throw new Taken();
    // What is there is not the place: it is not mounted, or was emptied. One generation may lack: who wrote it was killed before it had its name.
    if (isOurs && last < own.number - (own.isThere === true ? 0 : 1)) throw new Emptied();
    const known = last === 0 ? null : readHeader(pathOf(place, last)).header.database;
    if (known !== null && known !== database) throw new Taken();
    return { number: last + 1, from: isOurs ? own.from : last + 1 };
  }

  async function begin(folds: number): Promise<Live> {
    const first = reader.prepare("SELECT hash FROM audit WHERE seq = 1").get()?.hash;
    const database = first === undefined ? null : String(first);
    const { number, from } = nextNumbers(database);
    const key = randomBytes(32);
    const partial = `${pathOf(place, number)}${PARTIAL}`;
    rmSync(partial, { force: true }); // of a writer that was killed
    const sealed = await encrypterFor(recipients).encrypt(key);
    const began = Date.now();
    const madeAt = new Date(began).toISOString();
    const header: Header = {
      format: 1,
      version: VERSION,
      madeAt,
      database,
      key: Buffer.from(sealed).toString("base64"),
    };
    const generation = createGeneration(partial, header, key);
    try {
      const start = readTransactions(log, null).position?.salts;
      const prefix = Buffer.alloc(18);
      readSync(file, prefix, 0, 18, 0);
      const pageSize = prefix.readUInt16BE(16) === 1 ? 65_536 : prefix.readUInt16BE(16);
      const size = fstatSync(file).size / pageSize;
      // The file itself changes only when the log is folded into it, and then from the log, which follows here from its start. [M429]
      for (let at = 1; at <= size; at += AT_ONCE) {
        const bytes = Buffer.alloc(Math.min(AT_ONCE, size - at + 1) * pageSize);
        readSync(file, bytes, 0, bytes.length, (at - 1) * pageSize);
        const pages = new Map<number, Buffer>();
        for (let page = 0; page * pageSize < bytes.length; page += 1)
          pages.set(at + page, bytes.subarray(page * pageSize, (page + 1) * pageSize));
        generation.append({ ...lineNow(), size: null, pageSize }, pages);
      }
      const line = lineNow();
      const changes = readTransactions(log, null, endOf(index));
      if (changes.position?.salts !== start) throw new Error("the log started again meanwhile");
      const base = generation.append({ ...line, size: changes.size ?? size, pageSize }, changes.pages);
      writeNote({ number, place, from });
      renameSync(partial, pathOf(place, number));
      syncFolder(place);
      writeNote({ number, place, from, isThere: true });
      prune(number, from);
      return { generation, number, began, bytes: base, base, position: changes.position, folds };
    } catch (error) {
      generation.close();
      rmSync(partial, { force: true });
      throw error;
    }
  }

  /**
   * Removes generations from before the one that was the newest at the end of the time they are kept, and of its own those that began and
   * ended within an hour of one that stays: another server's may hold what no later one has. [M430]
   */
  function prune(newest: number, from: number): void {
    const until = Date.now() - keptMs;
    const numbers = generationsIn(place).filter((number) => number <= newest);
    const beganAt = (number: number) => Date.parse(readHeader(pathOf(place, number)).header.madeAt);
    let stays = Number.NEGATIVE_INFINITY;
    for (const [index, number] of numbers.slice(0, -1).entries())
      try {
        const ended = beganAt(numbers[index + 1] ?? newest);
        if (ended < until || ended - stays < APART_MS) unlinkSync(pathOf(place, number));
        else if (number >= from) stays = beganAt(number);
      } catch {} // one that is damaged, or of another owner, stays: nothing that is shipped waits for it
  }

  function follow(now: Live, folds: number): Live {
    const line = lineNow();
    const { pages, size, position } = readTransactions(log, now.position, endOf(index));
    const hasRestarted = now.position !== null && position?.salts !== now.position.salts;
    if (hasRestarted && folds === now.folds) throw new Error("the log started again before it was shipped");
    if (size === null || position === null) return now;
    const bytes = now.generation.append({ ...line, size, pageSize: position.pageSize }, pages);
    // What was removed, or hidden by another volume, would still be written to.
    if (statSync(pathOf(place, now.number)).ino !== now.generation.inode) throw new Error("another file is there");
    if (existsSync(pathOf(place, now.number + 1))) throw new Taken();
    // Who goes on in a log that was folded ends what the fold allowed: only the next one lets it start again.
    return { ...now, bytes, position, folds };
  }

  async function shipFile(from: string, to: string): Promise<void> {
    const partial = `${to}${PARTIAL}`;
    await rm(partial, { force: true });
    const key = sealIn(reader);
    if (key === null) throw new Error("the ledger database has no secret for files");
    await withBytes(from, async (bytes) => {
      const sealed = await encrypterFor(recipients).encrypt(bytes.pipeThrough(sealing(key, basename(from))));
      const file = createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }); // follows no link that someone put there
      await pipeline(Readable.fromWeb(sealed as never), file);
    });
    await rename(partial, to);
  }

  async function shipFiles(): Promise<void> {
    const target = join(place, FILES);
    await mkdir(target, { mode: 0o700 }).catch(() => undefined);
    if (there.size === 0) {
      for (const path of more) if (existsSync(path)) await shipFile(path, join(place, `${basename(path)}${ENCRYPTED}`));
      for (const name of await readdir(target))
        if (name.endsWith(ENCRYPTED)) there.add(name.slice(0, -ENCRYPTED.length));
      there.delete("recognition.key"); // it may be that of another folder
    }
    const { mtimeMs } = await stat(uploads);
    const names = (await readdir(uploads)).filter(
      (name) => isShipped(name) && !there.has(name) && !gone.has(name.slice(0, name.indexOf("."))),
    );
    for (const name of names) {
      await shipFile(join(uploads, name), join(target, `${name}${ENCRYPTED}`));
      there.add(name);
    }
    syncFolder(target);
    // A file that comes in the same tick of the clock does not change the time again.
    seen = Date.now() - mtimeMs < 2000 ? 0 : mtimeMs;
  }

  return {
    async ship(folds) {
      try {
        // What was erased since it began is still in it.
        const isOver = ({ bytes, base, began }: Live) =>
          (bytes > endBytes && bytes > GROWTH * base) || Date.now() - began > keptMs;
        if (live !== null && isOver(live)) {
          live.generation.close();
          live = null;
        }
        live = live === null ? await begin(folds) : follow(live, folds);
      } catch (error) {
        live?.generation.close();
        live = null;
        throw error;
      }
      if (statSync(uploads, { throwIfNoEntry: false })?.mtimeMs !== seen) void turn(shipFiles).catch(() => undefined); // tried again with the next
      return { logBytes: live.position?.offset ?? 0 };
    },
    files: () => turn(shipFiles),
    erase: (id) =>
      turn(async () => {
        gone.add(id);
        const target = join(place, FILES);
        const names = (await readdir(target)).filter((name) => name.startsWith(`${id}.`));
        for (const name of names) await rm(join(target, name));
        if (names.length > 0) syncFolder(target);
        for (const name of there) if (name.startsWith(`${id}.`)) there.delete(name);
      }),
    end() {
      live?.generation.close();
      live = null;
      reader.close();
    },
  };
}

function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
