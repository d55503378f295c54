import { randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import type { Scope } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import { type LedgerDatabase, type Principal, systemPrincipal } from "@dosimeter/ledger";
import { errorFields, type Log } from "../telemetry/log.ts";
import { hoursFromNow, scopesOf } from "./credentials.ts";

const NAME = "operator";
/** A token that lies in a file is short-lived: a copy of the file is of no use the day after. */
const HOURS = 24;
const LOOK_EVERY_MS = 5_000;

export interface OperatorToken {
  readonly secret: string;
  /** Writes no new one any more. */
  readonly close: () => Promise<void>;
}

interface Given {
  /** One for all processes that share a database. */
  readonly path: string;
  readonly scopes: readonly Scope[];
  readonly database: LedgerDatabase;
  readonly log: Log;
}

/**
 * The token of the installation's operator, for the command line: in a file that only its owner can read. One that is missing, ended, of other
 * scopes or in the second half of its life is replaced, now and for as long as this process runs.
 */
export async function openOperatorToken(given: Given): Promise<OperatorToken> {
  let last = await renew(given);
  const look = async () => {
    if (last.until > hoursFromNow(HOURS / 2) && (await read(given.path)) === last.secret) return;
    last = await renew(given);
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => given.log.error("OPERATOR_TOKEN_NOT_RENEWED", errorFields(error)));
  }, LOOK_EVERY_MS);
  timer.unref();
  return { secret: last.secret, close: async () => clearInterval(timer) };
}

const read = async (path: string): Promise<string> => (await readFile(path, "utf8").catch(() => "")).trim();

interface Live {
  readonly secret: string;
  readonly until: string;
}

async function renew({ path, scopes, database }: Given): Promise<Live> {
  const known = await read(path);
  const until = await freshUntil(known, scopes, database);
  if (until !== null) return { secret: known, until };
  const { id } = await operator(database);
  const { secret, credential } = await database.people.createCredential({
    kind: "token",
    principal: id,
    name: OPERATOR_TOKEN,
    scopes,
    expiresAt: hoursFromNow(HOURS),
    by: systemPrincipal,
  });
  // A file of its own: one that is there already may be another's, or a link to one.
  const next = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(next, `${secret}\n`, { mode: 0o600, flag: "wx" });
  await rename(next, path);
  return { secret, until: credential.expiresAt };
}

/** What the operator's token is called in the lists of tokens. */
const OPERATOR_TOKEN = "local command line";

/** When a token ends that need not be replaced yet. */
async function freshUntil(
  secret: string,
  scopes: readonly Scope[],
  { people }: LedgerDatabase,
): Promise<string | null> {
  if (secret === "") return null;
  try {
    const { credential } = await people.authenticate("token", secret);
    const { expiresAt } = credential;
    const isInTime = hoursFromNow(HOURS / 2) < expiresAt && expiresAt <= hoursFromNow(HOURS);
    const isSame = scopesOf(credential).join() === scopes.join();
    // A token that may do more than the settings say must not outlive them.
    if (!isSame) await people.endCredential({ credential: credential.id, by: systemPrincipal });
    return isInTime && isSame ? expiresAt : null;
  } catch (error) {
    if (error instanceof PrivacyError) return null;
    throw error;
  }
}

/** The service that stands for the machine's owner; it may make people and roles, and hold accounts like anyone. */
async function operator({ people }: LedgerDatabase): Promise<Principal> {
  for (const principal of await people.principals()) {
    if (principal.kind !== "service" || principal.name !== NAME || principal.removedAt !== null) continue;
    if ((await people.rolesOf(principal.id)).platformAdmin) return principal;
  }
  const made = await people.createPrincipal({ by: systemPrincipal, kind: "service", name: NAME });
  await people.grantRole({ by: systemPrincipal, principal: made.id, role: "platformAdmin" });
  return made;
}
