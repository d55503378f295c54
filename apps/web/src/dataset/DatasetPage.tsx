import type { Dataset } from "@dosimeter/client";
import { PrivacyError, ruleRow } from "@dosimeter/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useAccountTree } from "../api/accounts.ts";
import { useDataset } from "../api/datasets.ts";
import { useLedger } from "../api/ledgers.ts";
import { useReuse, useVersions } from "../api/reuse.ts";
import { LedgerAudit } from "../audit/LedgerAudit.tsx";
import { Access } from "./Access.tsx";
import { Amendments } from "./Amendments.tsx";
import { AccountTree } from "./accounts/AccountTree.tsx";
import { Reserved } from "./accounts/Reserved.tsx";
import { declarationOf } from "./declaration.ts";
import { Entries } from "./Entries.tsx";
import { RuleSettings } from "./RuleSettings.tsx";
import { BurnDown } from "./reports/BurnDown.tsx";
import { Reports } from "./reports/Reports.tsx";
import { Schema } from "./Schema.tsx";
import { Statement } from "./Statement.tsx";
import { protectionText } from "./words.ts";
import "./dataset.css";
import { CheckLedger } from "../audit/CheckLedger.tsx";
import { activeRuleText } from "../charts.ts";
import { SetUpNotice } from "../new-dataset/SetUpNotice.tsx";
import { Amount } from "../parts/Amount.tsx";
import { BalanceGauge } from "../parts/Balance.tsx";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Facts, Page } from "../parts/Page.tsx";
import { Pending, PendingPage, Together } from "../parts/Pending.tsx";
import { dayText } from "../parts/time.ts";
import { Saved } from "../reuse/Saved.tsx";
import { Versions } from "../reuse/Versions.tsx";

const route = getRouteApi("/datasets/$dataset");

/** One dataset: what has been promised about its people, what has been spent, by whom, and what its columns are. */
export function DatasetPage() {
  const { dataset: id } = route.useParams();
  const dataset = useDataset(id);
  return (
    <PendingPage
      of={dataset}
      name="Dataset"
      wayOn={
        dataset.error instanceof PrivacyError && dataset.error.code === "NOT_FOUND" ? (
          <ButtonLink to="/requests/new" search={{ dataset: id }}>
            Ask for access
          </ButtonLink>
        ) : null
      }
    >
      {(data) => <Shown dataset={data} />}
    </PendingPage>
  );
}

function Shown({ dataset }: { dataset: Dataset }) {
  const payer = dataset.accounts.find((account) => account.mine.mayRelease);
  const { id = "" } = dataset.ledger ?? {};
  const ofLedger = [useLedger(id, id !== ""), useAccountTree(id, id !== ""), useReuse(dataset.id, id !== "")];
  const versions = useVersions(dataset.id);
  return (
    <Page
      title={dataset.name}
      crumbs={<Link to="/datasets">Datasets</Link>}
      lead={
        <>
          The guarantee {protectionText(dataset.adjacency, dataset.privacyUnit)}. Version {dataset.version}, since{" "}
          {dayText(dataset.createdAt)}.
        </>
      }
      actions={
        payer === undefined ? null : (
          <ButtonLink to="/datasets/$dataset/plan" params={{ dataset: dataset.id }} search={{ account: payer.id }}>
            Plan a release
          </ButtonLink>
        )
      }
    >
      {dataset.ledger === null ? null : <OnThisPage />}
      <Together of={id === "" ? [versions] : [...ofLedger, versions]}>
        <div className="stack">
          {dataset.ledger === null ? (
            <Notice tone="warn" title="The ledger is not open yet">
              <p>Nothing can be released until a dataset admin decides the lifetime budget.</p>
              {dataset.myRoles.includes("datasetAdmin") ? (
                <ButtonLink to="/datasets/$dataset/open" params={{ dataset: dataset.id }}>
                  Open the ledger
                </ButtonLink>
              ) : null}
            </Notice>
          ) : (
            <Promised id={dataset.ledger.id} dataset={dataset} />
          )}
          <SetUpNotice dataset={dataset} />
          {dataset.ledger === null ? null : <Saved dataset={dataset} />}
          <Versions dataset={dataset} />
          <Card title="Columns">
            <Schema dataset={dataset} />
          </Card>
          <Card title="Access">
            <Access dataset={dataset} />
          </Card>
          {dataset.ledger === null ? null : <Lines ledger={dataset.ledger.id} dataset={dataset} />}
        </div>
      </Together>
    </Page>
  );
}

