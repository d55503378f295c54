import { createHash, randomUUID } from "node:crypto";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { oneAfterAnother } from "@dosimeter/core/internal";
import type { Digest, LedgerDatabase, LedgerId, PrincipalId, Signer } from "@dosimeter/ledger";
import { perPerson } from "../access/per-person.ts";
import { writtenBytes } from "../sources/room.ts";
import { webStream } from "../threads/web-stream.ts";

/** Writes ledgers to files that are then read: no reader, however slow, holds the state of the database that an export needs. */
export interface Exporter {
  /** The bytes of one ledger; the file goes with its reader. RATE_LIMITED above `MAX_OPEN` at once for one person. */
  export(asked: {
    readonly ledger: LedgerId;
    readonly reader: PrincipalId;
    readonly signal: AbortSignal;
  }): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

const MAX_OPEN = 3;
/** Characters that are written at once, so that other requests are served in between. */
const PART = 65_536;

export function openExporter(folder: string, database: LedgerDatabase, signer: Signer): Exporter {
  const begin = perPerson(MAX_OPEN, "exports");
  const turn = oneAfterAnother();

  async function write({ ledger, signal }: { readonly ledger: LedgerId; readonly signal: AbortSignal }) {
    signal.throwIfAborted();
    const path = join(folder, `export-${randomUUID()}.jsonl`);
    const file = await open(path, "wx+", 0o600);
    try {
      await rm(path); // what is open stays readable, and nothing is left behind
      const written = writtenBytes({ folder });
      let part = "";
      const keep = async () => {
        const bytes = Buffer.from(part);
        part = "";
        written.take(bytes.byteLength);
        await file.appendFile(bytes);
      };
      await database.audit.export({
        ledger,
        signer,
        digest: sha256(),
        write: async (text) => {
          part += text;
          if (part.length < PART) return;
          signal.throwIfAborted();
          await keep();
        },
      });
      await keep();
      return file.createReadStream({ start: 0 });
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  return {
    async export({ ledger, reader, signal }) {
      const end = begin(reader);
      try {
        const stream = await turn(() => write({ ledger, signal }));
        stream.once("close", end);
        return webStream(stream);
      } catch (error) {
        end();
        throw error;
      }
    },
  };
}

function sha256(): Digest {
  const hash = createHash("sha256");
  return { update: (text) => void hash.update(text), digest: () => hash.digest() };
}
