import { reportPdf } from "@dosimeter/plot/pdf";
import { formatted, publicHtml, publicSvg, releaseReport } from "@dosimeter/plot/report";
import { serveThread } from "../threads/serve-thread.ts";
import type { Printed } from "./printer.ts";

serveThread(async (asked: Printed) => {
  if ("open" in asked) {
    const { open, part } = asked;
    return new TextEncoder().encode(part.kind === "page" ? publicHtml(open) : (publicSvg(open, part.row) ?? ""));
  }
  const { release, at, format, isExact } = asked;
  if (format === "pdf") return reportPdf(releaseReport(release), { at });
  const made = await formatted(format, release, { isExact });
  return typeof made === "string" ? new TextEncoder().encode(made) : made;
});
