import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import type { LedgerDatabase, Signer } from "@dosimeter/ledger";

/** The database in which several processes keep their key, and the secret that encrypts it there; null: unencrypted. */
interface SharedSigning {
  readonly shared: LedgerDatabase["shared"];
  readonly secret: string | null;
}

/**
 * Signs exports with an Ed25519 key made at the first start: in `signing.key` of the data folder, readable by its owner only;
 * where several processes share the ledger database, with the first one's key, kept there. INVALID_PARAMETER when the
 * key was encrypted with another secret, or stored unencrypted although there is one.
 */
export async function instanceSigner(folder: string, among: SharedSigning | null): Promise<Signer> {
  const path = join(folder, SIGNING_FILE);
  const own = (await readFile(path, "utf8").catch(() => null)) ?? (await newKey(path));
  return signerOf(among === null ? own : await sharedPem(own, among));
}

export const SIGNING_FILE = "signing.key";
/** The name of the shared key in a ledger database. */
export const SIGNING = "signing";

/** Signs with a private key. */
export function signerOf(pem: string): Signer {
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  return { algorithm: "Ed25519", publicKey, sign: (digest) => sign(null, digest, key).toString("base64") };
}

const sharedPem = async (own: string, { shared, secret }: SharedSigning): Promise<string> =>
  shownPem(
    await shared.secret({ name: SIGNING, make: () => (secret === null ? own : encrypted(own, secret)) }),
    secret,
  );

/** The private key that was stored, encrypted under the secret or as it is where there is none. INVALID_PARAMETER for another secret. */
export function shownPem(stored: string, secret: string | null): string {
  const isPlain = stored.startsWith("-----BEGIN PRIVATE KEY-----");
  if (isPlain && secret === null) return stored;
  try {
    if (isPlain || secret === null) throw new TypeError();
    const key = createPrivateKey({ key: stored, format: "pem", passphrase: secret });
    return key.export({ type: "pkcs8", format: "pem" }) as string;
  } catch {
    const want = isPlain
      ? "absent, since the signing key was stored without it; dosimeter rotate key-secret encrypts it"
      : "what the signing key was encrypted under";
    throw new PrivacyError(
      "INVALID_PARAMETER",
      { name: "DOSIMETER_KEY_SECRET", want },
      `DOSIMETER_KEY_SECRET must be ${want}`,
    );
  }
}

export const encrypted = (pem: string, passphrase: string): string =>
  createPrivateKey(pem).export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase }) as string;

export const newPem = (): string =>
  generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }) as string;

async function newKey(path: string): Promise<string> {
  const pem = newPem();
  await writeFile(`${path}.new`, pem, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return pem;
}

/** The fingerprint of a key: the SHA-256 of its SPKI, in hexadecimal. */
export const fingerprint = ({ publicKey }: Pick<Signer, "publicKey">): string =>
  createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex");
