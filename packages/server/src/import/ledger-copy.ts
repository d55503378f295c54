import { PrivacyError } from "@dosimeter/core";
import type { LedgerCopy, PrincipalId } from "@dosimeter/ledger";
import { openThread, type Thread } from "../threads/thread.ts";
import { collect } from "../threads/web-stream.ts";

/** The most bytes of an export: some fifty thousand charges. */
const MAX_EXPORT_BYTES = 64 * 2 ** 20;

export type Reading = { readonly copy: LedgerCopy } | { readonly problem: string };

/** An export, and the fingerprint of the key that must have signed it. */
export interface ExportToRead {
  readonly text: string;
  readonly key: string;
}

/** Checks exports in its own thread, by the verifier that shares no code with the ledger. */
export type Importer = Thread<ExportToRead, Reading>;

/** One export is checked at a time, two may wait, and each has this long to arrive and to be checked. */
const MAX_MS = 120_000;

export const openImporter = (milliseconds = MAX_MS): Importer =>
  openThread<ExportToRead, Reading>("ledger-copy.worker", import.meta.url, { most: 3, milliseconds });

/**
 * An export with its signature, chains, prices and sums verified, in this order. INVALID_PARAMETER when anything does not
 * add up, it is not signed, or it was signed by another key than the given one; RATE_LIMITED while others wait.
 */
export async function readLedgerCopy(
  bytes: ReadableStream<Uint8Array> | null,
  key: string,
  { importer, reader }: { readonly importer: Importer; readonly reader: PrincipalId },
): Promise<LedgerCopy> {
  if (arriving.size >= MAX_ARRIVING || arriving.has(reader))
    throw new PrivacyError("RATE_LIMITED", { seconds: 10 }, "other exports are arriving; try again when one has ended");
  arriving.add(reader);
  const text = await textOf(bytes).finally(() => arriving.delete(reader));
  const read = await importer.ask({ text, key });
  if ("problem" in read) throw refused(read.problem);
  return read.copy;
}

/** Whose exports arrive: one of each person, as each is held in memory. */
const arriving = new Set<PrincipalId>();
const MAX_ARRIVING = 3;

const refused = (why: string): PrivacyError =>
  new PrivacyError(
    "INVALID_PARAMETER",
    { name: "body", want: "an export as it was written" },
    `the export is refused: ${why}`,
  );

async function textOf(bytes: ReadableStream<Uint8Array> | null): Promise<string> {
  const late = () => refused(`it did not arrive in ${MAX_MS / 1000} s`);
  const all = await collect(bytes, { most: MAX_EXPORT_BYTES, milliseconds: MAX_MS, late });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(all);
  } catch {
    throw refused("it is not UTF-8");
  }
}
