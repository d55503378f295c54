import { type Account, type Request, roleWords } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { useMyAccounts } from "../api/accounts.ts";
import { useDatasets } from "../api/datasets.ts";
import { useReleases } from "../api/releases.ts";
import { useRequests } from "../api/requests.ts";
import { useMe } from "../api/session.ts";
import { formatCost } from "../parts/Amount.tsx";
import { BalanceGauge } from "../parts/Balance.tsx";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Pending, Together } from "../parts/Pending.tsx";
import { ReleaseTable } from "../parts/ReleaseTable.tsx";
import { SearchedList } from "../parts/SearchedList.tsx";
import { dayText } from "../parts/time.ts";
import "../notifications/notifications.css";

/** My budgets and the latest releases. */
export function Home() {
  const me = useMe();
  const releases = useReleases({ limit: 6 });
  const lists = [useMyAccounts(), useRequests("received"), useRequests("submitted"), releases];
  return (
    <Page
      title={me.data === undefined ? "Home" : `Welcome, ${me.data.person.name}`}
      lead={roleText(me.data?.roles ?? [])}
    >
      <Together of={lists}>
        <div className="stack">
          <Spendable />
          <Waiting />
          <Card title="Recent releases" aside={<Link to="/releases">All releases</Link>}>
            <Pending of={releases} lines={3}>
              {(pages) => {
                const items = pages.pages.flatMap((page) => page.items);
                return items.length === 0 ? (
                  <Empty title="Nothing has been released yet">
                    Releases are kept here permanently. Reading them again is free.
                  </Empty>
                ) : (
                  <ReleaseTable releases={items} caption="The newest releases you can read" />
                );
              }}
            </Pending>
          </Card>
        </div>
      </Together>
    </Page>
  );
}

/** A list of more items than this has a filter. */
const MAX_UNFILTERED = 4;

/** My accounts. */
function Spendable() {
  return (
    <section aria-labelledby="spend">
      <h2 id="spend" style={{ fontSize: 19, margin: "0 0 12px" }}>
        What you can spend
      </h2>
      <SearchedList
        useItems={useMyAccounts}
        label="Find a dataset or an account"
        few={MAX_UNFILTERED}
        lines={3}
        empty={<NothingToSpend />}
        notFound={
          <div className="card">
            <Empty title="No account found">Try part of the dataset’s or team’s name.</Empty>
          </div>
        }
      >
        {(mine) => (
          <div className="cards">
            {mine.map((account) => (
              <AccountCard key={account.id} account={account} />
            ))}
          </div>
        )}
      </SearchedList>
    </section>
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
          ε {formatCost(request.asked.epsilon)} on {request.dataset.name}, for {request.holder.name}
        </p>
      </div>
      <time className="soft small nowrap" dateTime={request.changedAt}>
        {dayText(request.changedAt)}
      </time>
    </li>
  );
  return (
    <Card title="Waiting for you" aside={<Link to="/requests">All requests</Link>}>
      {toDecide.length + toAnswer.length === 0 ? (
        <p className="soft" style={{ margin: 0 }}>
          Nothing is waiting for you.{" "}
          {waiting.length === 0
            ? ""
            : waiting.length === 1
              ? "One of your own requests is waiting for an answer."
              : `${waiting.length} of your own requests are waiting for an answer.`}
        </p>
      ) : (
        <ul className="link-list">
          {toDecide.map((request) => line(request, "received", `${request.requester.name} asks for quota`))}
          {toAnswer.map((request) =>
            line(
              request,
              "submitted",
              request.status === "infoRequested" ? "You were asked a question" : "You received an offer",
            ),
          )}
        </ul>
      )}
    </Card>
  );
}

function AccountCard({ account }: { account: Account }) {
  const payable = account.datasets.map((id, index) => ({ id, name: account.datasetNames[index] ?? id }));
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

/** The next step for a person with these roles. */
function NothingToSpend() {
  const me = useMe();
  const datasets = useDatasets();
  const roles = me.data?.roles ?? [];
  const administered = roles.find(({ role }) => role === "datasetAdmin");
  const known = datasets.data?.pages[0]?.items ?? [];
  const first =
    administered?.object.id == null
      ? known[0]
      : { id: administered.object.id, name: administered.objectName ?? "the dataset" };
  return (
    <div className="card">
      <Empty
        title="You have no account to spend from"
        action={
          first === undefined ? (
            <ButtonLink to="/datasets/new" variant="default">
              New dataset
            </ButtonLink>
          ) : (
            <ButtonLink to="/datasets/$dataset" params={{ dataset: first.id }} variant="default">
              Open {first.name}
            </ButtonLink>
          )
        }
      >
        {administered !== undefined
          ? "You administer a dataset. Budget is spent from accounts: give a team or a person a quota, and they can plan releases."
          : known.length > 0
            ? "You can read ledgers and releases. To ask for answers of your own, ask the dataset’s admin for a quota."
            : "Ask the admin of a dataset to give you or your team a quota, or declare a table of your own. Until then, Explore shows what ε means."}
      </Empty>
    </div>
  );
}

/** Names shown of one role; the others are only counted. */
const NAMED = 3;

function roleText(
  roles: readonly { readonly role: keyof typeof roleWords; readonly objectName: string | null }[],
): string | undefined {
  const parts = (Object.keys(roleWords) as (keyof typeof roleWords)[]).flatMap((role) => {
    const held = roles.filter((one) => one.role === role);
    if (held.length === 0) return [];
    const names = held.flatMap(({ objectName }) => (objectName === null ? [] : [objectName]));
    const whole = held.length > names.length ? [role === "auditor" ? "auditor of the platform" : roleWords[role]] : [];
    if (names.length === 0) return whole;
    const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : "";
    return [...whole, `${roleWords[role]} of ${names.slice(0, NAMED).join(", ")}${more}`];
  });
  return parts.length === 0 ? undefined : `You are ${parts.join("; ")}.`;
}
