import type { FormatName, ReportedRelease } from "@dosimeter/plot/report";
import { openThread, type Thread } from "../threads/thread.ts";

/** A release to be set as a file, with the digits that mean something or all of them. */
export interface Printed {
  readonly release: ReportedRelease;
  readonly at: Date;
  readonly format: FormatName | "pdf";
  readonly isExact: boolean;
}

/** Sets releases as files. */
export type Printer = Thread<Printed, Uint8Array<ArrayBuffer>>;

export const openPrinter = (): Printer => openThread("pdf.worker", import.meta.url);
