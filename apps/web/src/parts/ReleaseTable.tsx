import type { ReleaseSummary } from "@dosimeter/client";
import { isStatisticName, statisticOf } from "@dosimeter/query";
import { Link } from "@tanstack/react-router";
import { DataTable } from "./DataTable.tsx";
import { Tag } from "./Page.tsx";
import { momentText } from "./time.ts";

const stageWords = { queued: "waiting", measuring: "measuring", done: "released" } as const;

/** Releases as rows; each leads to its answers. */
export function ReleaseTable({ releases, caption }: { releases: readonly ReleaseSummary[]; caption: string }) {
  return (
    <DataTable
      caption={caption}
      isCaptionHidden
      isStacking
      rows={releases}
      keyOf={(release) => release.id}
      columns={[
        {
          name: "Statistics",
          isHead: true,
          cell: (release) => (
            <Link to="/releases/$release" params={{ release: release.id }}>
              {statisticsText(release.statistics)}
            </Link>
          ),
        },
        { name: "Dataset", cell: (release) => release.datasetName },
        { name: "By", cell: (release) => release.byName },
        { name: "When", cell: (release) => <span className="nowrap">{momentText(release.chargedAt)}</span> },
        {
          name: "State",
          cell: (release) => <Tag tone={release.stage === "done" ? "good" : "warn"}>{stageWords[release.stage]}</Tag>,
        },
      ]}
    />
  );
}

/** "count, mean and 2 more". */
export function statisticsText(names: readonly string[]): string {
  const unique = [...new Set(names)].map((name) => (isStatisticName(name) ? statisticOf(name).label : name));
  const shown = unique.slice(0, 3).join(", ");
  const text = unique.length > 3 ? `${shown} and ${unique.length - 3} more` : shown;
  return text === "" ? "no statistics" : text.charAt(0).toUpperCase() + text.slice(1);
}
