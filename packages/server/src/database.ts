import { access, open, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { openBooks, type Store, type Verification } from "@dosimeter/ledger";
import { type Copied, copyStore } from "@dosimeter/ledger/copy";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { CHECKPOINT } from "./checkpoint.ts";
import { takeLock } from "./lock.ts";

const FILE = "ledger.sqlite";
/** Where the old file goes once its books live elsewhere. Its presence keeps a second, empty ledger from being begun. */
const RETIRED = "ledger.moved.sqlite";
const NOTE = "ledger.moved.json";

/**
 * The books of a data folder: its SQLite file, or the PostgreSQL database that `url` names. CONFLICT when the folder's own
 * books would be left behind, have moved and no database is named, or are gone: two ledgers would spend one budget twice.
 */
export async function openStore(folder: string, url?: string): Promise<Store> {
  const path = join(folder, FILE);
  if (url !== undefined) {
    if (await exists(path))
      throw new PrivacyError("CONFLICT", {}, `${path} still holds this folder's books; run dosimeter move first`);
    const { postgresStore } = await import("@dosimeter/ledger/postgres");
    return postgresStore(checkUrl(url));
  }
  if (await exists(join(folder, NOTE)))
    throw new PrivacyError("CONFLICT", {}, "the books of this folder have moved to PostgreSQL; set DATABASE_URL");
  if (!(await exists(path)) && (await exists(join(folder, CHECKPOINT))))
    throw new PrivacyError(
      "CONFLICT",
      {},
      `${path} is gone, and new books would forget what it spent: set DATABASE_URL if they are there, or restore a backup`,
    );
  await (await open(path, "a", 0o600)).close(); // only its owner reads it, whatever the folder's own mode
  return sqliteStore(path);
}

export interface Moved {
  readonly tables: readonly Copied[];
  readonly verification: Verification;
}

/**
 * Moves a folder's books from SQLite to an empty PostgreSQL database: verifies, copies in one transaction, verifies the
 * copy to the same head hash, and retires the file. On any problem nothing has moved; one that was killed is finished by another.
 */
export async function moveBooks(folder: string, url: string, say: (line: string) => void = () => {}): Promise<Moved> {
  const path = join(folder, FILE);
  if (!(await exists(path)))
    throw new PrivacyError("NOT_FOUND", { name: "books", got: path, want: "a data folder with a SQLite ledger" });
  const { postgresStore } = await import("@dosimeter/ledger/postgres");
  const lock = await takeLock(folder);
  try {
    const from = await sqliteStore(path);
    const source = await openBooks(from);
    try {
      say("Verifying the books …");
      const before = await source.audit.verify();
      if (!before.ok) throw notSound("the books do not add up; nothing was moved", before);
      const to = await postgresStore(checkUrl(url));
      try {
        const isThere = (await headOf(to)) === (await headOf(from));
        if (isThere) say("An earlier move was broken off after it had copied everything.");
        const tables = isThere ? [] : await copyStore(from, to, ({ table, rows }) => say(`${table}: ${rows}`));
        say("Verifying the copy …");
        const verification = await (await openBooks(to)).audit.verify();
        if (!verification.ok || verification.head !== before.head)
          throw notSound("the copy differs from the original; the original stays in use", verification);
        await writeFile(join(folder, NOTE), `${JSON.stringify({ head: verification.head, at: to.now() })}\n`, {
          mode: 0o600,
        });
        return { tables, verification };
      } finally {
        await to.close();
      }
    } finally {
      await source.close();
    }
  } finally {
    if (await exists(join(folder, NOTE))) await rename(path, join(folder, RETIRED));
    await lock.release();
  }
}

const headOf = async ({ read }: Store): Promise<string | undefined> =>
  (await read.selectFrom("audit").select("hash").orderBy("seq", "desc").limit(1).executeTakeFirst())?.hash;

function notSound(message: string, { problems, head }: Verification): PrivacyError {
  return new PrivacyError("CONFLICT", { head, problems: problems.slice(0, 5) }, message);
}

function checkUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  // The address may hold a password: it is not repeated.
  throw new PrivacyError("INVALID_PARAMETER", {}, "DATABASE_URL must be postgres://user@host/database");
}

const PATIENCE_MS = 2000;

/** Whether the database answers within two seconds. */
export async function answers(store: Store): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, PATIENCE_MS, false);
  store.read
    .selectFrom("migration")
    .select("version")
    .limit(1)
    .execute()
    .then(
      () => resolve(true),
      () => resolve(false),
    );
  return promise.finally(() => clearTimeout(timer));
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
