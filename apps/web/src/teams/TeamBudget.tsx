import type { Account } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useLedger } from "../api/ledgers.ts";
import { useTeamAccounts } from "../api/people.ts";
import { useMe } from "../api/session.ts";
import { EditAccount } from "../dataset/accounts/EditAccount.tsx";
import { InAdvance } from "../dataset/accounts/InAdvance.tsx";
import { OpenAccount } from "../dataset/accounts/OpenAccount.tsx";
import { Amount, formatRoom } from "../parts/Amount.tsx";
import { ButtonLink, RowButton } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Meter, percentText } from "../parts/Gauge.tsx";
import { Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import "../new-dataset/new-dataset.css";

/** A label too long for a phone breaks. */
const MANY_LINES = { label: { whiteSpace: "normal" } } as const;

/** What the team and each of its members may spend, dataset by dataset; admins change a member's share here. */
export function TeamBudget({ team, leads, isAdmin }: { team: string; leads: boolean; isAdmin: boolean }) {
  const accounts = useTeamAccounts(team);
  const me = useMe();
  /** People ask for themselves, and admins for their team. */
  const mayAsk = ({ holder, status }: Account): boolean =>
    status === "active" && (holder.id === me.data?.person.id || (isAdmin && holder.id === team));
  const mayChange = ({ mine, status }: Account): boolean => mine.mayManage && status !== "closed";
  const [editing, setEditing] = useState<Account | null>(null);
  return (
    <Pending of={accounts}>
      {(all) => {
        if (all.length === 0)
          return (
            <Empty
              title="The team has no budget yet"
              action={isAdmin ? <ButtonLink to="/requests/new">Ask for budget</ButtonLink> : undefined}
            >
              {isAdmin
                ? "Ask the admin of a dataset for budget for the team; then divide it among the members here."
                : "Its admin asks the admin of a dataset, and divides what comes among the members."}
            </Empty>
          );
        const ledgers = [...new Set(all.map(({ ledger }) => ledger))];
        return (
          <div className="stack">
            <DataTable
              caption="Budgets"
              isCaptionHidden
              isStacking
              rows={all}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: "Budget",
                  isHead: true,
                  cell: ({ holder, status }) => (
                    <>
                      {holder.kind === "team" ? holder.name : <span>› {holder.name}</span>}{" "}
                      {status === "active" ? null : <Tag tone="warn">{status}</Tag>}
                    </>
                  ),
                },
                {
                  name: "Dataset",
                  cell: (account) => (
                    <span>
                      {account.datasets.map((id, index) => (
                        <span key={id}>
                          {index === 0 ? null : ", "}
                          <Link to="/datasets/$dataset" params={{ dataset: id }}>
                            {account.datasetNames[index]}
                          </Link>
                        </span>
                      ))}
                    </span>
                  ),
                },
                { name: "Budget ε", isNumber: true, cell: ({ quota }) => <Amount isRoom of={quota.epsilon} /> },
                { name: "Free ε", isNumber: true, cell: ({ free }) => <Amount isRoom of={free.epsilon} /> },
                {
                  name: "Used",
                  cell: ({ balance, name, ...account }) => (
                    <div className="used-cell">
                      <Meter label={`Budget of ${name} on ${datasetText(account)} used`} used={balance.used} />
                      <span className="small">{percentText(balance.used)}</span>
                    </div>
                  ),
                },
                {
                  name: "Change",
                  cell: (account) =>
                    !mayChange(account) && !mayAsk(account) ? null : (
                      <div className="row-actions">
                        {mayChange(account) ? (
                          <RowButton
                            label={`Change on ${datasetText(account)}`}
                            name={`Change on ${datasetText(account)}, the budget of ${account.holder.name}`}
                            onClick={() => setEditing(account)}
                          />
                        ) : null}
                        {mayAsk(account) ? (
                          <ButtonLink
                            to="/requests/new"
                            search={{ account: account.id }}
                            variant="default"
                            size="xs"
                            aria-label={`Ask for more on ${datasetText(account)}, for ${account.holder.name}`}
                          >
                            Ask for more on {datasetText(account)}
                          </ButtonLink>
                        ) : null}
                      </div>
                    ),
                },
              ]}
            />
            {leads ? <Share payers={all.filter((one) => one.holder.id === team && one.mine.mayGrant)} /> : null}
            {leads
              ? ledgers.map((ledger) => (
                  <InAdvance
                    key={ledger}
                    ledger={ledger}
                    on={datasetText(all.find((one) => one.ledger === ledger))}
                    payer={all.find((one) => one.ledger === ledger && one.holder.id === team && one.mine.mayGrant)?.id}
                  />
                ))
              : null}
            {editing === null ? null : <Edit account={editing} onClose={() => setEditing(null)} />}
          </div>
        );
      }}
    </Pending>
  );
}

/** What an account pays for: "adults and visits". */
const datasetText = (account: Pick<Account, "datasetNames"> | undefined): string =>
  account === undefined || account.datasetNames.length === 0
    ? "a dataset that you cannot see"
    : account.datasetNames.join(" and ");

/** A member's first share of the team's quota. */
function Share({ payers }: { payers: readonly Account[] }) {
  const [payer, setPayer] = useState<Account | null>(null);
  const active = payers.filter(({ status }) => status === "active");
  return (
    <div className="page-actions">
      {active.map((one) => (
        <Button key={one.id} variant="default" h="auto" mih={36} styles={MANY_LINES} onClick={() => setPayer(one)}>
          Give a member a part of {datasetText(one)}, ε {formatRoom(one.free.epsilon)} free
        </Button>
      ))}
      {payer === null ? null : (
        <OpenAccount
          ledger={payer.ledger}
          on={datasetText(payer)}
          parents={[payer]}
          mayGrantAtTop={false}
          onClose={() => setPayer(null)}
        />
      )}
    </div>
  );
}

function Edit({ account, onClose }: { account: Account; onClose: () => void }) {
  const ledger = useLedger(account.ledger);
  return <EditAccount account={account} ledgerFree={ledger.data?.free.epsilon ?? "0"} onClose={onClose} />;
}
