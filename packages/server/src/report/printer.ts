import type { FormatName, PublicRelease, ReportedRelease } from "@dosimeter/plot/report";
import { openThread, type Thread } from "../threads/thread.ts";

/** What is shown of a public release: its page, or the picture of an answer. */
export type PublicPart = { readonly kind: "page" } | { readonly kind: "chart"; readonly row?: string | undefined };

/** A release to be set as a file, with the digits that mean something or all of them; or what is public of one. */
export type Printed =
  | {
      readonly release: ReportedRelease;
      readonly at: Date;
      readonly format: FormatName | "pdf";
      readonly isExact: boolean;
    }
  | { readonly open: PublicRelease; readonly part: PublicPart };

/** Sets releases as files, and public ones as pages and pictures; nothing where there is no picture. */
export interface Printer extends Thread<Printed, Uint8Array<ArrayBuffer>> {
  /** Prints what many ask for once; only what is not long is kept. */
  readonly once: Prints;
}

type Prints = (key: string, print: () => Promise<Uint8Array<ArrayBuffer>>) => Promise<Uint8Array<ArrayBuffer>>;

export const openPrinter = (): Printer => ({ ...openThread("pdf.worker", import.meta.url), once: openPrints() });

const MAX_KEPT = 50;
const MAX_BYTES = 2 ** 20;

function openPrints(): Prints {
  const kept = new Map<string, ReturnType<Parameters<Prints>[1]>>();
  return async (key, print) => {
    const printing = kept.get(key) ?? print();
    kept.delete(key);
    kept.set(key, printing);
    const [oldest = key] = kept.size > MAX_KEPT ? kept.keys() : [];
    if (oldest !== key) kept.delete(oldest);
    const bytes = await printing.catch((error: unknown) => {
      kept.delete(key);
      throw error;
    });
    if (bytes.length > MAX_BYTES) kept.delete(key);
    return bytes;
  };
}
