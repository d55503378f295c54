import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase, Store } from "@dosimeter/ledger";
import { errorFields, type Log } from "../telemetry/log.ts";
import { type Kept, parseKept } from "./checkpoint-text.ts";
import type { Witness } from "./witness.ts";

/** Keeps the head of the ledger database in a file of the data folder, so that an older copy is noticed. */
export interface CheckpointFile {
  /** Writes the head a last time. */
  close(): Promise<void>;
  /** Seconds since it was last known to be up to date. */
  age(): number;
  /** Whether a witness that signs knows what is committed now, so that no older copy opens without it. True where there is none. */
  told(): Promise<boolean>;
}

interface Keeping {
  readonly folder: string;
  readonly database: LedgerDatabase;
  readonly store: Pick<Store, "kind" | "copy" | "vouch" | "isVouched">;
  /** Whether the log of a SQLite file was there before it was opened. */
  readonly hadLog: boolean;
  readonly witness: Witness | null;
  readonly log: Log;
  /** Whether a witness may know of what is committed now. */
  readonly mayShow?: () => Promise<boolean>;
  /** Every line that a server showed is here, as far as its own witness knows: the copy is of a place that it shipped to. [M431] */
  readonly isShipped?: boolean;
}

/** The checkpoint's file in the data folder; where it is, there was a ledger. */
export const CHECKPOINT = "checkpoint.json";
const EVERY_MS = 1000;

/**
 * Compares the database with its checkpoint, which freezes every ledger of a restored one, then writes the checkpoint regularly,
 * and compares again each time: a standby may take over behind the server's back.
 */
