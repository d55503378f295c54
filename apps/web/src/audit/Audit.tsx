import { present } from "@dosimeter/core/internal";
import { Button } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { usePeople } from "../api/people.ts";
import { type AuditFilter, useAudit, useVerification } from "../api/service.ts";
import { useMe } from "../api/session.ts";
import { More } from "../parts/buttons.tsx";
import { Choice, TextField } from "../parts/fields.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Empty, Fault, Pending } from "../parts/Pending.tsx";
import { AuditTable } from "./AuditTable.tsx";
import { actions, actionText, nouns } from "./action-text.ts";
import { readsAudit } from "./reads-audit.ts";
import "../notifications/notifications.css";

const route = getRouteApi("/audit");

/** Every change on the platform, in one chain of hashes; filtered by person, action and time. The filter is in the address. */
export function Audit() {
  const me = useMe();
  const roles = me.data?.roles ?? [];
  const isWhole = readsAudit(me.data);
  const mayVerify = isWhole || roles.some(({ role }) => role === "auditor" || role === "datasetAdmin");
  return (
    <Page
      title="Audit"
      lead="Every change and every refusal, in one chain of hashes. Each line is written in the same transaction as the change itself."
      crumbs={<Link to="/activity">Activity</Link>}
    >
      <Pending of={me}>
        {() => (
          <div className="stack">
            {mayVerify ? <Verified /> : null}
            {isWhole ? <Lines /> : <NotMine />}
          </div>
        )}
      </Pending>
    </Page>
  );
}

const NotMine = () => (
  <Card>
    <Empty
      title="Only admins and auditors of the platform read these lines"
      action={<Link to="/activity">Activity</Link>}
    >
      Activity shows what you did and what happened on the ledgers that you administer or audit. The page of a dataset
      shows its auditors every line of its ledger and recomputes it in the browser.
    </Empty>
  </Card>
);

function Lines() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const people = usePeople();
  const [since, until] = [momentOf(search.since, "00:00:00.000"), momentOf(search.until, "23:59:59.999")];
  const filter: AuditFilter = {
    ...present({ actor: search.actor, action: search.action, since, until }),
  };
  const lines = useAudit(filter);
  const set = (change: Readonly<Record<string, string>>) =>
    void navigate({
      to: "/audit",
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value !== "")),
    });
  return (
    <Card title="Lines">
      <div className="audit-filter">
        <Choice
          label="Who"
          value={search.actor ?? ""}
          onChange={(chosen) => set({ actor: chosen })}
          data={[
            { value: "", label: "anyone" },
            ...(people.data ?? []).map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        <Choice
          label="What"
          value={search.action ?? ""}
          onChange={(chosen) => set({ action: chosen })}
          data={[
            { value: "", label: "anything" },
            { group: "All of", items: nouns },
            { group: "Only", items: actions.map((action) => ({ value: action, label: actionText(action) })) },
          ]}
        />
        <TextField label="From" type="date" value={search.since ?? ""} onChange={(typed) => set({ since: typed })} />
        <TextField label="To" type="date" value={search.until ?? ""} onChange={(typed) => set({ until: typed })} />
      </div>
      <Pending of={lines}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          return items.length === 0 ? (
            <Empty title="No line matches the filter" action={<Link to="/audit">Clear the filter</Link>}>
              No line matches all of these conditions.
            </Empty>
          ) : (
            <>
              <AuditTable items={items} />
              <More of={lines} />
            </>
          );
        }}
      </Pending>
    </Card>
  );
}

/** The start of a day in the address, in the reader's time zone; undefined when there is no such day. */
function momentOf(day: string | undefined, time: string): string | undefined {
  const at = new Date(`${day}T${time}`);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
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
      <Fault error={verify.error} />
      {verify.data === undefined ? (
        <p className="soft flush">
          The server computes every hash again and replays every charge, from the first line on. The page of each
          dataset does the same for its ledger in your browser.
        </p>
      ) : (
        <div className="stack" role="status">
          <Notice
            tone={verify.data.ok ? "good" : "danger"}
            title={verify.data.ok ? "It adds up" : "It does not add up"}
          >
            {verify.data.ok ? <p>No line was changed, left out or added.</p> : null}
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
