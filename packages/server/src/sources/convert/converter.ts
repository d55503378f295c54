import { rm } from "node:fs/promises";
import { PrivacyError } from "@dosimeter/core";
import type { ConvertedFormat } from "@dosimeter/query";
import { openThread } from "../../threads/thread.ts";
import { tooMuch } from "./unread.ts";

export interface Conversion {
  readonly format: ConvertedFormat;
  readonly from: string;
  /** Must not be there yet; gone again when the file is refused. */
  readonly to: string;
  /** The most bytes that the table may have as CSV. */
  readonly largest: number;
  /** The most bytes that the file may hold when it is unpacked. */
  readonly unpacked: number;
  /** Of a workbook; its first visible one when absent. */
  readonly sheet?: string | undefined;
}

export interface Converted {
  readonly format: ConvertedFormat;
  /** Of a workbook: the sheet that was read, and all that it has. */
  readonly sheet?: string;
  readonly sheets?: readonly string[];
}

export type Outcome =
  | { readonly converted: Converted }
  | { readonly refusal: Pick<PrivacyError, "code" | "details" | "message"> };

/** Makes a CSV file of a workbook or an Arrow file. */
export interface Converter {
  /** DATA_UNREADABLE, and PAYLOAD_TOO_LARGE where it needs more bytes, memory or time than it may have. */
  convert(conversion: Omit<Conversion, "unpacked">, signal?: AbortSignal): Promise<Converted>;
  close(): Promise<void>;
}

const MAX_MILLISECONDS = 5 * 60_000;
const MAX_MEMORY_MB = 1024;
const MAX_UNPACKED_BYTES = 2 ** 30;

/** Converts one file after another in a thread of its own. */
export function openConverter({ milliseconds = MAX_MILLISECONDS, unpacked = MAX_UNPACKED_BYTES } = {}): Converter {
  const thread = openThread<Conversion, Outcome>("convert.worker", import.meta.url, {
    milliseconds,
    most: 20,
    memoryMb: MAX_MEMORY_MB,
  });
  return {
    async convert(conversion, signal) {
      let outcome: Outcome;
      try {
        outcome = await thread.ask({ ...conversion, unpacked }, signal);
      } catch (error) {
        await rm(conversion.to, { force: true });
        if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
          throw tooMuch("a table whose texts fit in a gigabyte of memory");
        throw error;
      }
      if ("converted" in outcome) return outcome.converted;
      const { code, details, message } = outcome.refusal;
      throw new PrivacyError(code, details, message);
    },
    close: () => thread.close(),
  };
}
