import { reportPdf } from "@dosimeter/plot/pdf";
import { formatted, releaseReport } from "@dosimeter/plot/report";
import { serveThread } from "../threads/serve-thread.ts";
import type { Printed } from "./printer.ts";

serveThread(async ({ release, at, format, isExact }: Printed) => {
  if (format === "pdf") return reportPdf(releaseReport(release), { at });
  const made = await formatted(format, release, { isExact });
  return typeof made === "string" ? new TextEncoder().encode(made) : made;
});
