import { invalid } from "@dosimeter/core";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";

/** A new key: its text for a file that only its owner reads, and the recipient that archives are encrypted for. */
export async function newBackupKey(): Promise<{ readonly text: string; readonly recipient: string }> {
  const identity = await generateX25519Identity();
  const recipient = await identityToRecipient(identity);
  return { recipient, text: `# public key: ${recipient}\n${identity}\n` };
}

export function encrypterFor(recipients: readonly string[]): Encrypter {
  if (recipients.length === 0) invalid("recipient", undefined, "age1…, at least one");
  const encrypter = new Encrypter();
  for (const recipient of recipients)
    try {
      encrypter.addRecipient(recipient);
    } catch {
      invalid("recipient", recipient, "age1…, as dosimeter backup --new-key or age-keygen prints it");
    }
  return encrypter;
}

export function decrypterWith(key: string): Decrypter {
  const identities = key.split("\n").map((line) => line.trim());
  const decrypter = new Decrypter();
  let found = 0;
  for (const identity of identities.filter((line) => line !== "" && !line.startsWith("#")))
    try {
      decrypter.addIdentity(identity);
      found += 1;
    } catch {
      found = Number.NEGATIVE_INFINITY;
    }
  // What is in the file is a secret, so it is not repeated.
  if (!(found > 0)) invalid("key", undefined, "a file with a line AGE-SECRET-KEY-1…");
  return decrypter;
}

/** INVALID_PARAMETER for a recipient that no archive can be encrypted for. */
export const checkRecipients = (recipients: readonly string[]): void => void encrypterFor(recipients);