const parts = [
  "The guarantee",
  "Budget",
  "Accounts",
  "Totals by accountant",
  "Columns",
  "Access",
  "Amendments",
  "Ledger",
] as const;

/** Links to the parts of the page. The parts load one after another, so each is looked up on a click. */
function OnThisPage() {
  const go = (name: string) => {
    const part = document.querySelector<HTMLElement>(`#page section[aria-label="${name}"]`);
    part?.setAttribute("tabindex", "-1");
    part?.focus({ preventScroll: true });
    part?.scrollIntoView({ behavior: "instant", block: "start" });
  };
  return (
    <nav className="on-this-page" aria-label="On this page">
      {parts.map((name) => (
        <button key={name} type="button" className="tool" onClick={() => go(name)}>
          {name}
        </button>
      ))}
    </nav>
  );
}

/** Every version of the promise, and every line of the ledger. */
function Lines({ ledger: id, dataset }: { ledger: string; dataset: Dataset }) {
  const ledger = useLedger(id);
  const size = declarationOf(dataset)?.size;
  const people = size === undefined ? null : "public" in size ? size.public : size.assumed;
  return (
    <Pending of={ledger}>
      {(open) => (
        <>
          <Card title="Amendments">
            <Amendments ledger={open} people={people} />
          </Card>
          <Card title="Ledger">
            <div className="stack">
              <Entries ledger={id} mayAudit={open.mine.mayAudit} />
              {open.mine.mayAudit ? <LedgerAudit ledger={id} /> : null}
            </div>
          </Card>
          {open.mine.mayAudit ? <CheckLedger ledger={id} /> : null}
        </>
      )}
    </Pending>
  );
}

/** The guarantee (what is true) and the budget (what may be spent), side by side. */
function Promised({ id, dataset }: { id: string; dataset: Dataset }) {
  const ledger = useLedger(id);
  return (
    <Pending of={ledger}>
      {(open) => (
        <>
          <Statement ledger={open} />
          <Card title="Budget">
            <div className="stack">
              <BalanceGauge title={`Budget of ${dataset.name}`} balance={open.balance} free={open.free.epsilon} />
              <Reserved ledger={id} />
              <Facts
                of={{
                  "Lifetime ε": <Amount of={open.guarantee.epsilon} />,
                  "Lifetime δ": <Amount of={open.guarantee.delta} />,
                  "δ for composition": <Amount of={open.guarantee.deltaFilter} />,
                  "δ for selections": <Amount of={open.guarantee.deltaSelection} />,
                  Rule: ruleRow(open.rule).words.short,
                  "Active rule": activeRuleText(open),
                  ...(open.datasets.length > 1
                    ? {
                        "Shared with": open.datasets
                          .filter((other) => other.id !== dataset.id)
                          .map((other) => other.name)
                          .join(", "),
                      }
                    : {}),
                }}
              />
              {open.datasets.length > 1 ? (
                <p className="small soft" style={{ margin: 0 }}>
                  The people in {open.datasets.map(({ name }) => name).join(" and ")} are the same: one guarantee, one
                  budget, for questions to any of them.
                </p>
              ) : null}
              <p className="small soft" style={{ margin: 0 }}>
                The guarantee above belongs to the ledger and covers everyone together. This budget and the accounts
                below only set who can use how much of it.
              </p>
              {open.mine.mayManage ? <RuleSettings ledger={open} dataset={dataset.id} /> : null}
              {open.status === "frozen" ? (
                <Notice tone="warn" title="This ledger is frozen">
                  <p>It accepts no charges until an admin unfreezes it.</p>
                </Notice>
              ) : null}
            </div>
          </Card>
          <Card
            title="Accounts"
            aside={
              open.mine.mayGrant ? null : (
                <Link to="/requests/new" search={{ dataset: dataset.id }} className="small">
                  Ask for quota
                </Link>
              )
            }
          >
            <AccountTree ledger={open} dataset={dataset.id} />
          </Card>
          {dataset.accounts.map((account) => (
            <Card key={account.id} title={`Your budget · ${account.path.join(" › ")}`}>
              <BurnDown account={account} />
            </Card>
          ))}
          <Card title="Totals by accountant">
            <Reports ledger={open} />
          </Card>
        </>
      )}
    </Pending>
  );
}
