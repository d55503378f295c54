import { reportPdf } from "@dosimeter/plot/pdf";
import { publicHtml, publicSvg, releaseReport } from "@dosimeter/plot/report";
import { serveThread } from "../threads/serve-thread.ts";
import type { Printed } from "./printer.ts";

serveThread((asked: Printed) => {
  if ("release" in asked) return reportPdf(releaseReport(asked.release), { at: asked.at });
  const { open, part } = asked;
  const text = part.kind === "page" ? publicHtml(open) : (publicSvg(open, part.row) ?? "");
  return new TextEncoder().encode(text);
});
