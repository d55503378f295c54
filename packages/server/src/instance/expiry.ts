import type { LedgerDatabase } from "@dosimeter/ledger";
import { errorFields, type Log } from "../telemetry/log.ts";

/** How often expired accounts and requests are ended. A charge on an expired account is refused at once anyway. */
const EVERY_MS = 30_000;

/** Ends expired accounts and requests, now and regularly; calls `wake` when there were any. Returns a function that stops it. */
export async function expireRegularly(
  database: LedgerDatabase,
  log: Log,
  wake: () => void,
): Promise<() => Promise<void>> {
  const sweep = async () => {
    if (await expire(database, log)) wake();
  };
  await sweep();
  const timer = setInterval(() => void sweep(), EVERY_MS);
  timer.unref();
  return async () => clearInterval(timer);
}

async function expire({ ledgers, requests }: LedgerDatabase, log: Log): Promise<boolean> {
  try {
    const accounts = await ledgers.expireDue();
    return accounts.length + (await requests.expireDue()).length > 0;
  } catch (error) {
    log.error("what is past its date was not ended", errorFields(error));
    return false;
  }
}
