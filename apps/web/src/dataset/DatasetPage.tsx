import type { Dataset } from "@dosimeter/client";
import { PrivacyError, protectedUnit } from "@dosimeter/core";
import { Tabs } from "@mantine/core";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Suspense } from "react";
import { useDataset } from "../api/datasets.ts";
import { declarationOf } from "../api/declaration.ts";
import { useMe } from "../api/session.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { Page } from "../parts/Page.tsx";
import { Loading, PendingPage } from "../parts/Pending.tsx";
import { Overview } from "./overview/Overview.tsx";
import { tabsFor } from "./tabs.ts";
import { sizeText } from "./words.ts";
import "./dataset.css";

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
  const declaration = declarationOf(dataset);
  const size = sizeText(declaration, dataset.privacyUnit);
  const unit = protectedUnit("one", dataset.privacyUnit, declaration?.blocks);
  return (
    <Page
      title={dataset.name}
      crumbs={<Link to="/datasets">Datasets</Link>}
      lead={`protects ${unit}${size === null ? "" : ` · ${size}`}`}
      actions={
        payer === undefined ? null : (
          <ButtonLink to="/datasets/$dataset/plan" params={{ dataset: dataset.id }} search={{ account: payer.id }}>
            Plan a release
          </ButtonLink>
        )
      }
    >
      <Parts dataset={dataset} />
    </Page>
  );
}

const OVERVIEW = "overview";

/** The address names the open tab, so that it can be linked and the browser goes back to it. */
function Parts({ dataset }: { dataset: Dataset }) {
  const { tab } = route.useSearch();
  const navigate = useNavigate();
  const { data: me } = useMe();
  const offered = tabsFor(dataset, me, tab ?? OVERVIEW);
  const open = offered.some(([name]) => name === tab) ? (tab ?? OVERVIEW) : OVERVIEW;
  const go = (next: string | null) =>
    void navigate({
      to: "/datasets/$dataset",
      params: { dataset: dataset.id },
      search: next === null || next === OVERVIEW ? {} : { tab: next },
      resetScroll: false,
    });
  return (
    <Tabs value={open} onChange={go} keepMounted={false}>
      <Tabs.List mb="lg" className="dataset-tabs">
        <Tabs.Tab value={OVERVIEW}>Overview</Tabs.Tab>
        {offered.map(([name, { label }]) => (
          <Tabs.Tab key={name} value={name}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value={OVERVIEW}>
        <Overview dataset={dataset} />
      </Tabs.Panel>
      {offered.map(([name, { Content }]) => (
        <Tabs.Panel key={name} value={name}>
          <Suspense fallback={<Loading lines={8} />}>
            <Content dataset={dataset} />
          </Suspense>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
