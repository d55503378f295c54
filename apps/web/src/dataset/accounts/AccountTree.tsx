import type { Account, Ledger } from "@dosimeter/client";
import { gaugeTexts } from "@dosimeter/plot";
import { Button } from "@mantine/core";
import { IconTarget, IconUser, IconUsersGroup } from "@tabler/icons-react";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAccountTree } from "../../api/ledgers.ts";
import { dialOf, gaugeUnit } from "../../charts.ts";
import { Amount } from "../../parts/Amount.tsx";
import { ButtonLink } from "../../parts/buttons.tsx";
import { Meter } from "../../parts/Gauge.tsx";
import { Facts, Tag } from "../../parts/Page.tsx";
import { Empty, Pending } from "../../parts/Pending.tsx";
import { dayText } from "../../parts/words.ts";
import { EditAccount } from "./EditAccount.tsx";
import { Icicle } from "./Icicle.tsx";
import { InAdvance } from "./InAdvance.tsx";
import { OpenAccount } from "./OpenAccount.tsx";
import { childrenOf, rootsOf } from "./tree.ts";

const route = getRouteApi("/datasets/$dataset");

/** Who can spend how much, as a picture and as a list. A quota is permission to spend; it is not a privacy guarantee. */
export function AccountTree({ ledger, dataset }: { ledger: Ledger; dataset: string }) {
  const accounts = useAccountTree(ledger.id);
  const [chosen, setChosen] = useState<string | null>(null);
  const [edited, setEdited] = useState<string | null>(null);
  // In the address, so that a link opens it.
  const isOpening = route.useSearch().give !== undefined;
  const navigate = useNavigate();
  const setOpening = (isOpen: boolean) =>
    void navigate({
      to: "/datasets/$dataset",
      params: { dataset },
      search: { tab: "budget", ...(isOpen ? { give: "quota" } : {}) },
      resetScroll: false,
      replace: true,
    });
  const all = accounts.data ?? [];
  const parents = all.filter(({ mine, status }) => (mine.mayGrant || mine.maySetAside) && status === "active");
  const shown = all.find(({ id }) => id === chosen);
  const changing = all.find(({ id }) => id === edited);
  const opener =
    ledger.mine.mayGrant || parents.length > 0 ? (
      <Button size="xs" variant="default" onClick={() => setOpening(true)}>
        {ledger.mine.mayGrant || parents.some(({ mine }) => mine.mayGrant)
          ? "Give budget to …"
          : "Set some aside for a purpose"}
      </Button>
    ) : undefined;
  return (
    <>
      <Pending of={accounts} lines={3}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="No budgets yet" action={opener}>
              {ledger.mine.mayGrant
                ? "Give a team or a person a budget, so that they can spend."
                : "The dataset’s admin has not given anyone a budget that you can see."}
            </Empty>
          ) : (
            <div className="stack">
              <Icicle ledger={ledger} accounts={found} chosen={chosen} onChoose={setChosen} />
              {shown === undefined ? null : (
                <Chosen account={shown} dataset={dataset} onEdit={() => setEdited(shown.id)} />
              )}
              <details open={found.length <= 12}>
                <summary>Show as a list</summary>
                <ul className="tree">
                  {rootsOf(found).map((account) => (
                    <Branch key={account.id} account={account} all={found} dataset={dataset} onEdit={setEdited} />
                  ))}
                </ul>
              </details>
              <p className="small soft flush">
                Free at the top: <Amount unit="ε" isRoom of={ledger.free.epsilon} />.{" "}
                {ledger.mode === "overbooked"
                  ? "This ledger is overbooked: its budgets may exceed the lifetime, and those who spend first get it."
                  : "Others cannot use up what a budget was given."}{" "}
                Budgets are permission to spend; the guarantee above does not depend on them.
              </p>
              {opener === undefined ? null : <div>{opener}</div>}
              {ledger.mine.mayGrant ? (
                <InAdvance ledger={ledger.id} on={ledger.datasets.map(({ name }) => name).join(" and ")} payer={null} />
              ) : null}
            </div>
          )
        }
      </Pending>
      {changing === undefined ? null : (
        <EditAccount
          account={changing}
          ledgerFree={ledger.free.epsilon}
          accounts={all}
          onClose={() => setEdited(null)}
        />
      )}
      {isOpening && accounts.isSuccess && opener !== undefined ? (
        <OpenAccount
          ledger={ledger.id}
          on={ledger.datasets.map(({ name }) => name).join(" and ")}
          parents={parents}
          mayGrantAtTop={ledger.mine.mayGrant}
          onClose={() => setOpening(false)}
        />
      ) : null}
    </>
  );
}

