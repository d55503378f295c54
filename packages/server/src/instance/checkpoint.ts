import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { invalid } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import type { Checkpoint, LedgerDatabase } from "@dosimeter/ledger";
import { errorFields, type Log } from "./log.ts";

/** Keeps the head of the ledger database in a file of the data folder, so that an older copy is noticed at the next start. */
interface CheckpointFile {
  /** Writes the head a last time. */
  close(): Promise<void>;
}

/** The checkpoint's file in the data folder; where it is, there was a ledger. */
export const CHECKPOINT = "checkpoint.json";
const EVERY_MS = 1000;

/** Compares the database with its checkpoint, which freezes ledgers that lost lines, then writes the checkpoint regularly. */
export async function openCheckpoint(folder: string, database: LedgerDatabase, log: Log): Promise<CheckpointFile> {
  const path = join(folder, CHECKPOINT);
  const kept = await readCheckpoint(path);
  const frozen = kept === null ? 0 : (await database.audit.compareCheckpoint(kept)).length;
  if (frozen > 0) log.error("restored ledger database", { count: frozen });
  let written: string | undefined;
  let isFailing = false;
  let writing: Promise<void> = Promise.resolve();

  async function keep(): Promise<void> {
    const now = await database.audit.checkpoint(written);
    if (now !== null) {
      await writeFile(`${path}.new`, JSON.stringify(now), { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
      written = now.hash;
    }
    isFailing = false;
  }
  /** Writes one at a time. A full disk is logged once and does not stop the server. */
  const again = (): Promise<void> => {
    writing = writing.then(keep).catch((error: unknown) => {
      if (!isFailing) log.error("checkpoint not kept", errorFields(error));
      isFailing = true;
    });
    return writing;
  };
  await again();
  const timer = setInterval(() => void again(), EVERY_MS);
  timer.unref();
  return {
    async close() {
      clearInterval(timer);
      await again();
    },
  };
}

async function readCheckpoint(path: string): Promise<Checkpoint | null> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "null";
    throw error;
  });
  const kept: unknown = JSON.parse(text);
  if (kept === null) return null;
  if (isRecord(kept) && [kept.books, kept.seq, kept.hash].every((field) => typeof field === "string"))
    return kept as unknown as Checkpoint;
  // Read as the checkpoint of another database it would be overwritten, and missing charges would stay unnoticed.
  return invalid(path, Object.keys(isRecord(kept) ? kept : {}), "a checkpoint with books, seq and hash");
}
