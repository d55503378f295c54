import type { ReleaseSummary } from "@dosimeter/client";
import { askedBy } from "@dosimeter/plot/report";
import { Link } from "@tanstack/react-router";
import { useReleases } from "../api/releases.ts";
import { More } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { ReleasedNumbers } from "../parts/IntervalDot.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { dayText, momentText } from "../parts/words.ts";

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

/** Every release I can read, newest first. */
export function Releases() {
  const releases = useReleases();
  return (
    <Page
      title="Releases"
      lead="Answers that were paid for. They are kept permanently, and reading them again is free."
    >
      <Card>
        <Pending of={releases}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            return items.length === 0 ? (
              <Empty title="Nothing has been released yet">
                Open a dataset, plan some statistics, look at their errors, and release them.
              </Empty>
            ) : (
              <>
                <ReleaseTable releases={items} caption="Releases, newest first" />
                <More of={releases} />
              </>
            );
          }}
        </Pending>
      </Card>
    </Page>
  );
}
