import {
  closeSync,
  createWriteStream,
  existsSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { invalid, PrivacyError, VERSION } from "@dosimeter/core";
import { openLedgerDatabase } from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import type { Kept } from "../instance/checkpoint-text.ts";
import { LEDGER_FILE } from "../instance/database.ts";
import { SIGNING_FILE } from "../instance/signer.ts";
import { decrypterWith } from "../ship/age.ts";
import { type Meta, readGeneration, readHeader } from "../ship/generation.ts";
import { ENCRYPTED, FILES, generationsIn, pathOf } from "../ship/place.ts";
import { sealIn, unsealing } from "../ship/seal.ts";
import { withBytes } from "../threads/web-stream.ts";
import { type Manifest, UPLOADS } from "./archive.ts";

/** Until when: all that is there, or what was committed by an instant. */
export type Until = "newest" | Date;

/** What a generation holds: `whole` counts the segments up to the last that ends a transaction in time. */
interface Generation {
  readonly number: number;
  readonly key: Buffer;
  readonly whole: number;
  readonly last: Meta | null;
  /** The newest audit line of all that can be read. */
  readonly newest: Meta | null;
  /** Bytes at its end that cannot be read. */
  readonly unread: number;
}

export interface Shipped {
  readonly manifest: Manifest;
  /** Nothing that can be read lacks: it is the end of the place, and every generation before leads there. [M431] */
  readonly isWhole: boolean;
  /** What is not as it should be, for people. */
  readonly said: readonly string[];
}

export function parseUntil(text: string): Until {
  if (text === "newest") return "newest";
  const at = new Date(text);
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(at.getTime()))
    invalid("to", text, "newest, or an instant such as 2026-11-30T04:00:00Z");
  return at;
}