const mayEdit = ({ mine, status }: Account): boolean => mine.mayManage && status !== "closed";

/** The accounts for which the picture has no room. */
function Chosen({ account, dataset, onEdit }: { account: Account; dataset: string; onEdit: () => void }) {
  const { quota, free, expiresAt, queryEpsilon, sentence, mode, mine } = account;
  return (
    <section className="chosen-account stack" aria-label={account.path.join(" › ")} aria-live="polite">
      <h3 className="flush">{account.path.join(" › ")}</h3>
      <Facts
        of={{
          "Budget ε": <Amount isRoom of={quota.epsilon} />,
          "Budget δ": <Amount isRoom of={quota.delta} />,
          "Free ε": <Amount isRoom of={free.epsilon} />,
          "Gives out": mode === "funded" ? "at most what it has" : "more than it has (overbooked)",
          "Limit for one charge": queryEpsilon === null ? "no limit" : <Amount unit="ε" isRoom of={queryEpsilon} />,
          Ends: expiresAt === null ? "never" : dayText(expiresAt),
        }}
      />
      {sentence === null ? null : <p className="flush">{sentence}</p>}
      <div className="page-actions">
        {mayEdit(account) ? (
          <Button size="xs" variant="default" onClick={onEdit}>
            Change
          </Button>
        ) : null}
        {mine.mayRelease ? (
          <ButtonLink to="/datasets/$dataset/plan" params={{ dataset }} search={{ account: account.id }} size="xs">
            Plan a release
          </ButtonLink>
        ) : null}
      </div>
    </section>
  );
}

interface BranchProps {
  account: Account;
  all: readonly Account[];
  dataset: string;
  onEdit: (account: string) => void;
}

function Branch({ account, all, dataset, onEdit }: BranchProps) {
  const children = childrenOf(all, account);
  const { balance } = account;
  const dial = dialOf(account.name, balance, { free: account.free.epsilon });
  const texts = gaugeTexts(dial);
  return (
    <li>
      <div className="tree-row">
        <span className="tree-name">
          <span className="tree-who">
            <HolderIcon kind={account.holder.kind} />
            {account.mine.mayRelease ? (
              <Link to="/datasets/$dataset/plan" params={{ dataset }} search={{ account: account.id }}>
                {account.name}
              </Link>
            ) : (
              account.name
            )}
          </span>
          {account.mine.mayRelease ? <Tag tone="good">yours</Tag> : null}
          {account.kind === "cap" ? <Tag>cap</Tag> : null}
          {account.status === "active" ? null : <Tag tone="warn">{account.status}</Tag>}
          {mayEdit(account) ? (
            <button
              type="button"
              className="tool"
              aria-label={`Change the budget of ${account.path.join(" › ")}`}
              onClick={() => onEdit(account.id)}
            >
              Change
            </button>
          ) : null}
        </span>
        <Meter label={`Used by ${account.name}`} used={balance.used} />
        <span className="tree-amount">
          <Amount unit={gaugeUnit(balance)} of={dial.spent} as={texts.spent} /> of{" "}
          <Amount isRoom of={dial.total} as={texts.total} /> spent
          {children.length > 0 ? (
            <span className="soft">
              {" "}
              · <Amount of={dial.promised} as={texts.promised} /> promised ·{" "}
              <Amount isRoom of={dial.free} as={texts.free} /> free
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

function HolderIcon({ kind }: { kind: Account["holder"]["kind"] }): ReactNode {
  const Icon = kind === "team" ? IconUsersGroup : kind === "purpose" ? IconTarget : IconUser;
  return <Icon size={18} stroke={1.7} aria-label={kind} />;
}
