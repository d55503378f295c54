import { randomBytes } from "node:crypto";
import type { LedgerDatabase } from "@dosimeter/ledger";

/** 32 random bytes that all server processes of one ledger database share and keep over a restart. */
export async function sharedSecret({ shared }: Pick<LedgerDatabase, "shared">, name: string): Promise<Buffer> {
  return Buffer.from(await shared.secret({ name, make: () => randomBytes(32).toString("base64") }), "base64");
}
