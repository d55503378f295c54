import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { openLedgerDatabase, type Signer } from "@dosimeter/ledger";
import { checkUrl } from "../instance/database.ts";
import { takeLock } from "../instance/lock.ts";
import { withLedger } from "../instance/open-folder.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { encrypted, fingerprint, newPem, SIGNING, SIGNING_FILE, shownPem, signerOf } from "../instance/signer.ts";

/** Where a rotation may be broken off, for tests that end the process there. */
export const rotateSteps = ["rotate.written", "rotate.noted"] as const;

type Options = Pick<InstanceOptions, "folder" | "database" | "witness" | "keySecret"> & {
  readonly step?: (label: (typeof rotateSteps)[number]) => void;
};

/** Fingerprints of the key before and of the key now. */
export interface Rotated {
  readonly from: string;
  readonly to: string;
}

/**
 * Makes a new key for exports and deletes the old one; the old key signs the new one, in the audit. Exports that the old key has signed verify as
 * before, since each holds its public key. ALREADY_RUNNING or CONFLICT while a server could still sign with the old key.
 */
export async function rotateSigningKey(options: Options): Promise<Rotated> {
  const { folder, database } = options;
  const lock = await takeLock(folder);
  try {
    return database === undefined ? await rotateInFolder(options) : await rotateInDatabase(options, database);
  } finally {
    await lock.release();
  }
}

async function rotateInFolder({ folder, witness, step = () => {} }: Options): Promise<Rotated> {
  const path = join(folder, SIGNING_FILE);
  const next = `${path}.next`;
  const before = await readFile(path, "utf8").catch(() => {
    throw new PrivacyError("NOT_FOUND", { name: "signing key", got: path });
  });
  const from = signerOf(before);
  return withLedger({ folder, ...(witness === undefined ? {} : { witness }) }, async ({ audit, shared }) => {
    const [last] = (await audit.lines({ action: ACTION, limit: 1 })).items;
    const unfinished = await readFile(next, "utf8").catch(() => null);
    // A rotation that was killed after the audit had it: only the file is still to be renamed.
    const isNoted = unfinished !== null && last?.subject === fingerprint(signerOf(unfinished));
    const pem = isNoted ? unfinished : newPem();
    const to = signerOf(pem);
    if (!isNoted) {
      await rm(next, { force: true });
      await writeFile(next, pem, { mode: 0o600, flag: "wx", flush: true });
      step("rotate.written");
      await shared.rotate({ action: ACTION, subject: fingerprint(to), detail: succession(from, to) });
      step("rotate.noted");
    }
    await rename(next, path);
    return { from: fingerprint(from), to: fingerprint(to) };
  });
}

async function rotateInDatabase({ folder, keySecret = null }: Options, url: string): Promise<Rotated> {
  return withStored(url, async ({ stored, rotate, isUsed }) => {
    if (isUsed)
      throw new PrivacyError(
        "CONFLICT",
        {},
        "a server uses this database and signs with the old key; stop all of them first",
      );
    const from = signerOf(shownPem(stored, keySecret));
    const pem = newPem();
    const to = signerOf(pem);
    const now = keySecret === null ? pem : encrypted(pem, keySecret);
    await rotate({ action: ACTION, subject: fingerprint(to), detail: succession(from, to) }, now);
    await rm(join(folder, SIGNING_FILE), { force: true }); // that of the first server was the shared one
    return { from: fingerprint(from), to: fingerprint(to) };
  });
}

const ACTION = "signingKey.rotate";

/** What the audit keeps: both public keys, and the old key's signature of the new one's fingerprint. */
const succession = (from: Signer, to: Signer): object => ({
  from: fingerprint(from),
  publicKey: to.publicKey,
  signedByOld: from.sign(Buffer.from(fingerprint(to), "hex")),
});

const MIN_SECRET = 20;

/**
 * Encrypts the signing key of a PostgreSQL database under another secret, or for the first time. Servers that run go on, and need the new secret at
 * their next start. CONFLICT with a SQLite file, where the secret encrypts nothing.
 */
export async function rotateKeySecret({ database, keySecret = null }: Options, next: string): Promise<void> {
  if (database === undefined)
    throw new PrivacyError(
      "CONFLICT",
      { name: "DOSIMETER_KEY_SECRET" },
      "with a SQLite file DOSIMETER_KEY_SECRET encrypts nothing: the signing key is a file of the data folder",
    );
  if (next.length < MIN_SECRET || next === keySecret) {
    const want = `another one than before, of ${MIN_SECRET} characters or more`;
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "DOSIMETER_NEW_KEY_SECRET", want },
      `DOSIMETER_NEW_KEY_SECRET must be ${want}`,
    );
  }
  await withStored(database, async ({ stored, rotate }) => {
    const pem = shownPem(stored, keySecret);
    await rotate({ action: "keySecret.rotate", subject: fingerprint(signerOf(pem)), detail: {} }, encrypted(pem, next));
  });
}

type Rotation = Parameters<Awaited<ReturnType<typeof openLedgerDatabase>>["shared"]["rotate"]>[0];

interface Stored {
  /** The signing key as it lies in the database. */
  readonly stored: string;
  /** Whether a server has this database open. */
  readonly isUsed: boolean;
  readonly rotate: (rotation: Omit<Rotation, "stored">, now: string) => Promise<void>;
}

async function withStored<T>(url: string, use: (stored: Stored) => Promise<T>): Promise<T> {
  const { postgresStore } = await import("@dosimeter/ledger/postgres");
  const store = await postgresStore(checkUrl(url));
  const { shared, close } = await openLedgerDatabase(store);
  try {
    const isUsed = await store.isVouched();
    const stored = await shared.secret({
      name: SIGNING,
      make: () => {
        throw new PrivacyError(
          "NOT_FOUND",
          {},
          "this database has no signing key yet: a server makes it at its first start",
        );
      },
    });
    return await use({
      stored,
      isUsed,
      rotate: (rotation, now) => shared.rotate({ ...rotation, stored: { name: SIGNING, was: stored, now } }),
    });
  } finally {
    await close();
  }
}
