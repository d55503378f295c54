import { createHash, createPublicKey, verify } from "node:crypto";
import { fingerprint } from "../instance/signer.ts";

/** The request's header: hexadecimal digits that no answer before had to sign, so that an old answer cannot be sent again. */
export const NONCE_HEADER = "dosimeter-nonce";
/** The answer's header: the public key and the signature, in base64, apart by a space. */
export const SIGNATURE_HEADER = "dosimeter-signature";

export const NONCE = /^[0-9a-f]{32}$/;

/** What a witness signs when it is asked for the checkpoint that it keeps. */
export function signedBytes(nonce: string, text: string): Buffer {
  const digest = createHash("sha256").update(text).digest("hex");
  return Buffer.from(`dosimeter witness\n${nonce}\n${digest}\n`);
}

/** Whether this header signs the text and the nonce with the key of this fingerprint. */
export function isSigned(
  header: string | null,
  { nonce, text, by }: { readonly nonce: string; readonly text: string; readonly by: string },
): boolean {
  const [publicKey = "", signature = ""] = header?.split(" ") ?? [];
  if (fingerprint({ publicKey }) !== by) return false;
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  return verify(null, signedBytes(nonce, text), key, Buffer.from(signature, "base64"));
}
