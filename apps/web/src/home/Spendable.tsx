import type { Account, Request } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useChange } from "../api/connection.ts";
import { useDatasets } from "../api/datasets.ts";
import { useMyAccounts, useRequests } from "../api/ledgers.ts";
import { useMe } from "../api/session.ts";
import { formatCost, formatRoom } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Gauge } from "../parts/Gauge.tsx";
import { Tag } from "../parts/Page.tsx";
import { Empty, Fault } from "../parts/Pending.tsx";
import { SearchedList } from "../parts/SearchedList.tsx";
import { dayText } from "../parts/words.ts";

/** An offer made to me, with the amount that accepting it gives; it is accepted where it stands. */
export function Offer({ request, isInRow = false }: { request: Request; isInRow?: boolean }) {
  const { id, version, offered, asked, dataset } = request;
  const accept = useChange((client) => client.acceptOffer({ request: id, version }));
  const amount = formatRoom((offered ?? asked).epsilon);
  return (
    <div className="offer">
      <span>
        <Link to="/requests" search={{ box: "submitted" }}>
          Offer of ε {amount}
        </Link>
        {isInRow ? "" : ` for ${request.holder.name} on ${dataset.name}`}
      </span>
      <Button
        size="xs"
        loading={accept.isPending}
        aria-label={`Accept ε ${amount} on ${dataset.name}`}
        onClick={() => accept.mutate(undefined)}
      >
        Accept
      </Button>
      <Fault error={accept.error} />
    </div>
  );
}

/** A list of more items than this has a filter. */
const MAX_UNFILTERED = 4;

/** My accounts as rows: what is left, for how much it is enough, and what waits. */
export function Spendable() {
  const submitted = useRequests("submitted");
  return (
    <section className="card" aria-labelledby="spend">
      <div className="card-head">
        <h2 id="spend">What you can spend</h2>
      </div>
      <SearchedList
        useItems={useMyAccounts}
        label="Find a dataset or a budget"
        few={MAX_UNFILTERED}
        lines={3}
        empty={<NothingToSpend />}
        notFound={<Empty title="No budget found">Try part of the dataset’s or team’s name.</Empty>}
      >
        {(mine) => (
          <ul className="budget-rows">
            {mine.map((account) => (
              <Row
                key={account.id}
                account={account}
                requests={(submitted.data ?? []).filter((request) => request.account === account.id)}
              />
            ))}
          </ul>
        )}
      </SearchedList>
    </section>
  );
}

function Row({ account, requests }: { account: Account; requests: readonly Request[] }) {
  const payable = account.datasets.map((id, index) => ({ id, name: account.datasetNames[index] ?? id }));
  return (
    <li aria-label={account.path.join(" / ")}>
      <div className="budget-name">
        <strong>
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
        </strong>{" "}
        {account.status === "active" ? null : <Tag tone="warn">{account.status}</Tag>}
        <p className="soft small">{account.path.join(" › ")}</p>
      </div>
      <Gauge
        title={`Budget of ${account.path.join(" › ")}`}
        balance={account.balance}
        free={account.free.epsilon}
        more={account.more}
        blocks={account.blocks}
      />
      <div className="budget-waits small">
        <Waits account={account} requests={requests} />
      </div>
      <div className="row-actions">
        {payable.map((dataset) =>
          account.mine.mayRelease ? (
            <ButtonLink
              key={dataset.id}
              to="/datasets/$dataset/plan"
              params={{ dataset: dataset.id }}
              search={{ account: account.id }}
              variant="default"
              size="xs"
            >
              {payable.length > 1 ? `Plan on ${dataset.name}` : "Plan a release"}
            </ButtonLink>
          ) : null,
        )}
      </div>
    </li>
  );
}

/** An offer to accept, a request that waits for others, or when the account ends. */
function Waits({ account, requests }: { account: Account; requests: readonly Request[] }) {
  const offer = requests.find(({ status }) => status === "counterOffered");
  if (offer !== undefined) return <Offer request={offer} isInRow />;
  const waiting = requests.find(({ status }) => status === "submitted" || status === "escalated");
  if (waiting !== undefined)
    return (
      <Link to="/requests" search={{ box: "submitted" }}>
        Your request for ε {formatCost(waiting.asked.epsilon)} waits
      </Link>
    );
  return account.expiresAt === null ? null : <span className="soft">ends on {dayText(account.expiresAt)}</span>;
}

/** The next step for a person with these roles. */
function NothingToSpend() {
  const me = useMe();
  const datasets = useDatasets();
  const roles = me.data?.roles ?? [];
  const administered = roles.find(({ role }) => role === "datasetAdmin");
  const known = datasets.data?.pages[0]?.items ?? [];
  const begins = known.length === 0 && roles.some(({ role }) => role === "platformAdmin");
  const wanted = administered === undefined ? known.find(({ ledger }) => ledger !== null) : undefined;
  const first =
    administered?.object.id == null
      ? known[0]
      : { id: administered.object.id, name: administered.objectName ?? "the dataset" };
  return (
    <Empty
      title={
        begins ? "Begin with a dataset" : wanted === undefined ? "No budget yet" : `Ask for budget on ${wanted.name}`
      }
      action={
        wanted !== undefined ? (
          <ButtonLink to="/requests/new" search={{ dataset: wanted.id }}>
            Ask for budget
          </ButtonLink>
        ) : first === undefined ? (
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
        ? "You administer a dataset. Give a team or a person a budget, and they can plan releases."
        : known.length > 0
          ? "You can read ledgers and releases. For answers of your own you need budget: its admin decides."
          : begins
            ? "Declare a table, open its ledger, give a team a part of its budget, and invite the team’s members: one step leads to the next."
            : "Ask the admin of a dataset to give you or your team a budget, or declare a table of your own. Until then, Explore shows what ε means."}
    </Empty>
  );
}
