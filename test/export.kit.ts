import { createHash, generateKeyPairSync, sign } from "node:crypto";
import type { Fixture } from "../packages/ledger/src/testing/fixture.kit.ts";

const pair = generateKeyPairSync("ed25519");
const signer = {
  algorithm: "Ed25519",
  publicKey: pair.publicKey.export({ type: "spki", format: "der" }).toString("base64"),
  sign: (digest: Uint8Array) => sign(null, digest, pair.privateKey).toString("base64"),
};

/** The export of a fixture's ledger. */
export async function exported(
  { database, ledger }: Pick<Fixture, "database" | "ledger">,
  signed = true,
): Promise<string> {
  const hash = createHash("sha256");
  let text = "";
  await database.audit.export({
    ledger: ledger.id,
    signer: signed ? signer : null,
    digest: { update: (part) => void hash.update(part), digest: () => hash.digest() },
    write: async (part) => {
      text += part;
    },
  });
  return text;
}
