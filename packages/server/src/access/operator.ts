import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PrivacyError } from "@dosimeter/core";
import { type LedgerDatabase, type Principal, systemPrincipal } from "@dosimeter/ledger";
import { hoursFromNow } from "./credentials.ts";

const NAME = "operator";
const HOURS = 24 * 366;

/**
 * The token of the machine's operator, for the local command line: in `operator.token`, readable by its owner only.
 * A missing, expired or unknown one is replaced.
 */
export async function operatorToken(folder: string, database: LedgerDatabase): Promise<string> {
  const path = join(folder, "operator.token");
  const known = await readFile(path, "utf8").catch(() => "");
  if (await isLive(known.trim(), database)) return known.trim();
  const { id } = await operator(database);
  const { secret } = await database.people.createCredential({
    kind: "token",
    principal: id,
    name: "local command line",
    expiresAt: hoursFromNow(HOURS),
    by: systemPrincipal,
  });
  await writeFile(`${path}.new`, `${secret}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
  return secret;
}

async function isLive(secret: string, { people }: LedgerDatabase): Promise<boolean> {
  if (secret === "") return false;
  try {
    await people.authenticate("token", secret);
    return true;
  } catch (error) {
    if (error instanceof PrivacyError) return false;
    throw error;
  }
}

/** The service that stands for the machine's owner; it may make people and roles, and hold accounts like anyone. */
async function operator({ people }: LedgerDatabase): Promise<Principal> {
  for (const principal of await people.principals()) {
    if (principal.kind !== "service" || principal.name !== NAME || principal.disabledAt !== null) continue;
    if ((await people.rolesOf(principal.id)).platformAdmin) return principal;
  }
  const made = await people.createPrincipal({ by: systemPrincipal, kind: "service", name: NAME });
  await people.grantRole({ by: systemPrincipal, principal: made.id, role: "platformAdmin" });
  return made;
}
