import type { Output } from "@dosimeter/client";
import { type ErrorCode, type ErrorDetails, PrivacyError } from "@dosimeter/core";
import type { PrincipalId } from "@dosimeter/ledger";
import { MAX_SCHEMA_BYTES } from "@dosimeter/query/schema";
import { perPerson } from "../access/per-person.ts";
import { openThread } from "../threads/thread.ts";
import { collect } from "../threads/web-stream.ts";

/** What a code book says, or why it is refused, as it leaves its thread. */
export type CodeBookReading =
  | { readonly said: Output<"readCodeBook"> }
  | { readonly code: ErrorCode; readonly details: ErrorDetails; readonly message: string };

interface Sent {
  readonly bytes: ReadableStream<Uint8Array> | null;
  readonly signal: AbortSignal;
}

/** Reads codebooks in a thread of its own, one after another. */
export interface CodeBookReader {
  /** INVALID_PARAMETER with what it says twice or not at all, PAYLOAD_TOO_LARGE above 20 MB or 20 s. */
  read(sent: Sent, reader: PrincipalId): Promise<Output<"readCodeBook">>;
  close(): Promise<void>;
}

/** To arrive, and to be read. */
const MAX_MS = 20_000;

export function openCodeBookReader(): CodeBookReader {
  const limits = { most: 4, milliseconds: MAX_MS, memoryMb: 1024 };
  const thread = openThread<Uint8Array, CodeBookReading>("code-book.worker", import.meta.url, limits);
  const begin = perPerson(1, "codebooks");
  return {
    async read({ bytes, signal }, reader) {
      const end = begin(reader);
      try {
        const late = () =>
          new PrivacyError("PAYLOAD_TOO_LARGE", {}, `the code book did not arrive in ${MAX_MS / 1000} s`);
        const book = await collect(bytes, { most: MAX_SCHEMA_BYTES, milliseconds: MAX_MS, late });
        const read = await thread.ask(book, signal);
        if ("said" in read) return read.said;
        throw new PrivacyError(read.code, read.details, read.message);
      } finally {
        end();
      }
    },
    close: () => thread.close(),
  };
}
