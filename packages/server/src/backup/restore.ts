import { mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { isRecord } from "@dosimeter/core/internal";
import {
  type KnownCharges,
  openLedgerDatabase,
  type Store,
  type StreamedLine,
  type Verification,
} from "@dosimeter/ledger";
import { sqliteStore } from "@dosimeter/ledger/sqlite";
import { CHECKPOINT } from "../instance/checkpoint.ts";
import { areOfOne, type Kept, parseKept } from "../instance/checkpoint-text.ts";
import { checkUrl, copyVerified, exists, LEDGER_FILE, notSound, RESTORING, verifyFile } from "../instance/database.ts";
import { holderOf, takeLock } from "../instance/lock.ts";
import { withLedger } from "../instance/open-folder.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { SIGNING_FILE } from "../instance/signer.ts";
import { isPlace } from "../ship/place.ts";
import { makeFolder } from "../sources/make-folder.ts";
import { type Manifest, readArchive, UPLOADS } from "./archive.ts";
import { newestKept, readShipped, type Shipped, type Until } from "./shipped.ts";

/** Where a restore may be broken off, for tests that end the process there. */
export const restoreSteps = [
  "restore.staged",
  "restore.copied",
  "restore.aside",
  "restore.files",
  "restore.placed",
] as const;
type RestoreStep = (typeof restoreSteps)[number];

export interface RestoreOptions extends Pick<InstanceOptions, "folder" | "database" | "uploads" | "witness"> {
  /** A file that `backUp` made, or the folder that a server shipped to. */
  readonly archive: string;
  /** The text of the file with the key. */
  readonly key: string;
  /** Of such a folder: until when; all that is there when absent. */
  readonly until?: Until;
  /** A `checkpoint.json` that was kept elsewhere; that of the folder when absent. */
  readonly checkpoint?: string;
  /** A file with the audit lines that `DOSIMETER_AUDIT_STREAM` sent: what it has of charges after the archive is missing at least. */
  readonly auditStream?: string;
  /** Moves what is in the folder aside; refused without it. */
  readonly replace?: boolean;
  readonly say?: (line: string) => void;
  readonly step?: (label: RestoreStep) => void;
}

/** A ledger that takes no charges until the amounts, or more, are written off. */
interface FrozenLedger {
  readonly ledger: string;
  readonly reason: string;
  readonly missing: { readonly epsilon: string; readonly delta: string } | null;
}

export interface Restored {
  readonly manifest: Manifest;
  /** Of a folder that was shipped to: what is not as it should be. */
  readonly said: readonly string[];
  readonly frozen: readonly FrozenLedger[];
  /** What the audit stream knows of each ledger, and the archive does not. */
  readonly known: readonly KnownCharges[];
  /** Audit lines that the checkpoint knows of and the archive does not have; null without a checkpoint. */
  readonly missingLines: number | null;
  /** Where the folder's files are now; null where it had none. */
  readonly aside: string | null;
}

/** Proves an archive without restoring it: every byte is authentic, and its ledger database adds up. */
export async function checkBackup(options: Pick<RestoreOptions, "archive" | "key" | "until">): Promise<{
  readonly manifest: Manifest;
  readonly said: readonly string[];
  readonly verification: Verification;
}> {
  const work = await mkdtemp(join(tmpdir(), "dosimeter-check-"));
  try {
    const ledger = join(work, LEDGER_FILE);
    const { manifest, said } = await read(options, (name) => (name === LEDGER_FILE ? ledger : null));
    await (await sqliteStore(ledger)).close(); // brings an older schema up to date
    return { manifest, said, verification: await verifyFile(ledger) };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Reads either to its end. */
async function read(
  { archive, key, until = "newest" }: Pick<RestoreOptions, "archive" | "key" | "until">,
  placeOf: (name: string) => string | null = () => null,
): Promise<Shipped> {
  if (isPlace(archive)) return readShipped(archive, key, { until, placeOf });
  if (until !== "newest") invalid("to", until.toISOString(), "given for a folder that DOSIMETER_SHIP named");
  return { manifest: await readArchive(archive, key, placeOf), isWhole: false, said: [] };
}

/**
 * Restores an archive into a folder, and its ledger database into the PostgreSQL database that is named. The archive is read to its end before
 * anything is written, the ledger database is verified before anything is put in place, and then it is compared with the newest checkpoint: its
 * ledgers are frozen where charges are missing, or where nothing says that none are. A restore that was killed is run again.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { folder, archive, key, until = "newest", say = () => {} } = options;
  await refuseRunning(folder);
  say("Reading the archive …");
  const found = await read(options);
  const kept = laterOf(await keptOf(options), until === "newest" ? null : await newestKept(archive, key));
  const streamed = options.auditStream === undefined ? null : await readStreamed(options.auditStream);
  const lock = await takeLock(folder);
  try {
    await refuseOccupied(options);
    return await putInPlace(options, { found, kept, streamed });
  } finally {
    await lock.release();
  }
}

async function putInPlace(
  options: RestoreOptions,
  {
    found: { manifest, isWhole, said },
    kept,
    streamed,
  }: { readonly found: Shipped; readonly kept: Kept | null; readonly streamed: readonly StreamedLine[] | null },
): Promise<Restored> {
  const { folder, say = () => {}, step = () => {} } = options;
  for (const one of said) say(one);
  // One that was killed may have moved what was here aside.
  let isBegun = await exists(join(folder, RESTORING));
  try {
    const staged = await stage(options);
    step("restore.staged");
    isBegun ||= options.database !== undefined;
    await prove(options, { manifest, staged, kept, streamed });
    step("restore.copied");
    isBegun = true;
    const aside = await putAside(folder);
    step("restore.aside");
    await place(options, staged);
    if (kept !== null) await writeFile(join(folder, CHECKPOINT), JSON.stringify(ofAnother(kept)), { mode: 0o600 });
    step("restore.placed");
    await rm(staged.root, { recursive: true });
    isBegun = false;
    const missingLines = kept === null ? null : Math.max(0, Number(kept.seq) - manifest.lines);
    return { manifest, said, aside, missingLines, ...(await compare(options, streamed, isWhole)) };
  } catch (error) {
    await unstage(options, isBegun);
    throw error;
  }
}

/** Leaves nothing of an archive that was not restored, least of all its key; while `isBegun`, the folder keeps the mark that it is not whole. */
async function unstage({ folder, uploads }: RestoreOptions, isBegun: boolean): Promise<void> {
  const root = join(folder, RESTORING);
  if (uploads !== undefined) await rm(join(uploads, RESTORING), { recursive: true, force: true });
  await rm(root, { recursive: true, force: true });
  if (isBegun) await makeFolder(root);
}

async function refuseRunning(folder: string): Promise<void> {
  const holder = await holderOf(folder);
  if (holder === null) return;
  const { url, pid } = holder;
  throw new PrivacyError(
    "ALREADY_RUNNING",
    { url, pid },
    `process ${pid} works on ${folder}${url === null ? "" : ` and answers at ${url}`}; stop it before a restore`,
  );
}

/** The newest checkpoint that is known on this machine. */
async function keptOf({ folder, checkpoint }: RestoreOptions): Promise<Kept | null> {
  const own = join(folder, CHECKPOINT);
  const hasOwn = await exists(own);
  if (checkpoint !== undefined && hasOwn)
    throw new PrivacyError(
      "CONFLICT",
      { name: "checkpoint" },
      `${own} is there already; the newer one of the two must be there`,
    );
  if (checkpoint === undefined && !hasOwn) return null;
  const path = checkpoint ?? own;
  const text = await readFile(path, "utf8").catch(() => {
    throw new PrivacyError("NOT_FOUND", { name: "checkpoint", got: path });
  });
  return text === "null" ? null : parseKept(text, path);
}

const laterOf = (one: Kept | null, other: Kept | null): Kept | null =>
  one !== null && (other === null || BigInt(one.seq) >= BigInt(other.seq)) ? one : other;

/** A checkpoint says of an archive what it lacks, never that it lacks nothing: it is of another copy, which has gone on. */
const ofAnother = (kept: Kept): Kept => ({ ...kept, closed: false });

const isOurs = (name: string): boolean =>
  name === CHECKPOINT || name === RESTORING || name.startsWith("lock.json") || name.startsWith(REPLACED);

const REPLACED = "replaced-";

async function refuseOccupied({ folder, uploads, replace = false }: RestoreOptions): Promise<void> {
  const found = (await namesIn(folder)).filter((name) => !isOurs(name)).map((name) => join(folder, name));
  const apart = uploads === undefined ? [] : (await namesIn(uploads)).filter((name) => name.startsWith("fil_"));
  const [first] = [...found, ...apart.map((name) => join(uploads ?? folder, name))];
  if (first === undefined || replace) return;
  throw new PrivacyError(
    "CONFLICT",
    { name: "data folder", got: first, want: "empty but for checkpoint.json" },
    `${first} is there already, and a restore would take its place; with --replace, what is in the data folder is moved aside`,
  );
}

interface Staged {
  readonly root: string;
  readonly ledger: string;
}

/** Unpacks everything next to its place, so that a file takes its place in one step. */
async function stage(options: RestoreOptions): Promise<Staged> {
  const { folder, uploads } = options;
  const root = join(folder, RESTORING);
  const files = join(uploads ?? root, uploads === undefined ? "files" : RESTORING);
  for (const each of [root, files]) {
    await rm(each, { recursive: true, force: true }); // of a restore that was killed
    await makeFolder(each);
  }
  await read(options, (name) =>
    name.startsWith(UPLOADS) ? join(files, name.slice(UPLOADS.length)) : join(root, name),
  );
  return { root, ledger: join(root, LEDGER_FILE) };
}

/** Verifies what was unpacked, and copies it into PostgreSQL where that is named. CONFLICT before anything takes its place. */
async function prove(
  { database: url, say = () => {} }: RestoreOptions,
  {
    manifest,
    staged,
    kept,
    streamed,
  }: {
    readonly manifest: Manifest;
    readonly staged: Staged;
    readonly kept: Kept | null;
    readonly streamed: readonly StreamedLine[] | null;
  },
): Promise<void> {
  say("Verifying the ledger database …");
  const from = await sqliteStore(staged.ledger); // brings an older schema up to date
  try {
    const database = await openLedgerDatabase(from);
    const found = await database.audit.checkpoint();
    if (found?.hash !== manifest.head)
      throw new PrivacyError("CONFLICT", { name: "head", got: found?.hash, want: manifest.head });
    if (kept !== null && !areOfOne(kept, found))
      throw new PrivacyError(
        "CONFLICT",
        { name: "checkpoint" },
        "the checkpoint is about another ledger database than the archive; nothing was restored",
      );
    if (streamed !== null) await database.audit.checkStreamed(streamed);
    if (url !== undefined) return await fill(from, url, say);
    const verification = await database.audit.verify();
    if (!verification.ok) throw notSound("the ledger database does not add up; nothing was restored", verification);
  } finally {
    await from.close();
  }
}

async function fill(from: Store, url: string, say: (line: string) => void): Promise<void> {
  const { postgresStore } = await import("@dosimeter/ledger/postgres");
  const to = await postgresStore(checkUrl(url));
  try {
    if (await to.isVouched())
      throw new PrivacyError(
        "CONFLICT",
        { name: "DATABASE_URL" },
        "a server uses the database of DATABASE_URL; stop it first",
      );
    await copyVerified({ from, to, say });
  } finally {
    await to.close();
  }
}

/** A new folder inside this one, for what a restore takes the place of. */
async function asideIn(folder: string): Promise<string> {
  const aside = join(folder, `${REPLACED}${new Date().toISOString().replaceAll(":", "")}`);
  await makeFolder(aside);
  return aside;
}

/** Nothing that was in the folder is deleted. */
async function putAside(folder: string): Promise<string | null> {
  const names = (await namesIn(folder)).filter((name) => !isOurs(name));
  if (names.length === 0) return null;
  const aside = await asideIn(folder);
  for (const name of names) await rename(join(folder, name), join(aside, name));
  return aside;
}

/** The ledger database last. */
async function place(
  { folder, database, uploads, step = () => {} }: RestoreOptions,
  { root, ledger }: Staged,
): Promise<void> {
  const target = uploads ?? join(folder, "files");
  const files = uploads === undefined ? join(root, "files") : join(uploads, RESTORING);
  await makeFolder(target);
  const there = new Set(uploads === undefined ? [] : await namesIn(uploads));
  // A folder apart is not moved aside as a whole, since other servers may use it: only what is replaced.
  const names = await namesIn(files);
  const aside = names.some((name) => there.has(name)) ? await asideIn(target) : null;
  for (const name of names) {
    if (aside !== null && there.has(name)) await rename(join(target, name), join(aside, name));
    await rename(join(files, name), join(target, name));
  }
  await rm(files, { recursive: true });
  step("restore.files");
  const key = join(root, SIGNING_FILE);
  if (await exists(key)) await rename(key, join(folder, SIGNING_FILE));
  if (database === undefined) await rename(ledger, join(folder, basename(ledger)));
}

/** What a server does at its start: freezes every ledger that may have forgotten charges, and writes the checkpoint. */
const compare = (
  options: RestoreOptions,
  streamed: readonly StreamedLine[] | null,
  isShipped: boolean,
): Promise<Pick<Restored, "frozen" | "known">> =>
  withLedger(
    options,
    async ({ audit, ledgers }) => {
      const known = streamed === null ? [] : await audit.addStreamed(streamed);
      const frozen = (await ledgers.frozen()).map(({ ledger, reason, missing }) => ({ ledger, reason, missing }));
      return { frozen, known };
    },
    { isShipped },
  );

/** The lines of a stream, as they were sent; the last one may be cut short. */
async function readStreamed(path: string): Promise<readonly StreamedLine[]> {
  const text = await readFile(path, "utf8").catch(() => {
    throw new PrivacyError("NOT_FOUND", { name: "audit stream", got: path });
  });
  return text
    .slice(0, text.lastIndexOf("\n") + 1)
    .split("\n")
    .flatMap((line, index) => (line === "" ? [] : parseStreamed(line, `${path}:${index + 1}`)));
}

function parseStreamed(text: string, where: string): StreamedLine {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    line = null;
  }
  const { sequence, at, action, ledger, detail, hash } = isRecord(line) ? line : {};
  const isLine =
    Number.isSafeInteger(sequence) &&
    [at, action, hash].every((field) => typeof field === "string") &&
    (ledger === null || typeof ledger === "string") &&
    detail !== undefined;
  if (!isLine) return invalid(where, text.slice(0, 80), "a line as DOSIMETER_AUDIT_STREAM sends it");
  return { sequence, at, action, ledger, detail, hash } as StreamedLine;
}

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
