import type { Account, Ledger } from "@dosimeter/client";
import { IconUser, IconUsersGroup } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useAccountTree } from "../api.ts";
import { gaugeUnit } from "../charts.ts";
import { Amount } from "../parts/Amount.tsx";
import { Meter } from "../parts/Balance.tsx";
import { Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";

/** Who may spend how much, as a tree. A quota is permission to spend; it is not a privacy guarantee. */
export function AccountTree({ ledger, dataset }: { ledger: Ledger; dataset: string }) {
  const accounts = useAccountTree(ledger.id);
  return (
    <Pending of={accounts} lines={3}>
      {(all) =>
        all.length === 0 ? (
          <Empty title="No account yet">
            {ledger.mine.mayGrant ? (
              <>
                Give a team or a person a quota, so that they can spend:{" "}
                <span className="code">dosimeter account create --help</span>
              </>
            ) : (
              "The dataset’s admin has not given anyone a quota that you can see."
            )}
          </Empty>
        ) : (
          <>
            <ul className="tree">
              {rootsOf(all).map((account) => (
                <Branch key={account.id} account={account} all={all} dataset={dataset} />
              ))}
            </ul>
            <p className="small soft" style={{ margin: "12px 0 0" }}>
              Free at the top: <Amount unit="ε" of={ledger.free.epsilon} />. Quotas are permission to spend; the
              guarantee above holds whatever they are.
            </p>
          </>
        )
      }
    </Pending>
  );
}

function Branch({ account, all, dataset }: { account: Account; all: readonly Account[]; dataset: string }) {
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
            <Branch key={child.id} account={child} all={all} dataset={dataset} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** Accounts whose parent is the ledger or is not visible to me. */
const rootsOf = (all: readonly Account[]): readonly Account[] =>
  all.filter(({ parent }) => parent === null || !all.some(({ id }) => id === parent));
