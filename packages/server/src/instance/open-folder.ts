import { type LedgerDatabase, openLedgerDatabase } from "@dosimeter/ledger";
import { createLog } from "../telemetry/log.ts";
import { openCheckpoint } from "./checkpoint.ts";
import { hasLog, openStore } from "./database.ts";
import type { InstanceOptions } from "./options.ts";
import { openWitness, placeAt } from "./witness.ts";

/**
 * Opens the ledger database of a folder whose lock the caller holds, as a server does at its start: compared with its checkpoint, which freezes
 * what may have forgotten charges, and which is written again at the end.
 */
export async function withLedger<T>(
  { folder, database: url, witness: address }: Pick<InstanceOptions, "folder" | "database" | "witness">,
  use: (database: LedgerDatabase) => Promise<T>,
  { isShipped = false }: { readonly isShipped?: boolean } = {},
): Promise<T> {
  const log = createLog("silent");
  const hadLog = await hasLog(folder);
  const store = await openStore(folder, url);
  const database = await openLedgerDatabase(store);
  try {
    const place = address === undefined ? null : placeAt(address);
    const witness = place === null ? null : openWitness(place, log);
    const checkpoint = await openCheckpoint({ folder, database, store, hadLog, witness, log, isShipped });
    try {
      return await use(database);
    } finally {
      await checkpoint.close();
    }
  } finally {
    await database.close();
  }
}
