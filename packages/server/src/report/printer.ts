import type { ReportedRelease } from "@dosimeter/plot/report";
import { openThread, type Thread } from "../threads/thread.ts";

/** Sets releases as PDF files. */
export type Printer = Thread<{ readonly release: ReportedRelease; readonly at: Date }, Uint8Array<ArrayBuffer>>;

export const openPrinter = (): Printer => openThread("pdf.worker", import.meta.url);