/** Puts the ledger database together as it was, and each file to the path that `placeOf` gives it. Every byte that is used is authentic. */
export async function readShipped(
  place: string,
  key: string,
  { until, placeOf = () => null }: { readonly until: Until; readonly placeOf?: (name: string) => string | null },
): Promise<Shipped> {
  const { generations, found, last } = await stateBy(place, key, until);
  const scratch = mkdtempSync(join(tmpdir(), "dosimeter-shipped-"));
  try {
    const ledger = placeOf(LEDGER_FILE) ?? join(scratch, LEDGER_FILE);
    build(place, found, ledger);
    const { head, lines, lacking, seal } = linesIn(ledger, generations);
    const said = generations
      .filter(({ number, unread }) => unread > 0 && number >= found.number)
      .map(
        ({ number, unread }) =>
          `${unread} bytes at the end of generation ${number} cannot be read: it was cut short or changed`,
      );
    // One without its whole first copy was cut where a part of it ends.
    for (const { number, newest, unread } of generations)
      if (newest === null && unread === 0 && number > found.number)
        said.push(`generation ${number} ends within its first copy: it was cut short`);
    if (until === "newest")
      for (const one of lacking)
        said.push(`generation ${one} ends with an audit line that a later one lacks: two servers wrote here`);
    const files = await readFiles(place, { key, seal }, placeOf);
    const manifest: Manifest = {
      ...{ format: 1, version: VERSION, madeAt: last.at, head, lines },
      files: [{ name: LEDGER_FILE, size: statSync(ledger).size }, ...files],
    };
    return { manifest, isWhole: until === "newest" && said.length === 0, said };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** All that can be read, and where the newest whole state by then is. NOT_FOUND where there is none. */
async function stateBy(place: string, key: string, until: Until) {
  const generations = await generationsOf(place, key, until);
  const found = generations.findLast(({ last }) => last !== null);
  const last = found?.last;
  if (found === undefined || last == null) throw nothingBy(place, generations);
  return { generations, found, last };
}

function nothingBy(place: string, generations: readonly Generation[]): PrivacyError {
  const first = generations[0];
  return new PrivacyError(
    "NOT_FOUND",
    { name: "place", got: place },
    first === undefined
      ? `${place} holds no generation (*.ship); name the folder of DOSIMETER_SHIP`
      : `${place} has nothing whole by then: its oldest generation begins at ${readHeader(pathOf(place, first.number)).header.madeAt}`,
  );
}

async function generationsOf(place: string, secret: string, until: Until): Promise<readonly Generation[]> {
  const found: Generation[] = [];
  for (const number of generationsIn(place)) {
    const path = pathOf(place, number);
    const key = await keyOf(path, secret);
    let [whole, count] = [0, 0];
    let [last, newest]: (Meta | null)[] = [null, null];
    const segments = readGeneration(path, key);
    let step = segments.next();
    for (; step.done !== true; step = segments.next()) {
      const { meta } = step.value;
      count += 1;
      if (meta.size === null) continue;
      newest = meta;
      if (until !== "newest" && Date.parse(meta.at) > until.getTime()) continue;
      [whole, last] = [count, meta];
    }
    found.push({ number, key, whole, last: last ?? null, newest: newest ?? null, unread: step.value });
  }
  return found;
}

async function keyOf(path: string, secret: string): Promise<Buffer> {
  const decrypter = decrypterWith(secret);
  const sealed = Buffer.from(readHeader(path).header.key, "base64");
  return Buffer.from(
    await decrypter.decrypt(sealed).catch((error: Error) => {
      const isOther = error.message.startsWith("no identity matched");
      if (isOther)
        throw new PrivacyError("INVALID_PARAMETER", {}, `${path} was encrypted for other keys than this one`);
      throw new PrivacyError("CONFLICT", { name: "place" }, `${path} is damaged: its first line was changed`);
    }),
  );
}

/** Writes each page as its newest segment has it, up to the last whole transaction. */
function build(place: string, { number, key, whole }: Generation, to: string): void {
  const file = openSync(to, "w", 0o600);
  try {
    let count = 0;
    for (const { meta, pages } of readGeneration(pathOf(place, number), key)) {
      if (count === whole) break;
      count += 1;
      for (const [page, bytes] of pages()) writeSync(file, bytes, 0, bytes.length, (page - 1) * meta.pageSize);
      if (meta.size !== null) ftruncateSync(file, meta.size * meta.pageSize);
    }
  } finally {
    closeSync(file);
  }
}

/** The audit of what was put together, and the generations whose newest line it does not have. */
function linesIn(
  ledger: string,
  generations: readonly Generation[],
): {
  readonly head: string;
  readonly lines: number;
  readonly lacking: readonly number[];
  readonly seal: Buffer | null;
} {
  const database = new DatabaseSync(ledger);
  try {
    const newest = database.prepare("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").get();
    const at = database.prepare("SELECT hash FROM audit WHERE seq = ?");
    const lacks = ({ newest: line }: Generation) =>
      line !== null && line.seq > 0 && at.get(line.seq)?.hash !== line.hash;
    const lacking = generations.filter(lacks).map(({ number }) => number);
    return { head: String(newest?.hash ?? ""), lines: Number(newest?.seq ?? 0), lacking, seal: sealIn(database) };
  } catch {
    throw new PrivacyError(
      "CONFLICT",
      { name: "place" },
      "what was shipped is no ledger database; nothing was restored",
    );
  } finally {
    database.close();
  }
}

async function readFiles(
  place: string,
  { key, seal }: { readonly key: string; readonly seal: Buffer | null },
  placeOf: (name: string) => string | null,
): Promise<Manifest["files"]> {
  const names = existsSync(join(place, FILES)) ? readdirSync(join(place, FILES)) : [];
  const members = [
    ...names.map((name) => ({ name: `${UPLOADS}${name}`, path: join(place, FILES, name) })),
    { name: `${SIGNING_FILE}${ENCRYPTED}`, path: join(place, `${SIGNING_FILE}${ENCRYPTED}`) },
  ].filter(({ name, path }) => name.endsWith(ENCRYPTED) && existsSync(path));
  const files: { name: string; size: number }[] = [];
  for (const member of members) {
    const name = member.name.slice(0, -ENCRYPTED.length);
    const to = placeOf(name);
    let size = 0;
    await withBytes(member.path, async (bytes) => {
      const plain = await decrypterWith(key).decrypt(bytes);
      if (seal === null) throw new Error("what was restored never shipped a file");
      const counted = plain.pipeThrough(unsealing(seal, basename(name))).pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(part, controller) {
            size += part.byteLength;
            controller.enqueue(part);
          },
        }),
      );
      if (to === null) for await (const _ of counted);
      else
        await pipeline(
          Readable.fromWeb(counted as never),
          createWriteStream(to, { mode: 0o600, flags: "wx", flush: true }),
        );
    }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== undefined) throw error;
      throw new PrivacyError(
        "CONFLICT",
        { name: "place" },
        `${member.path} was cut short, changed or put there by someone else; nothing was restored. Put the file back that the server shipped; without it, move this one away`,
      );
    });
    files.push({ name, size });
  }
  return files;
}

/** What the newest state of a place knows to have been spent: an earlier one lacks at least that. */
export async function newestKept(place: string, key: string): Promise<Kept | null> {
  const scratch = mkdtempSync(join(tmpdir(), "dosimeter-shipped-"));
  try {
    const ledger = join(scratch, LEDGER_FILE);
    const { generations, found } = await stateBy(place, key, "newest");
    build(place, found, ledger);
    linesIn(ledger, generations);
    const database = await openLedgerDatabase(await sqliteStore(ledger));
    try {
      const now = await database.audit.checkpoint();
      return now === null ? null : { ...now, copy: null, closed: false };
    } finally {
      await database.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
