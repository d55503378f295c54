import type { Account, Balance, Dataset, Ledger } from "@dosimeter/client";
import { activeRuleRow, blockWord, ruleRow } from "@dosimeter/core";
import { budgetBar, burnDownChart, moreText } from "@dosimeter/plot";
import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import { useAccountTree, useLedger, useReport } from "../../api/ledgers.ts";
import { lazy } from "../../api/part.ts";
import { useReuse } from "../../api/reuse.ts";
import { activeRuleText, balanceBar } from "../../charts.ts";
import { declaredNoun } from "../../new-dataset/size.ts";
import { Amount } from "../../parts/Amount.tsx";
import { Figure } from "../../parts/Figure.tsx";
import { Card, Facts } from "../../parts/Page.tsx";
import { Pending, Together } from "../../parts/Pending.tsx";
import { Saved } from "../../reuse/Saved.tsx";
import { AccountTree } from "../accounts/AccountTree.tsx";
import { WaitingRequests } from "../accounts/InAdvance.tsx";

function BalanceGauge({ title, balance, free }: { title: string; balance: Balance; free: string | null }) {
  const { counting } = activeRuleRow(balance.activeRule);
  return (
    <div>
      <Figure isBare chart={(size) => budgetBar(balanceBar(title, balance, free), size)} />
      <p className="small soft flush below-8">
        δ for selections: spent <Amount of={balance.delta.spent} /> of <Amount isRoom of={balance.delta.cap} />
        {` · ${counting}`}
      </p>
    </div>
  );
}

/** The reader's own account: what is left, its past, and for how many more of the last questions it has room. */
function BurnDown({ account }: { account: Account }) {
  const report = useReport({ account: account.id });
  return (
    <div className="stack">
      <BalanceGauge
        title={`Budget of ${account.path.join(" › ")}`}
        balance={account.balance}
        free={account.free.epsilon}
      />
      {account.more === null ? null : (
        <p className="flush">
          <strong>{moreText(account.more)}</strong>, by the active rule.
        </p>
      )}
      <Pending of={report} lines={3}>
        {({ unit, left, charges }) => (
          <>
            {charges === 0 ? (
              <p className="flush">Nothing has been spent from it yet.</p>
            ) : (
              <Figure chart={(size) => burnDownChart({ unit, left }, { ...size, height: 220 })} />
            )}
          </>
        )}
      </Pending>
    </div>
  );
}

const BlockBudget = lazy(async () => ({ default: (await import("./BlockBudget.tsx")).BlockBudget }));

/** What may be spent: the lifetime budget, the accounts that it was given to, and the reader's own. */
export function BudgetTab({ dataset }: { dataset: Dataset }) {
  const { id = "" } = dataset.ledger ?? {};
  const ledger = useLedger(id, id !== "");
  const others = [useAccountTree(id, id !== ""), useReuse(dataset.id, id !== "")];
  return (
    <Together of={[ledger, ...others]}>
      <Pending of={ledger}>
        {(open) => (
          <div className="stack">
            <Card title="Budget">
              <Lifetime ledger={open} dataset={dataset} />
            </Card>
            <Card
              title="Budgets"
              aside={
                open.mine.mayGrant ? null : (
                  <Link to="/requests/new" search={{ dataset: dataset.id }} className="small">
                    Ask for budget
                  </Link>
                )
              }
            >
              <AccountTree ledger={open} dataset={dataset.id} />
            </Card>
            {open.blocks === undefined ? (
              dataset.accounts.map((account) => (
                <Card key={account.id} title={`Your budget · ${account.path.join(" › ")}`}>
                  <BurnDown account={account} />
                </Card>
              ))
            ) : (
              <Suspense fallback={null}>
                <BlockBudget dataset={dataset.id} ledger={open} every={open.blocks.every} />
              </Suspense>
            )}
            <Saved dataset={dataset} />
          </div>
        )}
      </Pending>
    </Together>
  );
}

function Lifetime({ ledger, dataset }: { ledger: Ledger; dataset: Dataset }) {
  const { guarantee, balance, free, rule, datasets } = ledger;
  const others = datasets.filter(({ id }) => id !== dataset.id).map(({ name }) => name);
  return (
    <div className="stack">
      <BalanceGauge title={`Budget of ${dataset.name}`} balance={balance} free={free.epsilon} />
      {ledger.blocks === undefined ? null : (
        <p className="small soft flush">
          This is the {blockWord(ledger.blocks)} with the least left; each {blockWord(ledger.blocks)} has the lifetime
          for itself.
        </p>
      )}
      <WaitingRequests ledger={ledger.id} />
      <Facts
        of={{
          "Lifetime ε": <Amount of={guarantee.epsilon} />,
          "Lifetime δ": <Amount of={guarantee.delta} />,
          "δ for composition": <Amount of={guarantee.deltaFilter} />,
          "δ for selections": <Amount of={guarantee.deltaSelection} />,
          Rule: ruleRow(rule).words.short,
          "Active rule": activeRuleText(ledger.activeRule),
          ...(others.length > 0 ? { "Shared with": others.join(", ") } : {}),
        }}
      />
      {datasets.length > 1 ? (
        <p className="small soft flush">
          The {declaredNoun(dataset).many} in {datasets.map(({ name }) => name).join(" and ")} are the same: one
          guarantee, one budget, for questions to any of them.
        </p>
      ) : null}
      <p className="small soft flush">
        The guarantee belongs to the ledger and covers everyone together. This budget and those below only set who can
        use how much of it.
      </p>
    </div>
  );
}
