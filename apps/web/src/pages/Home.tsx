import type { Account, DatasetSummary, Request } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useDatasets, useMe, useMyAccounts, useReleases, useRequests } from "../api.ts";
import { BalanceGauge } from "../parts/Balance.tsx";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { ReleaseTable } from "../parts/ReleaseTable.tsx";
import { dayText } from "../parts/time.ts";
import "../notifications/notifications.css";

/** What I may spend, and what was released lately. */
export function Home() {
  const me = useMe();
  const accounts = useMyAccounts();
  const datasets = useDatasets();
  const releases = useReleases({ limit: 6 });
  const known = datasets.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Page
      title={me.data === undefined ? "Home" : `Welcome, ${me.data.person.name}`}
      lead={roleText(me.data?.roles ?? [])}
    >
      <div className="stack">
        <section aria-labelledby="spend">
          <h2 id="spend" style={{ fontSize: 19, margin: "0 0 12px" }}>
            What you may spend
          </h2>
          <Pending of={accounts} lines={3}>
            {(mine) =>
              mine.length === 0 ? (
                <NothingToSpend datasets={known} />
              ) : (
                <div className="cards">
                  {mine.map((account) => (
                    <AccountCard key={account.id} account={account} datasets={known} />
                  ))}
                </div>
              )
            }
          </Pending>
        </section>
        <Waiting />
        <Card title="Recent releases" aside={<Link to="/releases">All releases</Link>}>
          <Pending of={releases} lines={3}>
            {(pages) => {
              const items = pages.pages.flatMap((page) => page.items);
              return items.length === 0 ? (
                <Empty title="Nothing has been released yet">
                  Releases appear here for good: once paid for, reading them again is free.
                </Empty>
              ) : (
                <ReleaseTable releases={items} caption="The newest releases you can read" />
              );
            }}
          </Pending>
        </Card>
      </div>
    </Page>
  );
}

/** Requests that wait for me, and mine that need an answer. */
function Waiting() {
  const received = useRequests("received");
  const submitted = useRequests("submitted");
  const toDecide = (received.data ?? []).filter(({ mine }) => mine.mayDecide);
  const toAnswer = (submitted.data ?? []).filter(
    ({ status }) => status === "counterOffered" || status === "infoRequested",
  );
  const waiting = (submitted.data ?? []).filter(({ status }) => status === "submitted" || status === "escalated");
  if (received.data === undefined || submitted.data === undefined) return null;
  const line = (request: Request, box: "received" | "submitted", text: string) => (
    <li key={request.id}>
      <div>
        <Link to="/requests" search={box === "submitted" ? { box } : {}}>
          {text}
        </Link>
        <p className="soft small">
          ε {request.asked.epsilon} on {request.dataset.name}, for {request.holder.name}
        </p>
      </div>
      <time className="soft small nowrap" dateTime={request.changedAt}>
        {dayText(request.changedAt)}
      </time>
    </li>
  );
  return (
    <Card title="What waits for you" aside={<Link to="/requests">All requests</Link>}>
      {toDecide.length + toAnswer.length === 0 ? (
        <p className="soft" style={{ margin: 0 }}>
          Nothing waits for you.{" "}
          {waiting.length === 0
            ? ""
            : `${waiting.length} of your own ${waiting.length === 1 ? "request waits" : "requests wait"} for an answer.`}
        </p>
      ) : (
        <ul className="told">
          {toDecide.map((request) => line(request, "received", `${request.requester.name} asks for quota`))}
          {toAnswer.map((request) =>
            line(
              request,
              "submitted",
              request.status === "infoRequested" ? "You were asked back" : "An offer was made to you",
            ),
          )}
        </ul>
      )}
    </Card>
  );
}

function AccountCard({ account, datasets }: { account: Account; datasets: readonly DatasetSummary[] }) {
  const payable = account.datasets.flatMap((id) => datasets.filter((dataset) => dataset.id === id));
  return (
    <article className="card stack" style={{ gap: 14, alignContent: "start" }} aria-label={account.path.join(" / ")}>
      <div className="card-head" style={{ margin: 0 }}>
        <h3 style={{ margin: 0, fontSize: 17 }}>
          {payable.length === 0
            ? account.name
            : payable.map((dataset, index) => (
                <span key={dataset.id}>
                  {index === 0 ? null : " and "}
                  <Link to="/datasets/$dataset" params={{ dataset: dataset.id }}>
                    {dataset.name}
                  </Link>
                </span>
              ))}
        </h3>
        {account.status === "active" ? null : <Tag tone="warn">{account.status}</Tag>}
      </div>
      <p className="soft small" style={{ margin: 0 }}>
        {account.path.join(" › ")}
      </p>
      <BalanceGauge
        title={`Budget of ${account.path.join(" › ")}`}
        balance={account.balance}
        free={account.free.epsilon}
      />
      <div className="page-actions">
        {payable.map((dataset) =>
          account.mine.mayRelease ? (
            <ButtonLink
              key={dataset.id}
              to="/datasets/$dataset/plan"
              params={{ dataset: dataset.id }}
              search={{ account: account.id }}
              size="sm"
            >
              {payable.length > 1 ? `Plan on ${dataset.name}` : "Plan a release"}
            </ButtonLink>
          ) : null,
        )}
      </div>
    </article>
  );
}

/** Names the next step for what this person is. */
function NothingToSpend({ datasets }: { datasets: readonly DatasetSummary[] }) {
  const administered = datasets.filter((dataset) => dataset.myRoles.includes("datasetAdmin"));
  const audited = datasets.filter((dataset) => dataset.myRoles.includes("auditor"));
  const [first] = [...administered, ...audited, ...datasets];
  return (
    <div className="card">
      <Empty
        title="You hold no account to spend from"
        action={
          first === undefined ? undefined : (
            <ButtonLink to="/datasets/$dataset" params={{ dataset: first.id }} variant="default">
              Open {first.name}
            </ButtonLink>
          )
        }
      >
        {administered.length > 0
          ? "You administer a dataset. Budget is spent from accounts: give a team or a person a quota, and they can plan releases."
          : audited.length > 0 || datasets.length > 0
            ? "You can read ledgers and releases. To ask for answers of your own, ask the dataset’s admin for a quota."
            : "Ask the admin of a dataset to give you or your team a quota. Until then, Explore shows what ε means."}
      </Empty>
    </div>
  );
}

const roleWords = {
  platformAdmin: "platform admin",
  auditor: "auditor",
  datasetAdmin: "dataset admin",
  teamAdmin: "team admin",
} as const;

function roleText(
  roles: readonly { readonly role: keyof typeof roleWords; readonly objectName: string | null }[],
): string | undefined {
  if (roles.length === 0) return undefined;
  const words = roles.map(({ role, objectName }) =>
    objectName === null ? roleWords[role] : `${roleWords[role]} of ${objectName}`,
  );
  return `You are ${words.join(", ")}.`;
}
