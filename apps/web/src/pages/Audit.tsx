import { Button, NativeSelect, TextInput } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type AuditFilter, useAudit, usePeople, useVerification } from "../api.ts";
import { actions, actionText, nouns } from "../audit/action-text.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { More } from "../parts/More.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Empty, Fault, Pending } from "../parts/Pending.tsx";
import { momentText } from "../parts/time.ts";
import "../notifications/notifications.css";

const route = getRouteApi("/audit");

/** Every change on the platform, in one chain of hashes; filtered by who, what and when. The filter is in the address. */
export function Audit() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const people = usePeople();
  const day = (text: string | undefined, isEnd: boolean) =>
    text === undefined || Number.isNaN(Date.parse(text))
      ? undefined
      : new Date(`${text}T${isEnd ? "23:59:59.999" : "00:00:00.000"}Z`).toISOString();
  const [since, until] = [day(search.since, false), day(search.until, true)];
  const filter: AuditFilter = {
    ...(search.actor === undefined ? {} : { actor: search.actor }),
    ...(search.action === undefined ? {} : { action: search.action }),
    ...(since === undefined ? {} : { since }),
    ...(until === undefined ? {} : { until }),
  };
  const lines = useAudit(filter);
  const set = (change: Readonly<Record<string, string>>) =>
    void navigate({
      to: "/audit",
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value !== "")),
    });
  return (
    <Page
      title="Audit"
      lead="Every change and every refusal, in one chain of hashes, written in the transaction of what happened."
      crumbs={<Link to="/activity">Activity</Link>}
    >
      <div className="stack">
        <Verified />
        <Card title="Lines">
          <div className="audit-filter">
            <NativeSelect
              label="Who"
              value={search.actor ?? ""}
              onChange={(event) => set({ actor: event.currentTarget.value })}
              data={[
                { value: "", label: "anyone" },
                ...(people.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            <NativeSelect
              label="What"
              value={search.action ?? ""}
              onChange={(event) => set({ action: event.currentTarget.value })}
              data={[
                { value: "", label: "anything" },
                { group: "All of", items: nouns },
                { group: "Only", items: actions.map((action) => ({ value: action, label: actionText(action) })) },
              ]}
            />
            <TextInput
              label="From"
              type="date"
              value={search.since ?? ""}
              onChange={(event) => set({ since: event.currentTarget.value })}
            />
            <TextInput
              label="To"
              type="date"
              value={search.until ?? ""}
              onChange={(event) => set({ until: event.currentTarget.value })}
            />
          </div>
          <Pending of={lines}>
            {({ pages }) => {
              const items = pages.flatMap((page) => page.items);
              return items.length === 0 ? (
                <Empty title="No line fits the filter">Take a part of it away.</Empty>
              ) : (
                <>
                  <DataTable
                    caption="Audit lines, newest first"
                    isCaptionHidden
                    isStacking
                    rows={items}
                    keyOf={({ sequence }) => String(sequence)}
                    columns={[
                      { name: "Line", isHead: true, isNumber: true, cell: ({ sequence }) => sequence },
                      { name: "When", cell: ({ at }) => momentText(at) },
                      { name: "Who", cell: ({ actorName }) => actorName },
                      { name: "What", cell: ({ action }) => actionText(action) },
                      { name: "On", cell: ({ subject }) => <span className="code unbroken">{subject}</span> },
                      { name: "Hash", cell: ({ hash }) => <span className="code">{hash.slice(0, 12)}</span> },
                    ]}
                  />
                  <More of={lines} />
                </>
              );
            }}
          </Pending>
        </Card>
      </div>
    </Page>
  );
}

/** The server recomputes every chain and replays every charge; the head hash is worth keeping elsewhere. */
function Verified() {
  const verify = useVerification();
  return (
    <Card
      title="Does it add up?"
      aside={
        <Button size="xs" variant="default" loading={verify.isPending} onClick={() => verify.mutate()}>
          Recompute everything
        </Button>
      }
    >
      {verify.error === null ? null : <Fault error={verify.error} />}
      {verify.data === undefined ? (
        <p className="soft" style={{ margin: 0 }}>
          Every hash is computed again and every charge replayed, from the first line on.
        </p>
      ) : (
        <div className="stack" role="status">
          <Notice
            tone={verify.data.ok ? "good" : "danger"}
            title={verify.data.ok ? "It adds up" : "It does not add up"}
          >
            {verify.data.ok ? <p>Nothing was changed, left out or put in.</p> : null}
            {verify.data.problems.slice(0, 20).map(({ table, id, problem }) => (
              <p key={`${table} ${id} ${problem}`}>
                {table} <span className="code">{id}</span> {problem}
              </p>
            ))}
          </Notice>
          <Facts
            of={{
              Lines: verify.data.lines,
              "Ledger entries": verify.data.entries,
              Releases: verify.data.releases,
              "Head hash": <span className="code">{verify.data.head}</span>,
            }}
          />
        </div>
      )}
    </Card>
  );
}
