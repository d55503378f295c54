import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Books, Digest, Signer } from "@dosimeter/ledger";

/**
 * Signs exports with an Ed25519 key made at the first start: in `signing.key` of the data folder, readable by its owner only;
 * where several processes share the books, one of them all, which starts as the first one's.
 */
export async function houseSigner(folder: string, shared: Books["shared"] | null): Promise<Signer> {
  const path = join(folder, "signing.key");
  const own = (await readFile(path, "utf8").catch(() => null)) ?? (await newKey(path));
  const pem = shared === null ? own : await shared.key({ name: "signing", make: () => own });
  const key = createPrivateKey(pem);
  const publicKey = createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64");
  return { algorithm: "Ed25519", publicKey, sign: (digest) => sign(null, digest, key).toString("base64") };
}

async function newKey(path: string): Promise<string> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  await writeFile(`${path}.new`, pem, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return pem;
}

/** By what people tell one key from another: the SHA-256 of its SPKI, in hexadecimal. */
export const fingerprint = ({ publicKey }: Pick<Signer, "publicKey">): string =>
  createHash("sha256").update(Buffer.from(publicKey, "base64")).digest("hex");

export function sha256(): Digest {
  const hash = createHash("sha256");
  return { update: (text) => void hash.update(text), digest: () => hash.digest() };
}
