import { createHash, createPublicKey, verify } from "node:crypto";
import { fingerprint } from "./signer.ts";

/** The request's header: hexadecimal digits that no answer before had to sign, so that an old answer cannot be sent again. */
export const NONCE_HEADER = "dosimeter-nonce";
/** The answer's header: the public key and the signature, in base64, apart by a space. */
export const SIGNATURE_HEADER = "dosimeter-signature";

export const NONCE = /^[0-9a-f]{32}$/;

/** What one server is answered: the checkpoint that is kept under its name, null where none is. */
export interface Answered {
  readonly nonce: string;
  readonly name: string;
  readonly text: string | null;
}

/** What a witness signs when it is asked for the checkpoint that it keeps, or is given one. */
export function signedBytes({ nonce, name, text }: Answered): Buffer {
  const kept = text === null ? "nothing" : createHash("sha256").update(text).digest("hex");
  return Buffer.from(`dosimeter witness\n${name}\n${nonce}\n${kept}\n`);
}

export function isSigned(header: string | null, answered: Answered, by: string): boolean {
  const [publicKey = "", signature = ""] = header?.split(" ") ?? [];
  if (fingerprint({ publicKey }) !== by) return false;
  const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), format: "der", type: "spki" });
  return verify(null, signedBytes(answered), key, Buffer.from(signature, "base64"));
}
