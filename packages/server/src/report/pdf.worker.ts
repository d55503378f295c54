import { reportPdf } from "@dosimeter/plot/pdf";
import { type ReportedRelease, releaseReport } from "@dosimeter/plot/report";
import { serveThread } from "../threads/serve-thread.ts";

serveThread(({ release, at }: { readonly release: ReportedRelease; readonly at: Date }) =>
  reportPdf(releaseReport(release), { at }),
);
