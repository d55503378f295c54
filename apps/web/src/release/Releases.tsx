import { useReleases } from "../api/releases.ts";
import { More } from "../parts/More.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { ReleaseTable } from "../parts/ReleaseTable.tsx";

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
