import { access, copyFile, mkdtemp, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import {
  isDamaged,
  openLedgerDatabase,
  refuseOtherVersion,
  type Store,
  type Verification,
  verifyStore,
} from "@dosimeter/ledger";
import { type Copied, copyStore, tableOrder } from "@dosimeter/ledger/copy";
import { quickProblems, type SqliteOptions, sqliteStore } from "@dosimeter/ledger/sqlite";
import { CHECKPOINT } from "./checkpoint.ts";
import { holderOf, takeLock } from "./lock.ts";
import type { InstanceOptions } from "./options.ts";

export const LEDGER_FILE = "ledger.sqlite";
/** The name of the old file after the move to another database. While it is there, no second, empty ledger is opened. */
const RETIRED = "ledger.moved.sqlite";
const NOTE = "ledger.moved.json";
/** What a restore unpacks before it puts it in place. While it is there, the folder is not whole. */
export const RESTORING = "restoring";

/**
 * The ledger database of a data folder: its SQLite file, or the PostgreSQL database that `url` names. CONFLICT when the folder's own
 * database would be ignored, or has moved while no database is named, or is gone: two ledgers would spend one budget twice.
 */
export async function openStore(folder: string, url?: string, committed?: SqliteOptions["committed"]): Promise<Store> {
  const path = join(folder, LEDGER_FILE);
  if (await exists(join(folder, RESTORING)))
    throw new PrivacyError("CONFLICT", {}, "a restore of this folder was broken off; run dosimeter restore again");
  if (url !== undefined) {
    if (await exists(path))
      throw new PrivacyError(
        "CONFLICT",
        {},
        `${path} still holds this folder's ledger database; run dosimeter move first`,
      );
    const { postgresStore } = await import("@dosimeter/ledger/postgres");
    return postgresStore(checkUrl(url));
  }
  if (await exists(join(folder, NOTE)))
    throw new PrivacyError(
      "CONFLICT",
      {},
      "the ledger database of this folder has moved to PostgreSQL; set DATABASE_URL",
    );
  if ((await sizeOf(path)) === 0 && (await exists(join(folder, CHECKPOINT))))
    throw new PrivacyError(
      "CONFLICT",
      {},
      `${path} is gone or empty, and a new ledger database would forget what it spent: set DATABASE_URL if it is there, or restore a backup`,
    );
  if ((await sizeOf(path)) > 0) refuseDamaged(path);
  await (await open(path, "a", 0o600)).close(); // readable by its owner only, whatever the mode of the folder
  return sqliteStore(path, present({ committed }));
}

function refuseDamaged(path: string): void {
  const [first] = quickProblems(path);
  if (first !== undefined)
    throw new PrivacyError(
      "CONFLICT",
      { name: "ledger database", got: first },
      `${path} is damaged (${first}): restore a backup, and keep checkpoint.json; dosimeter verify lists what it finds`,
    );
}

/**
 * Verifies the ledger database of a folder that no server holds, and writes nothing: a file that a killed server left with its log is
 * read as a private copy. CONFLICT for an older schema.
 */
export async function verifyFolder({
  folder,
  database: url,
}: Pick<InstanceOptions, "folder" | "database">): Promise<Verification> {
  const holder = await holderOf(folder);
  if (holder !== null) throw new PrivacyError("ALREADY_RUNNING", { url: holder.url, pid: holder.pid });
  if (url !== undefined) {
    const { postgresStore } = await import("@dosimeter/ledger/postgres");
    return verified(await postgresStore(checkUrl(url), { readOnly: true }));
  }
  const path = join(folder, LEDGER_FILE);
  if (!(await exists(path))) throw withoutDatabase(path);
  if ((await sizeOf(`${path}-wal`)) === 0) return verifyFile(path);
  const copy = await mkdtemp(join(tmpdir(), "dosimeter-verify-"));
  try {
    await copyFiles(path, join(copy, LEDGER_FILE));
    return await verifyFile(join(copy, LEDGER_FILE));
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

const withoutDatabase = (path: string): PrivacyError =>
  new PrivacyError(
    "NOT_FOUND",
    { name: "ledger database", got: path },
    `${path} is not there: the data folder must be one that a server or a command made`,
  );

/** Verifies a SQLite file that has no log and that no process writes, and writes nothing. CONFLICT for another schema. */
export const verifyFile = async (path: string): Promise<Verification> =>
  verified(await sqliteStore(path, { readOnly: true }));

/** Copies the SQLite file of a folder that no server holds; no server starts on it meanwhile. NOT_FOUND where there is none. */
export async function copyOfFolder(folder: string, to: string): Promise<void> {
  const path = join(folder, LEDGER_FILE);
  if (!(await exists(path))) throw withoutDatabase(path);
  const lock = await takeLock(folder);
  try {
    await copyFiles(path, to);
  } finally {
    await lock.release();
  }
}

/** A private copy of a file that nothing writes, with what a killed server left in its log. */
async function copyFiles(path: string, to: string): Promise<void> {
  await copyFile(path, to);
  if ((await sizeOf(`${path}-wal`)) === 0) return;
  await copyFile(`${path}-wal`, `${to}-wal`);
  foldLog(to);
}

/** Brings the log of a file that nothing else has open into it; a damaged file stays as it is, and is found to be damaged. */
function foldLog(path: string): void {
  const connection = new DatabaseSync(path);
  try {
    connection.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
  } finally {
    connection.close();
  }
}

async function verified(store: Store): Promise<Verification> {
  try {
    await refuseOtherVersion(store).catch((error: unknown) => {
      if (!isDamaged(error)) throw error; // verifying reports it
    });
    return await verifyStore({ store });
  } finally {
    await store.close();
  }
}

export interface Moved {
  readonly tables: readonly Copied[];
  readonly head: string;
}

/**
 * Moves a folder's ledger database from SQLite to an empty PostgreSQL database: verifies, copies in one transaction, verifies the
 * copy to the same head hash, and renames the file. After an error nothing has moved; a move that was killed is finished by
 * the next one. CONFLICT when the target holds anything else, or the source was used after it was copied.
 */
export async function moveLedgerDatabase(
  folder: string,
  url: string,
  say: (line: string) => void = () => {},
): Promise<Moved> {
  const path = join(folder, LEDGER_FILE);
  if (!(await exists(path)))
    throw new PrivacyError("NOT_FOUND", { name: "database", got: path, want: "a data folder with a SQLite ledger" });
  const { postgresStore } = await import("@dosimeter/ledger/postgres");
  const lock = await takeLock(folder);
  try {
    const from = await sqliteStore(path);
    let moved: Moved;
    try {
      const to = await postgresStore(checkUrl(url));
      try {
        const moving: Moving = { from, to, note: join(folder, NOTE), target: nameOf(url), say };
        moved = (await exists(moving.note)) ? await finish(moving) : await copy(moving);
      } finally {
        await to.close();
      }
    } finally {
      await from.close();
    }
    await rename(path, join(folder, RETIRED));
    return moved;
  } finally {
    await lock.release();
  }
}

interface Moving {
  readonly from: Store;
  readonly to: Store;
  readonly note: string;
  readonly target: string;
  readonly say: (line: string) => void;
}

async function copy({ from, to, note, target, say }: Moving): Promise<Moved> {
  const moved = await copyVerified({ from, to, say });
  await writeFile(note, `${JSON.stringify({ head: moved.head, target, at: to.now() })}\n`, { mode: 0o600 });
  return moved;
}

/** Copies a ledger database that adds up into an empty one, and verifies the copy down to the same head. Finishes a copy that was broken off. */
export async function copyVerified({ from, to, say }: Pick<Moving, "from" | "to" | "say">): Promise<Moved> {
  say("Verifying the ledger database …");
  const before = await (await openLedgerDatabase(from)).audit.verify();
  if (!before.ok) throw notSound("the ledger database does not add up; nothing was moved", before);
  const isThere = (await headOf(to)) === before.head;
  if (isThere) {
    say("An earlier try was broken off after it had copied everything.");
    await refuseUsed(from, to);
  }
  const tables = isThere ? [] : await copyStore(from, to, ({ table, rows }) => say(`${table}: ${rows}`));
  say("Verifying the copy …");
  const { head, ...verification } = await (await openLedgerDatabase(to)).audit.verify();
  if (!verification.ok || head !== before.head)
    throw notSound("the copy differs from the original; the original stays in use", { head, ...verification });
  return { tables, head };
}

/** The number of rows, which shows writes between two moves that are not in the audit. */
async function refuseUsed(from: Store, to: Store): Promise<void> {
  for (const table of tableOrder) {
    const [here, there] = await Promise.all([rowsIn(from, table), rowsIn(to, table)]);
    if (here !== there)
      throw new PrivacyError(
        "CONFLICT",
        { name: table, got: `${there} rows copied`, want: `${here} as in the ledger database` },
        "the ledger database was used after it was copied; empty the database, then move again",
      );
  }
}

/** The note of a verified copy: only the old file is still to be renamed. */
async function finish({ from, to, note, target, say }: Moving): Promise<Moved> {
  const said = JSON.parse(await readFile(note, "utf8")) as { readonly head: string; readonly target: string };
  if (said.target !== target)
    throw new PrivacyError(
      "CONFLICT",
      { name: "DATABASE_URL", got: target, want: said.target },
      `this ledger database was copied to ${said.target} already; name that database, or delete ${note} if nothing uses it`,
    );
  for (const store of [from, to])
    if ((await headOf(store)) !== said.head)
      throw new PrivacyError(
        "CONFLICT",
        { name: "head", want: said.head },
        `the ledger database or its copy was used after the copy was made; if the copy is in use, rename ${LEDGER_FILE} to ${RETIRED}, else empty the database, delete ${note} and move again`,
      );
  say("An earlier move had verified everything.");
  return { tables: [], head: said.head };
}

/** The database that an address names, without user and password. */
function nameOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${searchParams.get("host") ?? host}${pathname}`;
}

async function rowsIn({ read }: Store, table: (typeof tableOrder)[number]): Promise<number> {
  const { rows } = await read
    .selectFrom(table)
    .select(({ fn }) => fn.countAll().as("rows"))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

const headOf = async ({ read }: Store): Promise<string | undefined> =>
  (await read.selectFrom("audit").select("hash").orderBy("seq", "desc").limit(1).executeTakeFirst())?.hash;

export function notSound(message: string, { problems, head }: Verification): PrivacyError {
  return new PrivacyError("CONFLICT", { head, problems: problems.slice(0, 5) }, message);
}

export function checkUrl(url: string): string {
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  // The address may hold a password, so it is not repeated.
  throw new PrivacyError("INVALID_PARAMETER", {}, "DATABASE_URL must be postgres://user@host/database");
}

/** Whether the log of a SQLite file is there: it goes when the file is closed, and a restored file comes without. */
export const hasLog = (folder: string): Promise<boolean> => exists(join(folder, `${LEDGER_FILE}-wal`));

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
