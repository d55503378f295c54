import { type LedgerDatabase, systemPrincipal } from "@dosimeter/ledger";
import { errorFields, type Log } from "../telemetry/log.ts";
import { regularly } from "../telemetry/regularly.ts";
import type { InstanceOptions } from "./options.ts";

/** How often expired accounts and requests are ended. A charge on an expired account is refused at once anyway. */
const EVERY_MS = 30_000;

interface Regularly {
  readonly database: LedgerDatabase;
  readonly log: Log;
  /** Called when anything was ended. */
  readonly wake: () => void;
  /** Erases people this number of days after their removal. */
  readonly eraseAfterDays?: number | undefined;
  readonly keepDays?: InstanceOptions["keepDays"];
}

/** Ends expired accounts and requests and erases who is due, now and regularly. Returns a function that stops it. */
export async function expireRegularly({
  database,
  log,
  wake,
  eraseAfterDays,
  keepDays = {},
}: Regularly): Promise<() => Promise<void>> {
  const sweep = async () => {
    if (await expire(database, log)) wake();
    if (eraseAfterDays !== undefined) await erase(database, log, eraseAfterDays);
    await forget(database, log, keepDays);
  };
  await sweep();
  const stop = regularly(EVERY_MS, sweep);
  return async () => stop();
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

/** Erases what is kept for a time, never a line of the audit or of a ledger. */
async function forget(
  { outbox, people }: LedgerDatabase,
  log: Log,
  { notifications, access }: NonNullable<InstanceOptions["keepDays"]>,
): Promise<void> {
  try {
    if (notifications !== undefined) await outbox.forgetMessages({ until: daysAgo(notifications) });
    if (access !== undefined) await people.forgetAccess({ until: daysAgo(access), by: systemPrincipal });
  } catch (error) {
    log.error("NOT_ERASED", errorFields(error));
  }
}

/** One who cannot be erased keeps no one else. */
async function erase({ people }: LedgerDatabase, log: Log, days: number): Promise<void> {
  const until = daysAgo(days);
  const failed = (error: unknown) => log.error("NOT_ERASED", errorFields(error));
  const due = await people.erasable({ until }).catch((error: unknown) => {
    failed(error);
    return [];
  });
  for (const principal of due) await people.erasePrincipal({ principal, by: systemPrincipal }).catch(failed);
}

async function expire({ ledgers, requests }: LedgerDatabase, log: Log): Promise<boolean> {
  try {
    const accounts = await ledgers.expireDue();
    return accounts.length + (await requests.expireDue()).length > 0;
  } catch (error) {
    log.error("NOT_EXPIRED", errorFields(error));
    return false;
  }
}
