import { Link } from "@tanstack/react-router";
import { useActivity } from "../api/service.ts";
import { useMe } from "../api/session.ts";
import { More } from "../parts/buttons.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { ActivityList } from "./AuditTable.tsx";
import { readsAudit } from "./reads-audit.ts";

/** What I did, and what happened on the ledgers that I administer. */
export function Activity() {
  const activity = useActivity();
  const me = useMe();
  return (
    <Page
      title="Activity"
      lead={
        <>
          What you did, and what happened on the ledgers that you administer or audit.
          {readsAudit(me.data) ? (
            <>
              {" "}
              <Link to="/audit">Full audit log</Link>
            </>
          ) : null}
        </>
      }
    >
      <Card>
        <Pending of={activity}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            return items.length === 0 ? (
              <Empty title="Nothing has happened yet">Every change is listed here, from the first one on.</Empty>
            ) : (
              <>
                <ActivityList items={items} />
                <More of={activity} />
              </>
            );
          }}
        </Pending>
      </Card>
    </Page>
  );
}
