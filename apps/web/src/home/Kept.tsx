import type { Account, DatasetSummary } from "@dosimeter/client";
import { protectedUnit } from "@dosimeter/core";
import { Link } from "@tanstack/react-router";
import { useEveryDataset } from "../api/datasets.ts";
import { useAccountTree, useAccountTrees, useLedger, useLedgers, useRequests } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Gauge, percentText } from "../parts/Gauge.tsx";
import { Card, Tag } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";
import { epsilonLeft, isMore } from "../sums.ts";

/** Budgets shown on the home page; the others are among the datasets. */
const MAX_SHOWN = 8;

/** A budget that I keep: datasets of mine about the same people. */
interface KeptBudget {
  /** null: its ledger is not open yet. */
  readonly ledger: string | null;
  readonly datasets: readonly DatasetSummary[];
}

/** The budgets of the datasets that I administer, once all that their rows show is there. */
export function useKept(administered: readonly string[]): {
  readonly isPending: boolean;
  readonly budgets: readonly KeptBudget[];
} {
  const isAsked = administered.length > 0;
  const all = useEveryDataset(isAsked);
  const mine = isAsked ? (all.data ?? []).filter(({ id }) => administered.includes(id)) : [];
  const budgets = [...Map.groupBy(mine, ({ population }) => population).values()]
    .slice(0, MAX_SHOWN)
    .map((datasets) => ({ ledger: datasets[0]?.ledger?.id ?? null, datasets }));
  const open = budgets.flatMap(({ ledger }) => (ledger === null ? [] : [ledger]));
  const parts = [...useLedgers(open), ...useAccountTrees(open)];
  return { isPending: isAsked && (all.isPending || parts.some(({ isPending }) => isPending)), budgets };
}

/** The budgets that I keep for others: a row for each ledger. */
export function Kept({ budgets }: { budgets: readonly KeptBudget[] }) {
  return (
    <Card title="Budgets you keep" aside={<Link to="/datasets">All datasets</Link>}>
      <ul className="budget-rows">
        {budgets.map(({ ledger, datasets }) => (
          <li key={datasets[0]?.id} aria-label={`Budget of ${datasets.map(({ name }) => name).join(" and ")}`}>
            <div className="budget-name">
              <strong>
                {datasets.map(({ id, name }, index) => (
                  <span key={id}>
                    {index === 0 ? null : " and "}
                    <Link to="/datasets/$dataset" params={{ dataset: id }}>
                      {name}
                    </Link>
                  </span>
                ))}
              </strong>
              <p className="soft small">
                protects {protectedUnit("one", datasets[0]?.privacyUnit ?? "", datasets[0]?.ledger?.blocks)}
              </p>
            </div>
            {ledger === null ? <NotOpen dataset={datasets[0]?.id ?? ""} /> : <Row ledger={ledger} />}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function NotOpen({ dataset }: { dataset: string }) {
  return (
    <>
      <Tag tone="warn">no ledger yet</Tag>
      <span />
      <ButtonLink to="/datasets/$dataset/open" params={{ dataset }} variant="default" size="xs">
        Open the ledger
      </ButtonLink>
    </>
  );
}

function Row({ ledger: id }: { ledger: string }) {
  const ledger = useLedger(id);
  const accounts = useAccountTree(id);
  const received = useRequests("received");
  const waiting = (received.data ?? []).filter((one) => one.ledger === id && one.mine.mayDecide).length;
  const scarce = firstToRunOut(accounts.data ?? []);
  const [dataset] = ledger.data?.datasets ?? [];
  return (
    <>
      <Pending of={ledger} lines={2}>
        {(open) => (
          <Gauge
            title={`Budget of ${open.datasets.map(({ name }) => name).join(" and ")}`}
            balance={open.balance}
            free={open.free.epsilon}
            blocks={open.blocks}
          />
        )}
      </Pending>
      <div className="budget-waits small">
        {scarce === null ? null : (
          <span>
            First to run out: {scarce.name},{" "}
            <span className="nowrap">
              {epsilonLeft(scarce.balance) === null ? null : (
                <>
                  <Amount unit="ε" isRoom of={epsilonLeft(scarce.balance)} /> not spent,{" "}
                </>
              )}
              {percentText(scarce.balance.used)} used
            </span>
          </span>
        )}
        {waiting === 0 ? null : (
          <span>{waiting === 1 ? "One request waits" : `${waiting} requests wait`} for you, below</span>
        )}
      </div>
      <div className="row-actions">
        {dataset === undefined ? null : (
          <ButtonLink
            to="/datasets/$dataset"
            params={{ dataset: dataset.id }}
            search={{ tab: "budget" }}
            variant="default"
            size="xs"
            aria-label={`Give budget of ${dataset.name}`}
          >
            Give budget
          </ButtonLink>
        )}
      </div>
    </>
  );
}

/** The active account of which the largest part is used; of equal ones the one with the least left. */
function firstToRunOut(accounts: readonly Account[]): Account | null {
  const spent = accounts.filter(({ status, balance }) => status === "active" && balance.used > 0);
  return spent.reduce<Account | null>((least, one) => {
    if (least === null || one.balance.used > least.balance.used) return one;
    const [ours, theirs] = [one.balance.epsilon.left ?? "0", least.balance.epsilon.left ?? "0"];
    return one.balance.used === least.balance.used && isMore(theirs, ours) ? one : least;
  }, null);
}
