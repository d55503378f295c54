import type { Account, Dataset, PlanRequest } from "@dosimeter/client";
import type { Declaration } from "@dosimeter/query";
import { Button, NativeSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDataset, useQuote } from "../api.ts";
import { isMore, lessOf } from "../charts.ts";
import { declarationOf } from "../dataset/declaration.ts";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { CommitInput } from "../plan/CommitInput.tsx";
import { suggestions } from "../plan/columns.ts";
import { QuotePanel } from "../plan/QuotePanel.tsx";
import { Review } from "../plan/Review.tsx";
import { StatisticRow } from "../plan/StatisticRow.tsx";
import {
  costOf,
  edited,
  faultOf,
  openWorkbench,
  readyPlan,
  rowsOf,
  type Workbench,
  withNewRow,
  withSettings,
} from "../plan/workbench.ts";

const route = getRouteApi("/datasets/$dataset/plan");
const QUOTE_AFTER_MS = 300;
/** A first plan starts small: half an ε, or what is left. */
const FIRST_EPSILON = "0.5";

/** Choose statistics, see every error before paying, release. */
export function PlanPage() {
  const { dataset: id } = route.useParams();
  const { account: wanted } = route.useSearch();
  const dataset = useDataset(id);
  return (
    <Pending of={dataset}>
      {(data) => {
        const payers = data.accounts.filter((account) => account.mine.mayRelease);
        const account = payers.find((payer) => payer.id === wanted) ?? payers[0];
        const declaration = declarationOf(data);
        if (account === undefined || declaration === null)
          return <CannotPlan dataset={data} hasAccount={account !== undefined} />;
        return <Planner key={account.id} dataset={data} account={account} payers={payers} declaration={declaration} />;
      }}
    </Pending>
  );
}

function CannotPlan({ dataset, hasAccount }: { dataset: Dataset; hasAccount: boolean }) {
  return (
    <Page title={`Plan on ${dataset.name}`} crumbs={<DatasetCrumb dataset={dataset} />}>
      <Card>
        <Empty title={hasAccount ? "This dataset cannot be planned on here" : "You hold no account that can pay"}>
          {hasAccount
            ? "Its declaration was written for another version of Dosimeter."
            : "A plan is paid from an account of your own. Ask the dataset’s admin, or the admin of your team, for a quota."}
        </Empty>
      </Card>
    </Page>
  );
}

const DatasetCrumb = ({ dataset }: { dataset: Dataset }) => (
  <>
    <Link to="/datasets">Datasets</Link> ›{" "}
    <Link to="/datasets/$dataset" params={{ dataset: dataset.id }}>
      {dataset.name}
    </Link>
  </>
);

