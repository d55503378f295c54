import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from "node:crypto";
import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase } from "@dosimeter/ledger";

/** Keeps secrets that this server must be able to read, such as those of authenticator apps, encrypted where they lie in the ledger database. */
export interface Sealer {
  /** `about` says whose secret it is and what for: it opens under no other words. */
  seal(secret: string, about: string): string;
  /** What was stored before there was a key is returned as it is. NOT_READY where the key is another one, or missing. */
  open(stored: string, about: string): string;
}

/** The name of the key in a ledger database, wrapped by `DOSIMETER_KEY_SECRET`. */
export const SEALING = "sealing";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SALT_BYTES = 16;
const SEALED = "sealed.1.";
const WRAPPED = "wrapped.1.";

/** Without a key nothing is sealed, and what is sealed cannot be opened. */
export const sealerOf = (key: Buffer | null): Sealer => ({
  seal: (secret, about) => (key === null ? secret : sealed(key, secret, about)),
  open(stored, about) {
    if (!stored.startsWith(SEALED)) return stored;
    const secret = key === null ? null : opened(key, stored, about);
    if (secret !== null) return secret;
    throw new PrivacyError(
      "NOT_READY",
      {},
      "a secret in the ledger database is sealed under another DOSIMETER_KEY_SECRET: the operator starts this server with the newest one",
    );
  },
});

/**
 * The sealer of all servers of one ledger database: the first one with a secret makes the key. INVALID_PARAMETER for another secret than the one
 * that wraps the key, and for none where something is sealed.
 */
export async function openSealer({ shared }: Pick<LedgerDatabase, "shared">, secret: string | null): Promise<Sealer> {
  const known = await shared.known(SEALING);
  if (secret === null && (known === null || !(await shared.hasSecret(SEALED)))) return sealerOf(null);
  const make = () => wrapped(newSealingKey(), secret ?? "");
  return sealerOf(unwrapped(known?.secret ?? (await shared.secret({ name: SEALING, make })), secret));
}

export const newSealingKey = (): Buffer => randomBytes(KEY_BYTES);

/** The key as it is stored, and no one without the secret can read it. */
export function wrapped(key: Buffer, secret: string): string {
  const salt = randomBytes(SALT_BYTES);
  return `${WRAPPED}${salt.toString("base64url")}.${sealed(underSecret(secret, salt), key.toString("base64url"), SEALING)}`;
}

/** INVALID_PARAMETER for another secret, or none. */
export function unwrapped(stored: string, secret: string | null): Buffer {
  const [salt = "", ...rest] = stored.slice(WRAPPED.length).split(".");
  const isMeant = stored.startsWith(WRAPPED) && secret !== null;
  const key = isMeant ? opened(underSecret(secret, Buffer.from(salt, "base64url")), rest.join("."), SEALING) : null;
  if (key !== null) return Buffer.from(key, "base64url");
  const want = "what the secrets of authenticator apps and webhooks were sealed under";
  throw new PrivacyError(
    "INVALID_PARAMETER",
    { name: "DOSIMETER_KEY_SECRET", want },
    `DOSIMETER_KEY_SECRET must be ${want}`,
  );
}

/** Slow, since people choose secrets that can be guessed. */
const underSecret = (secret: string, salt: Buffer): Buffer => scryptSync(secret, salt, KEY_BYTES);

/** AES-256-GCM: what was changed, or belongs elsewhere, does not open. */
function sealed(key: Buffer, text: string, about: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(about));
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return `${SEALED}${Buffer.concat([iv, cipher.getAuthTag(), body]).toString("base64url")}`;
}

function opened(key: Buffer, stored: string, about: string): string | null {
  const bytes = Buffer.from(stored.slice(SEALED.length), "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(about))
      .setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const body = bytes.subarray(IV_BYTES + TAG_BYTES);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
}

/** What the secret of a person's app, or of their webhook, is sealed for. */
export const sealedFor = {
  secondFactor: (principal: string): string => `second factor of ${principal}`,
  webhook: (principal: string): string => `webhook of ${principal}`,
} as const;
