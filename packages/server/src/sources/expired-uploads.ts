import type { LedgerDatabase } from "@dosimeter/ledger";
import { errorFields, type Log } from "../telemetry/log.ts";
import { regularly } from "../telemetry/regularly.ts";
import type { Files } from "./files.ts";

const EVERY_MS = 3_600_000;

interface Swept {
  readonly files: Files;
  readonly database: LedgerDatabase;
  readonly log: Log;
}

/** Deletes the files that no table was declared over in time, now and regularly. Returns what stops it. */
export function expireUploads(swept: Swept): () => Promise<void> {
  let last = sweep(swept);
  const stop = regularly(EVERY_MS, () => {
    last = sweep(swept);
    return last;
  });
  return async () => {
    stop();
    await last;
  };
}

/** One that cannot be deleted keeps no other. */
async function sweep({ files, database, log }: Swept): Promise<void> {
  const failed = (error: unknown) => log.error("UPLOAD_NOT_DELETED", errorFields(error));
  const due = await files.expired().catch((error: unknown) => {
    failed(error);
    return [];
  });
  for (const { id, format } of due) await settle(id, format).catch(failed);

  async function settle(id: string, format: string): Promise<void> {
    const file = `${id}.${format}`;
    // Declared before there were marks: from now on it has one.
    await ((await database.catalog.discardUpload({ file })) ? files.erase(file) : files.declared(id));
  }
}
