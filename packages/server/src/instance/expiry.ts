import type { LedgerDatabase } from "@dosimeter/ledger";
import { errorFields, type Log } from "./log.ts";

/** How often accounts and requests past their date are ended; a charge on one is refused at once, by the store's clock. */
const EVERY_MS = 30_000;

/** Ends what is past its date, now and regularly; `wake` is called when something ended. Returns what stops it. */
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
