import type { Account, Dataset } from "@dosimeter/client";
import { headroomOf, openPlan } from "@dosimeter/planner";
import { formatAmount } from "@dosimeter/plot";
import type { Declaration } from "@dosimeter/query/declaration";
import { Button } from "@mantine/core";
import { getRouteApi, Link, useLocation } from "@tanstack/react-router";
import { Suspense, useEffect, useState } from "react";
import { useDataset, useJoinable } from "../api/datasets.ts";
import { joiningDeclaration } from "../api/declaration.ts";
import { lazy } from "../api/part.ts";
import { formatCost } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, DatasetCrumbs, Page } from "../parts/Page.tsx";
import { Empty, Loading, PendingPage } from "../parts/Pending.tsx";
import { isMore, sumOf } from "../sums.ts";
import { Alerts } from "./Alerts.tsx";
import { sampleSize } from "./account-terms.ts";
import { useDraftParts } from "./drafts/Drafts.tsx";
import { freshIn } from "./kept-plan.ts";
import { PlanBench } from "./PlanBench.tsx";
import type { AskedOf } from "./plan-bench.ts";
import { QuoteFacts } from "./QuoteFacts.tsx";
import { Repeated } from "./Repeated.tsx";
import { riskOf } from "./risk-of.ts";
import { type BegunPlan, opensWith, useBegunPlan, useKeptPlan } from "./use-kept-plan.tsx";
import { usePlanner } from "./use-planner.ts";
import { useQuoted } from "./use-quoted.ts";
import { useReview } from "./use-review.tsx";
import { withRows } from "./workbench.ts";

const AccountTerms = lazy(async () => ({ default: (await import("./AccountTerms.tsx")).AccountTerms }));
const PlanSide = lazy(async () => ({ default: (await import("./PlanSide.tsx")).PlanSide }));
const SampleReading = lazy(async () => ({ default: (await import("./SampleReading.tsx")).SampleReading }));

const route = getRouteApi("/datasets/$dataset/plan");

/** Choose statistics, see every error before paying, release. */
export function PlanPage() {
  const { dataset: id } = route.useParams();
  const { account: wanted } = route.useSearch();
  const dataset = useDataset(id);
  const joinable = useJoinable(dataset.data);
  const typed = useBegunPlan(id);
  const [opened, setOpened] = useState(0);
  return (
    <PendingPage of={dataset} name="Plan a release">
      {(data) => {
        const payers = data.accounts.filter((account) => account.mine.mayRelease);
        const account = payers.find((payer) => payer.id === wanted) ?? payers[0];
        if (account === undefined) return <CannotPlan dataset={data} hasAccount={false} />;
        return (
          <PendingPage of={joinable} name="Plan a release">
            {(others) => {
              const declaration = joiningDeclaration(data, others);
              if (declaration === null) return <CannotPlan dataset={data} hasAccount />;
              return (
                <PendingPage of={typed} name="Plan a release">
                  {(there) => (
                    <Suspense fallback={<Loading lines={8} />}>
                      <Planner
                        key={opened}
                        {...{ dataset: data, account, payers, declaration }}
                        begin={() => typed.begun(there)}
                        onReload={() => {
                          typed.drop();
                          void typed.refetch().then(() => setOpened((times) => times + 1));
                        }}
                      />
                    </Suspense>
                  )}
                </PendingPage>
              );
            }}
          </PendingPage>
        );
      }}
    </PendingPage>
  );
}

function CannotPlan({ dataset, hasAccount }: { dataset: Dataset; hasAccount: boolean }) {
  return (
    <Page title={`Plan on ${dataset.name}`} crumbs={<DatasetCrumbs id={dataset.id} name={dataset.name} />}>
      <Card>
        <Empty
          title={hasAccount ? "This dataset cannot be planned on here" : "No budget yet"}
          action={
            hasAccount ? undefined : (
              <ButtonLink to="/requests/new" search={{ dataset: dataset.id }} variant="default">
                Ask for budget
              </ButtonLink>
            )
          }
        >
          {hasAccount
            ? "Its declaration was written for another version of Dosimeter."
            : "Ask the admin of the dataset or of your team for budget."}
        </Empty>
      </Card>
    </Page>
  );
}

/** The page of an account without budget: what is still possible. */
function UsedUp({ account, dataset }: { account: Account; dataset: string }) {
  return (
    <div className="above-16">
      <Notice tone="warn" title={`Nothing is left on ${account.path.join(" › ")}`}>
        <p>What was released stays readable for free. For new answers, ask the admin who gives out this budget.</p>
        <div className="page-actions below-12">
          <ButtonLink to="/requests/new" search={{ dataset, account: account.id }} variant="default" size="sm">
            Ask for more
          </ButtonLink>
          <ButtonLink to="/datasets/$dataset/released" params={{ dataset }} variant="default" size="sm">
            Released answers
          </ButtonLink>
        </div>
      </Notice>
    </div>
  );
}

