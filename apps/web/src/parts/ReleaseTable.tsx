import type { ReleaseSummary } from "@dosimeter/client";
import { askedBy } from "@dosimeter/plot/report";
import { Link } from "@tanstack/react-router";
import { DataTable } from "./DataTable.tsx";
import { ReleasedNumbers } from "./IntervalDot.tsx";
import { Tag } from "./Page.tsx";
import { dayText, momentText } from "./time.ts";

const stageWords = { queued: "waiting", measuring: "measuring", done: "released" } as const;

/** Releases as rows: what was asked, its numbers with their intervals, when. Each leads to its answers. */
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
          name: "Release",
          isHead: true,
          cell: (release) => (
            <>
              <Link className="anywhere" to="/releases/$release" params={{ release: release.id }}>
                {release.title}
              </Link>
              {release.note === null ? null : <p className="soft small one-line">{release.note}</p>}
            </>
          ),
        },
        {
          name: "Answer",
          cell: ({ stage, numbers }) =>
            stage !== "done" ? (
              <Tag tone="warn">{stageWords[stage]}</Tag>
            ) : numbers === null || numbers.length === 0 ? null : (
              <ReleasedNumbers of={numbers} />
            ),
        },
        { name: "Dataset", cell: (release) => release.datasetName },
        { name: "By", cell: (release) => <span className="nowrap">{askedBy(release)}</span> },
        {
          name: "When",
          cell: ({ chargedAt }) => (
            <time className="nowrap" dateTime={chargedAt} title={momentText(chargedAt)}>
              {dayText(chargedAt)}
            </time>
          ),
        },
      ]}
    />
  );
}