function Planner({
  dataset,
  account,
  payers,
  declaration,
}: {
  dataset: Dataset;
  account: Account;
  payers: readonly Account[];
  declaration: Declaration;
}) {
  const navigate = route.useNavigate();
  const [bench, setBench] = useState<Workbench>(() => openWorkbench(declaration, firstEpsilon(account)));
  const [reviewKey, setReviewKey] = useState<string | null>(null);
  const rows = rowsOf(bench);
  const ready = rows.filter((row) => row.quote !== null);
  const plan = readyPlan(bench, rows);
  const cost = costOf(rows);
  const request: PlanRequest | null =
    plan === null ? null : { dataset: dataset.id, account: account.id, plan: plan as PlanRequest["plan"] };
  // Compared as text: a plan is a new object at every keystroke, and the same question is asked once.
  const question = JSON.stringify(request);
  const [asked] = useDebouncedValue(question, QUOTE_AFTER_MS, { leading: true });
  const isSettled = asked === question;
  const quote = useQuote(JSON.parse(asked) as PlanRequest | null);
  const isAdmitted = isSettled && quote.data?.admitted === true;

  /** Takes an edit, or says why not. */
  const attempt = (change: (bench: Workbench) => Workbench): string | undefined => {
    try {
      setBench(change(bench));
      return undefined;
    } catch (error) {
      return faultOf(error).message;
    }
  };

  const left = account.balance.lane === "addition" ? account.balance.epsilon.left : null;
  return (
    <Page
      title={`Plan on ${dataset.name}`}
      crumbs={<DatasetCrumb dataset={dataset} />}
      lead="Choose statistics and split ε between them: a bigger share makes a smaller error. Nothing is read or paid until you release."
    >
      <div className="plan-layout">
        <div className="stack">
          <Card>
            <div
              style={{ display: "grid", gap: "14px 18px", gridTemplateColumns: "repeat(auto-fit, minmax(150px, 1fr))" }}
            >
              <CommitInput
                label="ε for this plan"
                inputMode="decimal"
                value={bench.draft.epsilon}
                onCommit={(epsilon) => attempt((before) => edited(before, { kind: "total", epsilon }))}
              />
              <NativeSelect
                label="Errors hold with"
                value={String(bench.draft.confidence)}
                onChange={(event) => {
                  const confidence = Number(event.currentTarget.value);
                  setBench((before) => edited(before, { kind: "confidence", confidence }));
                }}
                data={[0.8, 0.9, 0.95, 0.99, 0.999].map((value) => ({
                  value: String(value),
                  label: `${Number((value * 100).toPrecision(4))} %`,
                }))}
              />
              <CommitInput
                label="Assume people"
                inputMode="numeric"
                placeholder={sizeText(declaration)}
                value={bench.draft.people === null ? "" : String(bench.draft.people)}
                onCommit={(text) => {
                  const people = text === "" ? null : Number(text.replaceAll(",", ""));
                  if (people !== null && !(Number.isSafeInteger(people) && people > 0))
                    return "Must be a whole number above 0.";
                  return attempt((before) => edited(before, { kind: "people", people }));
                }}
              />
              {payers.length > 1 ? (
                <NativeSelect
                  label="Paid by"
                  value={account.id}
                  onChange={(event) => void navigate({ search: { account: event.currentTarget.value } })}
                  data={payers.map((payer) => ({ value: payer.id, label: payer.path.join(" › ") }))}
                />
              ) : null}
            </div>
          </Card>
          {isMore(bench.draft.over, "0") ? (
            <Notice tone="danger" title={`The shares are over by ε ${bench.draft.over}`}>
              <p>What you typed is kept. Lower a share, let go of one that is held, or raise the ε of this plan.</p>
            </Notice>
          ) : null}
          {rows.length === 0 ? (
            <Card title="Start with a statistic">
              <p className="soft" style={{ marginTop: 0 }}>
                These come from the declared columns. Pick one, see its error, change what you like.
              </p>
              <div className="page-actions">
                {suggestions(declaration).map(({ label, ...settings }) => (
                  <Button key={label} variant="light" onClick={() => attempt((before) => withNewRow(before, settings))}>
                    {label}
                  </Button>
                ))}
              </div>
            </Card>
          ) : (
            <div className="plan-rows">
              {rows.map((row, index) => (
                <StatisticRow
                  key={row.id}
                  row={row}
                  number={index + 1}
                  declaration={declaration}
                  actions={{
                    change: (settings) => attempt((before) => withSettings(before, row.id, settings)),
                    setShare: (epsilon) =>
                      attempt((before) => edited(before, { kind: "epsilon", id: row.id, epsilon })),
                    setError: (text) => {
                      const accuracy = Number(text.replaceAll(/[,±\s]/g, ""));
                      if (text === "" || !(accuracy > 0)) return "Must be a number above 0.";
                      return attempt((before) => edited(before, { kind: "accuracy", id: row.id, accuracy }));
                    },
                    hold: (isHeld) =>
                      attempt((before) =>
                        edited(before, { kind: "mode", id: row.id, mode: isHeld ? "share" : "free" }),
                      ),
                    remove: () => attempt((before) => edited(before, { kind: "remove", id: row.id })),
                  }}
                />
              ))}
            </div>
          )}
          <div className="page-actions" style={{ justifyContent: "space-between" }}>
            <Button
              variant="default"
              leftSection={<IconPlus size={17} aria-hidden />}
              onClick={() => attempt((before) => withNewRow(before, {}))}
            >
              Add a statistic
            </Button>
            <Button disabled={!isAdmitted || isMore(bench.draft.over, "0")} onClick={() => setReviewKey(newKey())}>
              Review and release
            </Button>
          </div>
        </div>
        <div className="plan-side">
          <QuotePanel
            account={account}
            cost={cost}
            quote={request === null ? undefined : quote.data}
            error={request === null ? null : quote.error}
            isFetching={request !== null && (quote.isFetching || !isSettled)}
            onFit={(epsilon) => attempt((before) => edited(before, { kind: "total", epsilon }))}
          />
        </div>
      </div>
      {reviewKey === null || request === null ? null : (
        <Review
          request={request}
          rows={ready}
          cost={cost}
          leftOut={rows.length - ready.length}
          isLast={left !== null && !isMore(left, cost)}
          submissionKey={reviewKey}
          onClose={() => setReviewKey(null)}
        />
      )}
    </Page>
  );
}

function firstEpsilon({ balance }: Account): string {
  const left = balance.lane === "addition" ? balance.epsilon.left : null;
  return left !== null && isMore(FIRST_EPSILON, left) && isMore(left, "0") ? lessOf(left, "0") : FIRST_EPSILON;
}

function sizeText({ size }: Declaration): string {
  if (size === undefined) return "not declared";
  return "public" in size ? `${size.public}, public` : `${size.assumed}, declared`;
}

/** 128 random bits: one key for one reviewed plan. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