// long: the parts of one page, each with what it takes from the others
function Planner({
  dataset,
  account,
  payers,
  declaration,
  begin,
  onReload,
}: {
  dataset: Dataset;
  account: Account;
  payers: readonly Account[];
  declaration: Declaration;
  begin: () => BegunPlan;
  /** Opens the plan as it is at the server. */
  onReload: () => void;
}) {
  const navigate = route.useNavigate();
  const asked = useAsked();
  const repeated = useLocation({ select: ({ state }) => state.repeat });
  const [begun] = useState(begin);
  const planner = usePlanner(declaration, {
    headroom: headroomOf(dataset, account, { hasBlocks: declaration.blocks !== undefined }),
    begin: opensWith(begun),
  });
  const [isBegun] = useState(planner.rows.length > 0);
  const quoted = useQuoted(planner, { dataset, account, declaration, fresh: freshIn(begun.form) });
  const drafts = useDraftParts({ dataset, account, planner, hasPlan: begun.form !== null });
  const kept = useKeptPlan({
    planner,
    fresh: quoted.fresh,
    dataset,
    account,
    begun,
    isSaved: drafts.isSaved,
    onReload,
  });
  const { draft } = planner.bench;
  const { plan, charged } = quoted;
  const [isRefused, setRefused] = useState(false);
  const review = useReview({
    ...{ planner, quoted, account, declaration, isRefused },
    of: `plan ${dataset.id}`,
    onReleased: () => void kept.end(),
  });
  const { ready, left, after, digits } = review;
  const sampled = sampleSize(dataset, account, declaration);
  return (
    <Page
      title={`Plan on ${dataset.name}`}
      crumbs={<DatasetCrumbs id={dataset.id} name={dataset.name} />}
      lead="Choose statistics and split ε between them: a bigger share makes a smaller error. Nothing is read or paid until you release."
    >
      {left !== null && !isMore(left, "0") ? <UsedUp account={account} dataset={dataset.id} /> : null}
      <PlanBench
        planner={planner}
        asked={asked}
        isBegun={isBegun}
        facts={
          <QuoteFacts
            cost={quoted.isAdded ? charged : null}
            left={after}
            digits={digits}
            isLarge={left !== null && isMore(left, "0") && isMore(sumOf([charged, charged]), left)}
            quote={quoted.quoted}
            isFetching={quoted.isFetching}
            blocked={review.blocked}
          />
        }
        brief={after === null ? undefined : briefOf(charged, formatAmount(after, "down", digits))}
        onRefused={setRefused}
        alerts={
          <>
            {kept.notice}
            <Alerts account={account} quoted={quoted} planner={planner} />
          </>
        }
        ownedOf={quoted.ownedOf}
        settings={
          <AccountTerms
            account={account}
            payers={payers}
            hasReading={sampled !== null}
            onPayer={(payer) => void navigate({ search: (before) => ({ ...before, account: payer }) })}
          />
        }
        action={
          <Button disabled={review.open === undefined} onClick={review.open}>
            Review and release
          </Button>
        }
        onReview={review.open}
        delta={account.balance.delta.left ?? undefined}
        target={{
          dataset: { id: dataset.id, name: dataset.name },
          account: { id: account.id, path: account.path.join("/") },
          url: location.origin,
        }}
        risk={riskOf(
          dataset.ledger,
          ready.filter(({ id }) => quoted.ownedOf(id)?.isUsed !== true),
          charged,
        )}
        askMore={
          plan === null ? undefined : (
            <Link
              className="tool"
              to="/requests/new"
              search={{ account: account.id, epsilon: draft.pending?.needs ?? quoted.cost }}
              state={{ plan }}
            >
              Ask the owner for more, with this plan
            </Link>
          )
        }
        more={
          <>
            {sampled === null ? null : (
              <Suspense fallback={null}>
                <SampleReading dataset={dataset} rows={sampled} />
              </Suspense>
            )}
            {repeated === undefined ? null : (
              <Repeated
                given={repeated}
                version={dataset.version}
                cost={quoted.cost}
                onOpen={() =>
                  planner.attempt("earlier plan opened", (before) =>
                    withRows(before, openPlan(repeated.plan, before.draft, declaration)),
                  )
                }
              />
            )}
          </>
        }
        tools={
          <>
            {drafts.tool}
            {kept.tool}
          </>
        }
        side={
          <>
            {drafts.card}
            {plan === null ? null : (
              <Suspense fallback={null}>
                <PlanSide dataset={dataset} account={account} quoted={quoted} />
              </Suspense>
            )}
          </>
        }
      />
      {review.dialog}
    </Page>
  );
}

/** The question in the address, which is taken out of it: opened again, it asks nothing twice. With the prices that it had on its card. */
function useAsked(): AskedOf | undefined {
  const { ask } = route.useSearch();
  const prices = useLocation({ select: ({ state }) => state.prices });
  const navigate = route.useNavigate();
  const [asked] = useState(ask === undefined ? undefined : { text: ask, prices });
  useEffect(() => {
    if (ask !== undefined)
      void navigate({ search: ({ ask: _, ...before }) => before, replace: true, resetScroll: false });
  }, [ask, navigate]);
  return asked;
}

const briefOf = (cost: string, left: string): string => `this plan costs ε ${formatCost(cost)} · left after ε ${left}`;
