import type { Release } from "@dosimeter/client";
import { toCsv } from "@dosimeter/plot";
import { releaseReport, releaseTable, reportHtml } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useState } from "react";
import { useReleaseReport } from "../api/releases.ts";
import { download } from "../parts/download.ts";

/** The release as files: for reading, for spreadsheets, for programs, and the plan that makes it again. */
export function Downloads({ release }: { release: Release }) {
  const pdf = useReleaseReport();
  const [said, setSaid] = useState("");
  const reported = { ...release, answers: answersToShow(release) };
  const name = `release-${release.id}`;
  const save = (file: string, type: string, content: string | Blob): void => {
    download(file, type, content);
    setSaid(`${file} is downloaded.`);
  };
  const files = {
    "Report (HTML)": () => save(`${name}.html`, "text/html", reportHtml(releaseReport(reported))),
    "Report (PDF)": () =>
      pdf.mutate(release.id, {
        onSuccess: (file) => save(`${name}.pdf`, "application/pdf", file),
        onError: () => setSaid("The PDF could not be made."),
      }),
    CSV: () => save(`${name}.csv`, "text/csv", toCsv({ table: releaseTable(reported.answers ?? []) })),
    "CSV, all digits": () =>
      save(`${name}-exact.csv`, "text/csv", toCsv({ table: releaseTable(reported.answers ?? [], { isExact: true }) })),
    JSON: () => save(`${name}.json`, "application/json", `${JSON.stringify(release, null, 2)}\n`),
    "Plan file": () =>
      save(`plan-${release.id}.json`, "application/json", `${JSON.stringify(release.plan, null, 2)}\n`),
  } as const;
  return (
    <>
      <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <button type="button" className="tool" disabled={pdf.isPending}>
            <IconDownload size={16} aria-hidden /> Download
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {Object.entries(files).map(([label, run]) => (
            <Menu.Item key={label} onClick={run}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </>
  );
}
