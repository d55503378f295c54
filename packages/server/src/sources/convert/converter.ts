import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import type { Output } from "@dosimeter/client";
import { PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import type { ConvertedFormat, PackedFormat } from "@dosimeter/query/source";
import { peopleInTurn } from "../../access/people-in-turn.ts";
import { startChild } from "../../children/start-child.ts";
import { noLongerWanted } from "../../threads/thread.ts";
import { type Convertible, tooMuchMemory, tooMuchWork, unread, WANTED } from "./unread.ts";

export interface Conversion {
  readonly format: Convertible;
  readonly from: string;
  /** Must not be there yet; gone again when the file is refused. */
  readonly to: string;
  /** The most bytes that the table may have as CSV. */
  readonly largest: number;
  /** The most bytes that the file may hold when it is unpacked. */
  readonly unpacked: number;
  /** What must stay free on the disk, as `openFiles` takes it. */
  readonly reserve?: number | undefined;
  /** Of a workbook; its first visible one when absent. */
  readonly sheet?: string | undefined;
  /** Of texts that do not say how they are written. */
  readonly encoding?: string | undefined;
}

export interface Converted {
  readonly format: ConvertedFormat;
  /** Of a workbook: the sheet that was read, and all that it has. */
  readonly sheet?: string;
  readonly sheets?: readonly string[];
  /** Of a statistical file: what it says of its columns. */
  readonly says?: Output<"readCodeBook">;
}

/** What was in a packed file is not a table yet. */
export interface Unpacked {
  readonly packed: PackedFormat;
}

export type Outcome =
  | { readonly converted: Converted | Unpacked }
  | { readonly refusal: Pick<PrivacyError, "code" | "details" | "message"> };

interface Wanted {
  readonly person: PrincipalId;
  /** How many bytes the person sent: what the conversion may take is in proportion. */
  readonly sent: number;
  readonly signal?: AbortSignal | undefined;
}

/** Makes a CSV file of a workbook or another file that is none, and unpacks one that is packed. */
export interface Converter {
  /** DATA_UNREADABLE, and PAYLOAD_TOO_LARGE where it needs more bytes, memory or work than it may have. */
  convert(conversion: Omit<Conversion, "unpacked">, wanted: Wanted): Promise<Converted | Unpacked>;
  /** Ends those that run. */
  close(): Promise<void>;
}

const MAX_UNPACKED_BYTES = 2 ** 30;
const MEMORY = 400e6;
const HEAP = 250e6;
/** Of processor time: what every file gets, for each megabyte that was sent, and at most. */
const SECONDS = { least: 10, megabyte: 5, most: 300 } as const;
/** A machine with much to do gives it this part of a processor. */
const SHARE = 4;

const secondsFor = (sent: number): number => Math.min(SECONDS.most, SECONDS.least + (SECONDS.megabyte * sent) / 1e6);

/**
 * Converts each file in a process of its own, which ends with it, and which is killed when it takes more than it may. People take turns, and files
 * that may take long have a place of their own: a small one waits for small ones, and of each person for one.
 */
export function openConverter({
  seconds = secondsFor,
  unpacked = MAX_UNPACKED_BYTES,
  memory = MEMORY,
}: {
  readonly seconds?: (sent: number) => number;
  readonly unpacked?: number;
  readonly memory?: number;
} = {}): Converter {
  const small = peopleInTurn(1, "files");
  const large = peopleInTurn(1, "files");
  const running = new Set<ChildProcess>();

  function run(conversion: Conversion, { sent, signal }: Wanted): Promise<Outcome> {
    const most = seconds(sent);
    const outcome = Promise.withResolvers<Outcome>();
    const child = startChild(WORKER, { memory, heap: Math.min(HEAP, memory), seconds: most });
    running.add(child);
    let isLate = false;
    let said: Outcome | null = null;
    const leave = () => child.kill("SIGKILL");
    const late = () => {
      isLate = true;
      child.kill("SIGKILL");
    };
    const timer = setTimeout(late, most * SHARE * 1000);
    signal?.addEventListener("abort", leave);
    child.once("message", (one: Outcome) => {
      said = one;
      child.kill("SIGKILL");
    });
    // Not before it is gone: until then it may write.
    const end = (code: number | null, by: NodeJS.Signals | null) => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
      running.delete(child);
      if (said !== null) outcome.resolve(said);
      else if (signal?.aborted) outcome.reject(noLongerWanted());
      else if (isLate || by === "SIGKILL" || by === "SIGXCPU") outcome.reject(tooMuchWork());
      else outcome.reject(by === null && code === 1 ? unread(WANTED[conversion.format]) : tooMuchMemory());
    };
    child.once("exit", end);
    child.once("error", () => {
      if (child.pid !== undefined) return; // a message that it no longer took: "exit" follows
      running.delete(child);
      clearTimeout(timer);
      outcome.reject(new PrivacyError("NOT_READY", {}, "the file cannot be converted just now; try again soon"));
    });
    child.send(conversion, () => undefined); // "exit" follows
    return outcome.promise;
  }

  return {
    async convert(conversion, wanted) {
      const turns = seconds(wanted.sent) > 2 * SECONDS.least ? large : small;
      const leave = await turns.enter(wanted.person);
      try {
        if (wanted.signal?.aborted) throw noLongerWanted();
        const outcome = await run({ ...conversion, unpacked }, wanted);
        if ("converted" in outcome) return outcome.converted;
        const { code, details, message } = outcome.refusal;
        throw new PrivacyError(code, details, message);
      } catch (error) {
        await rm(conversion.to, { force: true });
        throw error;
      } finally {
        leave();
      }
    },
    async close() {
      for (const child of running) child.kill("SIGKILL");
    },
  };
}

/** The source in a checkout, what was built of it in a package. */
const WORKER = new URL(`./convert.worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);
