import { randomBytes } from "node:crypto";
import type { LedgerDatabase } from "@dosimeter/ledger";

/** A key of 32 bytes that every server process of these books has, and has again after a restart. */
export async function sharedKey({ shared }: Pick<LedgerDatabase, "shared">, name: string): Promise<Buffer> {
  return Buffer.from(await shared.secret({ name, make: () => randomBytes(32).toString("base64") }), "base64");
}
