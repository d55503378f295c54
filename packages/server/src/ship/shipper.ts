import { randomBytes } from "node:crypto";
import { existsSync, fstatSync, openSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PrivacyError, VERSION } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import { withBytes } from "../threads/web-stream.ts";
import { encrypterFor } from "./age.ts";
import { type Header, type Meta, sealer } from "./generation.ts";
import { isAddress } from "./objects.ts";
import { FILES, isShipped, Taken } from "./place.ts";
import { sealIn, sealing } from "./seal.ts";
import { type Target, targetAt, targetIn, type Writer } from "./target.ts";
import { endOf, type Position, readTransactions } from "./wal.ts";

export interface ShipTo {
  /** The folder of the second place, or its address. */
  readonly place: string;
  /** Of an address. */
  readonly secret?: string;
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
  readonly writer: Writer;
  /** Returns how many bytes it took. */
  readonly append: (meta: Meta, pages: ReadonlyMap<number, Buffer>) => Promise<number>;
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
  secret,
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
  let found: Promise<Target> | null = null;
  const target = (): Promise<Target> => {
    found ??= isAddress(place) ? targetAt(place, secret) : Promise.resolve(targetIn(place));
    return found;
  };

  const writeNote = (now: Note): void => {
    writeFileSync(`${note}.new`, JSON.stringify(now), { mode: 0o600, flush: true });
    renameSync(`${note}.new`, note);
  };

  function lineNow(): Pick<Meta, "at" | "seq" | "hash"> {
    const row = reader.prepare("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").get();
    return { at: new Date().toISOString(), seq: Number(row?.seq ?? 0), hash: String(row?.hash ?? "") };
  }

  /** Which number comes next. A folder that was not the last to write here takes over only where it never wrote here. [M430] */
  async function nextNumbers(database: string | null): Promise<Pick<Note, "number" | "from">> {
    const there = await target();
    const last = (await there.generations()).at(-1) ?? 0;
    const own = existsSync(note) ? (JSON.parse(readFileSync(note, "utf8")) as Note) : null;
    const isOurs = own !== null && own.place === place;
    if (isOurs && last > own.number) throw new Taken();
    // What is there is not the place: it is not mounted, or was emptied. One generation may lack: who wrote it was killed before it had its name.
    if (isOurs && last < own.number - (own.isThere === true ? 0 : 1)) throw new Emptied();
    const known = last === 0 ? null : (await there.header(last)).database;
    if (known !== null && known !== database) throw new Taken();
    return { number: last + 1, from: isOurs ? own.from : last + 1 };
  }

  async function begin(folds: number): Promise<Live> {
    const first = reader.prepare("SELECT hash FROM audit WHERE seq = 1").get()?.hash;
    const database = first === undefined ? null : String(first);
    const { number, from } = await nextNumbers(database);
    const key = randomBytes(32);
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
    const text = `${JSON.stringify(header)}\n`;
    const writer = await (await target()).begin(number, text);
    const seal = sealer(text, key);
    const append: Live["append"] = async (meta, pages) => {
      const bytes = seal(meta, pages);
      await writer.append(bytes);
      return bytes.length;
    };
    try {
      let base = text.length;
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
        base += await append({ ...lineNow(), size: null, pageSize }, pages);
      }
      const line = lineNow();
      const changes = readTransactions(log, null, endOf(index));
      if (changes.position?.salts !== start) throw new Error("the log started again meanwhile");
      base += await append({ ...line, size: changes.size ?? size, pageSize }, changes.pages);
      writeNote({ number, place, from });
      await writer.publish();
      writeNote({ number, place, from, isThere: true });
      await prune(number, from);
      return { writer, append, number, began, bytes: base, base, position: changes.position, folds };
    } catch (error) {
      writer.close();
      throw error;
    }
  }

  /**
   * Removes generations from before the one that was the newest at the end of the time they are kept, and of its own those that began and
   * ended within an hour of one that stays: another server's may hold what no later one has. [M430]
   */
  async function prune(newest: number, from: number): Promise<void> {
    const until = Date.now() - keptMs;
    const there = await target();
    const numbers = (await there.generations()).filter((number) => number <= newest);
    const beganAt = async (number: number) => Date.parse((await there.header(number)).madeAt);
    let stays = Number.NEGATIVE_INFINITY;
    for (const [index, number] of numbers.slice(0, -1).entries())
      try {
        const ended = await beganAt(numbers[index + 1] ?? newest);
        if (ended < until || ended - stays < APART_MS) await there.drop(number);
        else if (number >= from) stays = await beganAt(number);
      } catch {} // one that is damaged, or of another owner, stays: nothing that is shipped waits for it
  }

  async function follow(now: Live, folds: number): Promise<Live> {
    const line = lineNow();
    const { pages, size, position } = readTransactions(log, now.position, endOf(index));
    const hasRestarted = now.position !== null && position?.salts !== now.position.salts;
    if (hasRestarted && folds === now.folds) throw new Error("the log started again before it was shipped");
    if (size === null || position === null) return now;
    const bytes = now.bytes + (await now.append({ ...line, size, pageSize: position.pageSize }, pages));
    await now.writer.check();
    // Who goes on in a log that was folded ends what the fold allowed: only the next one lets it start again.
    return { ...now, bytes, position, folds };
  }

  async function shipFile(from: string, name: string): Promise<void> {
    const key = sealIn(reader);
    if (key === null) throw new Error("the ledger database has no secret for files");
    await withBytes(from, async (bytes) =>
      (await target()).put(
        name,
        await encrypterFor(recipients).encrypt(bytes.pipeThrough(sealing(key, basename(from)))),
      ),
    );
  }

  async function shipFiles(): Promise<void> {
    const to = await target();
    if (there.size === 0) {
      for (const path of more) if (existsSync(path)) await shipFile(path, basename(path));
      for (const name of await to.files()) there.add(name);
      there.delete("recognition.key"); // it may be that of another folder
    }
    const { mtimeMs } = await stat(uploads);
    const names = (await readdir(uploads)).filter(
      (name) => isShipped(name) && !there.has(name) && !gone.has(name.slice(0, name.indexOf("."))),
    );
    for (const name of names) {
      await shipFile(join(uploads, name), `${FILES}/${name}`);
      there.add(name);
    }
    to.sync();
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
          live.writer.close();
          live = null;
        }
        live = await (live === null ? begin(folds) : follow(live, folds));
      } catch (error) {
        live?.writer.close();
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
        await (await target()).erase(id);
        for (const name of there) if (name.startsWith(`${id}.`)) there.delete(name);
      }),
    end() {
      live?.writer.close();
      live = null;
      reader.close();
    },
  };
}