// long: comparing and writing read what was last written
export async function openCheckpoint({
  folder,
  database,
  store,
  hadLog,
  witness,
  log,
  mayShow = async () => true,
  isShipped = false,
}: Keeping): Promise<CheckpointFile> {
  const path = join(folder, CHECKPOINT);
  const { before, isBrought, isProved } = await newestOf(await readCheckpoint(path), witness, database);
  /** The head that the database was compared with last. */
  let compared = before?.hash;
  let [last, written]: (Kept | undefined)[] = [];
  let isFailing = false;
  let keptAt = performance.now();
  let writing: Promise<void> = Promise.resolve();

  async function compare(kept: Kept, copy: string | null, isSame: boolean): Promise<void> {
    const restored = await database.audit.compareCheckpoint(kept, { copy, isSame, from: kept.copy });
    if (restored !== null) log.error("DATABASE_RESTORED", { count: restored.frozen.length });
  }

  /** A witness that refuses this state has another: a copy of this folder runs too, or went on where this one was wound back. */
  async function compareWithWitness(): Promise<void> {
    const text = witness?.isRefused() === true ? await witness.read() : null;
    if (text === null) return;
    const kept = parseKept(text, "DOSIMETER_WITNESS");
    if (kept.hash === compared || kept.database !== last?.database) return; // of another database it says nothing about this one
    await compare(kept, last.copy, true);
    compared = kept.hash;
  }

  async function keep(closed: boolean): Promise<void> {
    const copy = (await store.copy()) ?? last?.copy ?? null;
    if (last !== undefined && (copy !== last.copy || !(await database.audit.continues(last))))
      await compare(last, copy, copy === last.copy);
    await store.vouch(copy);
    const now = (await database.audit.checkpoint(last?.hash)) ?? last;
    if (now === undefined) return;
    last =
      now === last && copy === last.copy && !closed
        ? last
        : { ...now, copy, closed, ...(witness === null ? {} : { witnessed: true }) };
    if (last !== written) {
      await writeFile(`${path}.new`, JSON.stringify(last), { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
      written = last;
    }
    // One that may lack charges would be its own witness.
    if (last.isUnproven !== true && (await mayShow())) witness?.keep(JSON.stringify(last));
    await compareWithWitness();
    isFailing = false;
  }
  /** Writes one at a time. A full disk is logged once and does not stop the server. */
  const again = (closed = false): Promise<void> => {
    writing = writing
      .then(() => keep(closed))
      .then(() => {
        keptAt = performance.now();
      })
      .catch((error: unknown) => {
        if (!isFailing) log.error("CHECKPOINT_NOT_KEPT", errorFields(error));
        isFailing = true;
      });
    return writing;
  };
  if (before !== null) {
    const copy = await store.copy();
    const head = (await database.audit.checkpoint())?.hash;
    const isSame =
      (isShipped && isProved) || (!isBrought && isSameCopy(before, { kind: store.kind, copy, hadLog, head }));
    await compare(before, copy, isSame);
  } else if ((await hasLedgers(database)) && !(await isVouched(store))) {
    const { length: count } = await database.audit.freezeUnvouched();
    log.error("CHECKPOINT_MISSING", { count });
  }
  if (witness !== null && witness.signedBy !== null) await database.audit.nameWitness(witness.signedBy);
  await again();
  const timer = setInterval(() => void again(), EVERY_MS);
  timer.unref();
  return {
    age: () => (performance.now() - keptAt) / 1000,
    async told() {
      if (witness === null || witness.signedBy === null) return true;
      await again();
      await witness.settled();
      return !isFailing && !witness.isFailing() && !witness.isRefused();
    },
    async close() {
      clearInterval(timer);
      await again(true);
      await witness?.settled();
    },
  };
}

const hasLedgers = async ({ audit }: LedgerDatabase): Promise<boolean> =>
  Object.keys((await audit.checkpoint())?.ledgers ?? {}).length > 0;

/** Whether another server knows this database; one that starts at the same time gets a moment to say so. */
async function isVouched(store: Pick<Store, "kind" | "isVouched">): Promise<boolean> {
  if (store.kind === "sqlite") return false;
  for (let looks = 0; looks < 20; looks += 1) {
    if (await store.isVouched()) return true;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return false;
}

interface Found {
  readonly kind: Store["kind"];
  readonly copy: string | null;
  readonly hadLog: boolean;
  /** The hash of the newest audit line; undefined before the first. */
  readonly head: string | undefined;
}

/**
 * Whether this is the copy that was in use, as far as this can be seen. A server that was killed leaves the log of its SQLite file
 * behind; a file without one was put there since. So was one that goes on after the line at which the server ended in order: a server
 * has run since, of which this checkpoint knows nothing. A checkpoint that names no copy is of SQLite: it is of a PostgreSQL database that
 * the file was moved to, where that begins with the line at which the file ended.
 */
function isSameCopy(kept: Kept, { kind, copy, hadLog, head }: Found): boolean {
  const endedHere = kept.closed && kept.hash === head;
  if (kind === "sqlite") return hadLog || endedHere;
  return copy === null || kept.copy === copy || (kept.copy === null && endedHere);
}

async function readCheckpoint(path: string): Promise<Kept | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  return text === null || text === "null" ? null : parseKept(text, path);
}

interface Newest {
  readonly before: Kept | null;
  /** A folder without a checkpoint was given a witness that its database does not name: it says what is missing, never that nothing is. */
  readonly isBrought: boolean;
  /** Its own witness signed what it knows now, and the database has it. */
  readonly isProved: boolean;
}

/** The newest that is known. CONFLICT when the data folder agrees with its database and the witness does not: both were restored. */
async function newestOf(here: Kept | null, witness: Witness | null, { audit }: LedgerDatabase): Promise<Newest> {
  const text = witness === null ? null : await witness.read();
  if (text === null) {
    if (witness !== null && here?.witnessed === true)
      throw new PrivacyError(
        "CONFLICT",
        { name: "DOSIMETER_WITNESS" },
        "the witness (DOSIMETER_WITNESS) is empty, although it was written before: mount or restore it, or name the right one",
      );
    return { before: here, isBrought: false, isProved: false };
  }
  const there = parseKept(text, "DOSIMETER_WITNESS");
  if (here !== null && (await audit.continues(here)) && !(await audit.continues(there)))
    throw new PrivacyError(
      "CONFLICT",
      { name: "data folder", got: `line ${here.seq}`, want: `line ${there.seq}` },
      `the whole data folder is older than its witness (DOSIMETER_WITNESS), which knows of ${there.seq} audit lines: put the newest folder back. To go on with this one, delete its checkpoint.json; its ledgers then open frozen, and what the witness knows to be missing is written off`,
    );
  const isItsOwn = witness?.signedBy != null && (await audit.isItsWitness(witness.signedBy));
  const isProved = isItsOwn && (await audit.continues(there));
  if (here !== null && BigInt(here.seq) >= BigInt(there.seq)) return { before: here, isBrought: false, isProved };
  return { before: there, isBrought: here === null && !isItsOwn, isProved };
}
