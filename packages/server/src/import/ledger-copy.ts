import { PrivacyError } from "@dosimeter/core";
import type { LedgerCopy } from "@dosimeter/ledger";
import { openThread, type Thread } from "../report/thread.ts";

/** Bytes of an export that is taken in: some fifty thousand charges. */
export const LARGEST_EXPORT = 64 * 2 ** 20;

/** What became of reading an export. */
export type Reading = { readonly copy: LedgerCopy } | { readonly problem: string };

/** Checks exports in a thread of its own, by the verifier that shares no code with the ledger. */
export type Importer = Thread<string, Reading>;

export const openImporter = (): Importer => openThread<string, Reading>("../import/ledger-copy.worker");

/**
 * An export with its signature, chains, prices and sums verified. INVALID_PARAMETER when anything does not add up, it is
 * not signed, or another key signed it than the one that was told.
 */
export async function readLedgerCopy(
  bytes: ReadableStream<Uint8Array> | null,
  key: string,
  { importer }: { readonly importer: Importer },
): Promise<LedgerCopy> {
  const read = await importer.ask(await textOf(bytes));
  if ("problem" in read) throw refused(read.problem);
  const { signedBy } = read.copy.source;
  if (signedBy !== key)
    throw refused(`it is signed by ${signedBy}: ask its owner for that key, and name it if it is theirs`);
  return read.copy;
}

const refused = (why: string): PrivacyError =>
  new PrivacyError(
    "INVALID_PARAMETER",
    { name: "body", want: "an export as it was written" },
    `the export is refused: ${why}`,
  );

async function textOf(bytes: ReadableStream<Uint8Array> | null): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of bytes ?? []) {
    size += part.byteLength;
    if (size > LARGEST_EXPORT)
      throw new PrivacyError("PAYLOAD_TOO_LARGE", { name: "body", want: `at most ${LARGEST_EXPORT} bytes` });
    parts.push(part);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw refused("it is not UTF-8");
  }
}
