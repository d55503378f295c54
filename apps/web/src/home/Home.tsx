import { type Account, roleWords } from "@dosimeter/client";
import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import { useDatasets } from "../api/datasets.ts";
import { useMyAccounts, useRequests } from "../api/ledgers.ts";
import { lazy } from "../api/part.ts";
import { useMe } from "../api/session.ts";
import { useUnfinished } from "../api/unfinished.ts";
import { Unfinished } from "../new-dataset/Unfinished.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty, Loading, Pending, Together } from "../parts/Pending.tsx";
import { AskAny } from "../plan/ask/AskAny.tsx";
import type { Askable } from "../plan/ask/use-askable.ts";
import { Begin, useBegin } from "./Begin.tsx";
import { Kept, useKept } from "./Kept.tsx";
import { Spendable } from "./Spendable.tsx";
import { Waiting } from "./Waiting.tsx";
import "./home.css";

/** The last card of the page: charts come after what stands above it. */
const LatestAnswers = lazy(async () => ({ default: (await import("../latest/LatestAnswers.tsx")).LatestAnswers }));

/** What I may spend, what I keep for others, what waits, and the latest answers. */
export function Home() {
  const me = useMe();
  const mine = useMyAccounts();
  const lists = [mine, useRequests("received"), useRequests("submitted"), useUnfinished()];
  const roles = me.data?.roles ?? [];
  const kept = roles.flatMap(({ role, object }) => (role === "datasetAdmin" && object.id !== null ? [object.id] : []));
  const keeping = useKept(kept);
  const isNew = me.data?.viaDemo === false && roles.some(({ role }) => role === "platformAdmin");
  const begin = useBegin(isNew);
  const held = mine.data?.pages.flatMap(({ items }) => items) ?? [];
  const askable = askableOf(held);
  const payer = held.find((account) => account.mine.mayRelease);
  const isAuditing = roles.some(({ role }) => role === "auditor") && kept.length === 0 && held.length === 0;
  const [first] = payer?.datasets ?? [];
  return (
    <Page
      title={me.data === undefined ? "Home" : `Welcome, ${me.data.person.name}`}
      lead={[roleText(roles), askText(askable)].filter((each) => each !== undefined).join(" ") || undefined}
      actions={
        payer === undefined || first === undefined ? null : (
          <ButtonLink to="/datasets/$dataset/plan" params={{ dataset: first }} search={{ account: payer.id }}>
            New plan
          </ButtonLink>
        )
      }
    >
      {me.isPending ? null : (
        <Together of={[keeping, begin, ...lists]}>
          <div className="stack">
            <Begin {...begin} />
            <AskAny datasets={askable} />
            {keeping.budgets.length === 0 ? null : <Kept budgets={keeping.budgets} />}
            {isAuditing ? <Auditing /> : kept.length === 0 ? <Spendable /> : null}
            <Waiting />
            <Unfinished isHome />
            {kept.length === 0 || (keeping.budgets.length > 0 && held.length === 0) ? null : <Spendable />}
            <Card title="Latest answers" aside={<Link to="/releases">All releases</Link>}>
              <Suspense fallback={<Loading lines={5} />}>
                <LatestAnswers
                  empty={
                    <Empty title="Nothing has been released yet">
                      Releases are kept here permanently. Reading them again is free.
                    </Empty>
                  }
                />
              </Suspense>
            </Card>
          </div>
        </Together>
      )}
    </Page>
  );
}

/** The datasets that my accounts pay for, each once. */
const askableOf = (held: readonly Account[]): readonly Askable[] => {
  const payable = held
    .filter((account) => account.mine.mayRelease)
    .flatMap((account) =>
      account.datasets.map((id, at) => ({ id, name: account.datasetNames[at] ?? id, account: account.id })),
    );
  return [...new Map(payable.toReversed().map((each) => [each.id, each])).values()].toReversed();
};

const askText = (datasets: readonly Askable[]): string | undefined =>
  datasets.length === 0 ? undefined : `You can ask about ${namesText(datasets.map(({ name }) => name))}.`;

/** A role that is on no dataset and no team. */
const onPlatform: Partial<Record<keyof typeof roleWords, string>> = {
  platformAdmin: "admin of the platform",
  auditor: "auditor of the platform",
};

/** Names that are shown; the others are only counted. */
const NAMED = 3;
const namesText = (names: readonly string[]): string =>
  `${names.slice(0, NAMED).join(", ")}${names.length > NAMED ? ` and ${names.length - NAMED} more` : ""}`;

function roleText(
  roles: readonly { readonly role: keyof typeof roleWords; readonly objectName: string | null }[],
): string | undefined {
  const parts = (Object.keys(roleWords) as (keyof typeof roleWords)[]).flatMap((role) => {
    const held = roles.filter((one) => one.role === role);
    if (held.length === 0) return [];
    const names = held.flatMap(({ objectName }) => (objectName === null ? [] : [objectName]));
    const whole = held.length > names.length ? [onPlatform[role] ?? roleWords[role]] : [];
    if (names.length === 0) return whole;
    return [...whole, `${roleWords[role]} of ${namesText(names)}`];
  });
  return parts.length === 0 ? undefined : `You are ${parts.join("; ")}.`;
}

/** What an auditor without budget does: recompute a ledger, take its export along, read who did what. */
export function Auditing() {
  const datasets = useDatasets();
  return (
    <Card title="What you can check" aside={<Link to="/activity">Activity</Link>}>
      <div className="stack">
        <p className="soft flush">
          Each ledger can be recomputed in your browser, line by line, and taken along as a signed export. Activity
          shows who did what.
        </p>
        <Pending of={datasets} lines={3}>
          {({ pages }) => (
            <div className="page-actions">
              {pages
                .flatMap(({ items }) => items)
                .filter(({ ledger }) => ledger !== null)
                .map(({ id, name }) => (
                  <ButtonLink
                    key={id}
                    to="/datasets/$dataset"
                    params={{ dataset: id }}
                    search={{ tab: "ledger" }}
                    variant="default"
                  >
                    Verify or export {name}
                  </ButtonLink>
                ))}
            </div>
          )}
        </Pending>
      </div>
    </Card>
  );
}
