import type { Account, Ledger } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { IconUser, IconUsersGroup } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAccountTree } from "../api.ts";
import { gaugeUnit } from "../charts.ts";
import { Amount } from "../parts/Amount.tsx";
import { Meter } from "../parts/Balance.tsx";
import { Tag } from "../parts/Page.tsx";
import { Empty, Pending, type Query } from "../parts/Pending.tsx";
import { EditAccount } from "./EditAccount.tsx";
import { OpenAccount } from "./OpenAccount.tsx";

/** Who may spend how much, as a tree. A quota is permission to spend; it is not a privacy guarantee. */
export function AccountTree({ ledger, dataset }: { ledger: Ledger; dataset: string }) {
  const accounts = useAccountTree(ledger.id);
  const [edited, setEdited] = useState<Account | null>(null);
  const [isOpening, setOpening] = useState(false);
  const parents = (accounts.data ?? []).filter(({ mine, status }) => mine.mayGrant && status === "active");
  const opener =
    ledger.mine.mayGrant || parents.length > 0 ? (
      <Button size="xs" variant="default" onClick={() => setOpening(true)}>
        Open an account
      </Button>
    ) : undefined;
  return (
    <>
      <Tree ledger={ledger} dataset={dataset} accounts={accounts} opener={opener} onEdit={setEdited} />
      {edited === null ? null : (
        <EditAccount account={edited} ledgerFree={ledger.free.epsilon} onClose={() => setEdited(null)} />
      )}
      {isOpening ? (
        <OpenAccount
          ledger={ledger.id}
          parents={parents}
          mayGrantAtTop={ledger.mine.mayGrant}
          onClose={() => setOpening(false)}
        />
      ) : null}
    </>
  );
}

function Tree({
  ledger,
  dataset,
  accounts,
  opener,
  onEdit,
}: {
  ledger: Ledger;
  dataset: string;
  accounts: Query<readonly Account[]>;
  opener: ReactNode;
  onEdit: (account: Account) => void;
}) {
  return (
    <Pending of={accounts} lines={3}>
      {(all) =>
        all.length === 0 ? (
          <Empty title="No account yet" action={opener}>
            {ledger.mine.mayGrant
              ? "Give a team or a person a quota, so that they can spend."
              : "The dataset’s admin has not given anyone a quota that you can see."}
          </Empty>
        ) : (
          <>
            <ul className="tree">
              {rootsOf(all).map((account) => (
                <Branch key={account.id} account={account} all={all} dataset={dataset} onEdit={onEdit} />
              ))}
            </ul>
            <p className="small soft" style={{ margin: "12px 0 0" }}>
              Free at the top: <Amount unit="ε" of={ledger.free.epsilon} />. Quotas are permission to spend; the
              guarantee above holds whatever they are.
            </p>
            {opener === undefined ? null : <div style={{ marginTop: 12 }}>{opener}</div>}
          </>
        )
      }
    </Pending>
  );
}

function Branch({
  account,
  all,
  dataset,
  onEdit,
}: {
  account: Account;
  all: readonly Account[];
  dataset: string;
  onEdit: (account: Account) => void;
}) {
  const children = all.filter((other) => other.parent === account.id);
  const { balance } = account;
  const gauge = balance.lane === "addition" ? balance.epsilon : balance.residue;
  const Icon = account.holder.kind === "team" ? IconUsersGroup : IconUser;
  return (
    <li>
      <div className="tree-row">
        <span className="tree-name">
          <Icon size={18} stroke={1.7} aria-label={account.holder.kind === "team" ? "team" : "person"} />
          {account.mine.mayRelease ? (
            <Link to="/datasets/$dataset/plan" params={{ dataset }} search={{ account: account.id }}>
              {account.name}
            </Link>
          ) : (
            account.name
          )}
          {account.mine.mayRelease ? <Tag tone="good">yours</Tag> : null}
          {account.kind === "cap" ? <Tag>cap</Tag> : null}
          {account.status === "active" ? null : <Tag tone="warn">{account.status}</Tag>}
          {account.mine.mayManage && account.status !== "closed" ? (
            <button
              type="button"
              className="tool"
              aria-label={`Change the quota of ${account.path.join(" › ")}`}
              onClick={() => onEdit(account)}
            >
              Change
            </button>
          ) : null}
        </span>
        <Meter label={`Used by ${account.name}`} used={balance.used} />
        <span className="tree-amount">
          <Amount unit={gaugeUnit(balance)} of={gauge.spent} /> of <Amount of={gauge.cap} />
          {children.length > 0 ? (
            <span className="soft">
              {" "}
              · <Amount of={account.free.epsilon} /> free
            </span>
          ) : null}
        </span>
      </div>
      {children.length === 0 ? null : (
        <ul>
          {children.map((child) => (
            <Branch key={child.id} account={child} all={all} dataset={dataset} onEdit={onEdit} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Accounts whose parent is the ledger or is not visible to me. */
const rootsOf = (all: readonly Account[]): readonly Account[] =>
  all.filter(({ parent }) => parent === null || !all.some(({ id }) => id === parent));
