import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AuditLine, LedgerDatabase } from "@dosimeter/ledger";
import { errorFields, type Log } from "../telemetry/log.ts";
import { regularly } from "../telemetry/regularly.ts";
import type { AuditPlace } from "./audit-places.ts";

/** Sends every audit line to a place outside, in order, each at least once. */
export interface AuditStream {
  /** How many lines are not there yet. */
  waiting(): Promise<number>;
  /** Sends what is there a last time, unless the place does not take it. */
  close(): Promise<void>;
}

interface Streaming {
  readonly folder: string;
  readonly database: Pick<LedgerDatabase, "audit">;
  readonly place: AuditPlace;
  readonly log: Log;
}

/** The last line that the place took. */
interface Cursor {
  readonly sequence: number;
  readonly hash: string;
}

const EVERY_MS = 1000;
/** After a failure the pause doubles up to this. */
const MAX_PAUSE_MS = 60_000;
const LINES = 500;
const START: Cursor = { sequence: 0, hash: "" };

export async function openAuditStream({ folder, database: { audit }, place, log }: Streaming): Promise<AuditStream> {
  const path = join(folder, "audit-stream.json");
  let cursor = await cursorIn(path);
  let failures = 0;
  let resumesAt = 0;
  let sending: Promise<void> = Promise.resolve();

  /** After a restore the line at the cursor is another one: then all lines are sent again, for the receiver to compare. */
  async function isThere({ sequence, hash }: Cursor): Promise<boolean> {
    if (sequence === 0) return true;
    const [line] = await audit.linesAfter({ sequence: sequence - 1, limit: 1 });
    return line?.sequence === sequence && line.hash === hash;
  }

  async function sendAll(): Promise<void> {
    if (!(await isThere(cursor))) cursor = START;
    for (;;) {
      const lines = await audit.linesAfter({ sequence: cursor.sequence, limit: LINES });
      const last = lines.at(-1);
      if (last === undefined) return;
      await place(lines.map(textOf).join(""));
      cursor = { sequence: last.sequence, hash: last.hash };
      await writeFile(`${path}.new`, JSON.stringify(cursor), { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
    }
  }

  async function send(): Promise<void> {
    if (performance.now() < resumesAt) return;
    try {
      await sendAll();
      if (failures > 0) log.error("AUDIT_STREAMED_AGAIN");
      failures = 0;
    } catch (error) {
      if (failures === 0) log.error("AUDIT_NOT_STREAMED", errorFields(error));
      failures += 1;
      resumesAt = performance.now() + Math.min(MAX_PAUSE_MS, EVERY_MS * 2 ** failures);
    }
  }

  const next = () => {
    sending = sending.then(send);
    return sending;
  };
  const stop = regularly(EVERY_MS, next);
  return {
    async waiting() {
      const [newest] = (await audit.lines({ limit: 1 })).items;
      return Math.max(0, (newest?.sequence ?? 0) - cursor.sequence);
    },
    async close() {
      stop();
      await next();
    },
  };
}

/** In the names of the HTTP interface, so that both can be compared. */
const textOf = (line: AuditLine): string => `${JSON.stringify(line)}\n`;

async function cursorIn(path: string): Promise<Cursor> {
  try {
    const { sequence, hash } = JSON.parse(await readFile(path, "utf8")) as Partial<Cursor>;
    return typeof sequence === "number" && typeof hash === "string" ? { sequence, hash } : START;
  } catch {
    return START;
  }
}
