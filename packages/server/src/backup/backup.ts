import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, backup as onlineBackup } from "node:sqlite";
import { PrivacyError, VERSION } from "@dosimeter/core";
import { refuseOtherVersion } from "@dosimeter/ledger";
import { copyStore } from "@dosimeter/ledger/copy";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { checkUrl, copyOfFolder, LEDGER_FILE, notSound, verifyFile } from "../instance/database.ts";
import { holderOf } from "../instance/lock.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { OPERATOR_FILE } from "../instance/running.ts";
import { SIGNING_FILE } from "../instance/signer.ts";
import { checkRecipients, newBackupKey } from "../ship/age.ts";
import { type Manifest, type Member, UPLOADS, writeArchive } from "./archive.ts";

export interface BackupOptions extends Pick<InstanceOptions, "folder" | "database" | "uploads"> {
  /** The file that is made; refused where it is there. */
  readonly archive: string;
  /** `age1…`: whose keys can read it. */
  readonly recipients: readonly string[];
  readonly say?: (line: string) => void;
  readonly step?: (label: BackupStep) => void;
}

/** Where a backup may be broken off, for tests that end the process there. */
export const backupSteps = ["backup.copied", "backup.verified", "backup.written"] as const;
type BackupStep = (typeof backupSteps)[number];

/**
 * Makes one encrypted archive of a ledger database, the uploads and the signing key, also while servers run: the ledger database as of
 * one moment, verified, and then the uploads, which never change. CONFLICT where it does not add up; then nothing is written.
 */
export async function backUp(options: BackupOptions): Promise<Manifest> {
  const { folder, archive, recipients, uploads = join(folder, "files"), say = () => {}, step = () => {} } = options;
  checkRecipients(recipients);
  if ((await sizeOf(archive)) !== null)
    throw new PrivacyError("CONFLICT", { name: "archive", got: archive }, `${archive} is there already`);
  const madeAt = new Date().toISOString();
  const work = await mkdtemp(join(tmpdir(), "dosimeter-backup-"));
  try {
    const ledger = join(work, LEDGER_FILE);
    say("Copying the ledger database …");
    await copyLedger(options, ledger);
    step("backup.copied");
    say("Verifying the copy …");
    const verification = await verifyFile(ledger);
    if (!verification.ok) throw notSound("the ledger database does not add up; no backup was made", verification);
    step("backup.verified");
    const { head, lines } = verification;
    const members = await membersOf([
      { name: LEDGER_FILE, path: ledger },
      { name: SIGNING_FILE, path: join(folder, SIGNING_FILE) },
      ...(await uploadsIn(uploads)),
    ]);
    say(`Writing ${members.length} files …`);
    const files = members.map(({ name, size }) => ({ name, size }));
    const manifest: Manifest = { format: 1, version: VERSION, madeAt, head, lines, files };
    await writeArchive(archive, { recipients, manifest, members, written: () => step("backup.written") });
    return manifest;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** A copy of the ledger database as one SQLite file, of one moment. Nothing is changed where it came from. */
async function copyLedger({ folder, database: url }: BackupOptions, to: string): Promise<void> {
  if (url !== undefined) return copyPostgres(url, to);
  // A file that no server holds is copied with its log: to open it would leave an empty log, which says that a server was killed.
  if ((await holderOf(folder)) === null) return copyOfFolder(folder, to);
  const source = new DatabaseSync(join(folder, LEDGER_FILE), { readOnly: true });
  try {
    await onlineBackup(source, to, { rate: ALL_PAGES }); // in one step: a backup in several begins again after every charge
  } finally {
    source.close();
  }
}

const ALL_PAGES = 2 ** 31 - 1;

async function copyPostgres(url: string, to: string): Promise<void> {
  const { postgresStore } = await import("@dosimeter/ledger/postgres");
  const from = await postgresStore(checkUrl(url), { readOnly: true });
  try {
    await refuseOtherVersion(from);
    const target = await sqliteStore(to);
    try {
      await copyStore(from, target);
    } finally {
      await target.close();
    }
  } finally {
    await from.close();
  }
}

/** The uploads that are whole, each with its description, and the key by which the same bytes are recognised. */
async function uploadsIn(folder: string): Promise<readonly Omit<Member, "size">[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const kept = names.filter((name) => name !== OPERATOR_FILE && !name.endsWith(".partial"));
  return kept.toSorted().map((name) => ({ name: `${UPLOADS}${name}`, path: join(folder, name) }));
}

async function membersOf(files: readonly Omit<Member, "size">[]): Promise<readonly Member[]> {
  const members: Member[] = [];
  for (const file of files) {
    const size = await sizeOf(file.path);
    if (size !== null) members.push({ ...file, size });
  }
  return members;
}

const sizeOf = (path: string): Promise<number | null> =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

/** Writes a new key where nothing is, for its owner alone. Returns the recipient that archives are made for. */
export async function makeBackupKey(path: string): Promise<string> {
  const { text, recipient } = await newBackupKey();
  await writeFile(path, text, { mode: 0o600, flag: "wx", flush: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new PrivacyError("CONFLICT", { name: "key", got: path }, `${path} is there already; a key is never replaced`);
  });
  return recipient;
}

/** The text of a key's file. NOT_FOUND where it cannot be read. */
export const readBackupKey = (path: string): Promise<string> =>
  readFile(path, "utf8").catch(() => {
    throw new PrivacyError(
      "NOT_FOUND",
      { name: "key", got: path },
      `${path} cannot be read; it must hold the backup's key`,
    );
  });
