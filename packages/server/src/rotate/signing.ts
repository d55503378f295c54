import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { invalid, PrivacyError } from "@dosimeter/core";
import { present } from "@dosimeter/core/internal";
import { openLedgerDatabase, type Signer } from "@dosimeter/ledger";
import { newSealingKey, SEALING, sealedFor, sealerOf, unwrapped, wrapped } from "../access/sealing.ts";
import { checkUrl } from "../instance/database.ts";
import { takeLock } from "../instance/lock.ts";
import { withLedger } from "../instance/open-folder.ts";
import type { InstanceOptions } from "../instance/options.ts";
import { encrypted, fingerprint, newPem, SIGNING, SIGNING_FILE, shownPem, signerOf } from "../instance/signer.ts";
import { replaceSecretFile } from "./secret-file.ts";

/** Where a rotation may be broken off, for tests that end the process there. */
export const rotateSteps = ["rotate.written", "rotate.noted"] as const;

type Options = Pick<InstanceOptions, "folder" | "database" | "witness" | "keySecret" | "secretFiles"> & {
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
  const from = signerOf(await pemIn(folder));
  return withLedger({ folder, ...present({ witness }) }, async ({ audit, shared }) => {
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

/** The signing key of a data folder. NOT_FOUND where a server never made one. */
const pemIn = (folder: string): Promise<string> =>
  readFile(join(folder, SIGNING_FILE), "utf8").catch(() => {
    throw new PrivacyError("NOT_FOUND", { name: "signing key", got: join(folder, SIGNING_FILE) });
  });

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

/** Whether what people's secrets are sealed under was replaced too, which needs that no server runs. */
export interface KeySecretRotated {
  readonly isResealed: boolean;
  /** The file that held the secret and holds the next one; null where it was in none. */
  readonly file: string | null;
  /** Whether an earlier try had rewrapped it already: the file has the secret of that one. */
  readonly isFinished: boolean;
}

/**
 * Wraps what lies encrypted in the ledger database under another secret, or for the first time: the signing key, where it is PostgreSQL, and the key
 * of people's secrets. Where no server runs, the latter is a new one, under which they are sealed again. Servers that run go on, and need the new
 * secret at their next start; the file that holds it, where one does, has it then, and a killed rotation is finished by the next. ALREADY_RUNNING
 * while a server has the folder of a SQLite file.
 */
export async function rotateKeySecret(options: Options, next: string): Promise<KeySecretRotated> {
  const { folder, database, keySecret = null } = options;
  if (next.length < MIN_SECRET || next === keySecret) {
    const want = `another one than before, of ${MIN_SECRET} characters or more`;
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "DOSIMETER_NEW_KEY_SECRET", want },
      `DOSIMETER_NEW_KEY_SECRET must be ${want}`,
    );
  }
  if (database !== undefined) return rotateIn(options, next);
  const lock = await takeLock(folder);
  try {
    return await rotateIn(options, next);
  } finally {
    await lock.release();
  }
}

/** The next secret is kept in a file before the ledger is under it. */
async function rotateIn(options: Options, next: string): Promise<KeySecretRotated> {
  const { secretFiles: { DOSIMETER_KEY_SECRET: file } = {} } = options;
  if (file === undefined) return { isResealed: await rewrap(options, next), file: null, isFinished: false };
  let isResealed = options.database === undefined;
  const { isFinished } = await replaceSecretFile(file, {
    make: () => next,
    works: (secret) => opens(options, secret),
    async introduce() {
      isResealed = await rewrap(options, next);
    },
  });
  return { isResealed, file, isFinished };
}

/** INVALID_PARAMETER where the ledger database is under another secret. */
async function opens(options: Options, secret: string): Promise<void> {
  const { database, keySecret = null } = options;
  if (database !== undefined) return withStored(database, async ({ stored }) => void shownPem(stored, secret));
  await withLedger(options, async ({ shared }) => {
    const known = await shared.known(SEALING);
    if (known !== null) unwrapped(known.secret, secret);
    else if (secret !== keySecret) invalid("DOSIMETER_KEY_SECRET", undefined, "the one that servers have");
  });
}

/** Whether people's secrets are sealed under a new key. */
async function rewrap(options: Options, next: string): Promise<boolean> {
  const { folder, database, keySecret = null } = options;
  if (database !== undefined) return rewrapStored(database, keySecret, next);
  const subject = fingerprint(signerOf(await pemIn(folder)));
  return withLedger(options, async ({ shared }) => {
    const was = (await shared.known(SEALING))?.secret ?? null;
    const { stored, reseal } = resealing(was, { keySecret, next, isUsed: false });
    await shared.rotate({ action: "keySecret.rotate", subject, detail: { resealed: true }, stored, ...reseal });
    return true;
  });
}

const rewrapStored = (database: string, keySecret: string | null, next: string): Promise<boolean> =>
  withStored(database, async ({ stored: signing, rotate, isUsed, sealing }) => {
    const pem = shownPem(signing, keySecret);
    const { stored, reseal } = resealing(sealing, { keySecret, next, isUsed });
    const subject = fingerprint(signerOf(pem));
    const detail = { resealed: !isUsed };
    await rotate({ action: "keySecret.rotate", subject, detail, ...reseal }, encrypted(pem, next), stored);
    return !isUsed;
  });

/** What becomes of the key of people's secrets, and of them. */
function resealing(
  was: string | null,
  { keySecret, next, isUsed }: { readonly keySecret: string | null; readonly next: string; readonly isUsed: boolean },
): { readonly stored: NonNullable<Rotation["stored"]>; readonly reseal: Pick<Rotation, "reseal"> } {
  const old = was === null ? null : unwrapped(was, keySecret);
  if (isUsed)
    return {
      stored: was === null || old === null ? [] : [{ name: SEALING, was, now: wrapped(old, next) }],
      reseal: {},
    };
  const key = newSealingKey();
  const [before, after] = [sealerOf(old), sealerOf(key)];
  const reseal: NonNullable<Rotation["reseal"]> = (kind, principal, secret) => {
    const about = sealedFor[kind](principal);
    return after.seal(before.open(secret, about), about);
  };
  return { stored: [{ name: SEALING, was, now: wrapped(key, next) }], reseal: { reseal } };
}

type Rotation = Parameters<Awaited<ReturnType<typeof openLedgerDatabase>>["shared"]["rotate"]>[0];

interface Stored {
  /** The signing key as it lies in the database. */
  readonly stored: string;
  /** The key of people's secrets, wrapped; null before there is one. */
  readonly sealing: string | null;
  /** Whether a server has this database open. */
  readonly isUsed: boolean;
  readonly rotate: (
    rotation: Omit<Rotation, "stored">,
    now: string,
    others?: NonNullable<Rotation["stored"]>,
  ) => Promise<void>;
}

async function withStored<T>(url: string, use: (stored: Stored) => Promise<T>): Promise<T> {
  const { postgresStore } = await import("@dosimeter/ledger/postgres");
  const store = await postgresStore(checkUrl(url));
  const { shared, close } = await openLedgerDatabase(store);
  try {
    const isUsed = await store.isVouched();
    const known = await shared.known(SIGNING);
    if (known === null)
      throw new PrivacyError(
        "NOT_FOUND",
        {},
        "this database has no signing key yet: a server makes it at its first start",
      );
    const { secret: was } = known;
    return await use({
      stored: was,
      sealing: (await shared.known(SEALING))?.secret ?? null,
      isUsed,
      rotate: (rotation, now, others = []) =>
        shared.rotate({ ...rotation, stored: [{ name: SIGNING, was, now }, ...others] }),
    });
  } finally {
    await close();
  }
}
