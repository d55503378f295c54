import { protectedUnit } from "@dosimeter/core";
import { Link } from "@tanstack/react-router";
import { useDatasets } from "../api/datasets.ts";
import { Amount } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Gauge } from "../parts/Gauge.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty } from "../parts/Pending.tsx";
import { SearchedList } from "../parts/SearchedList.tsx";
import { FrozenTag } from "./Frozen.tsx";

/** A list of more items than this has a filter. */
const MAX_UNFILTERED = 5;

/** The datasets I can see, each with the headline of its ledger. */
export function Datasets() {
  return (
    <Page
      title="Datasets"
      lead="Each table protects people; datasets about the same people share one budget."
      actions={<ButtonLink to="/datasets/new">New dataset</ButtonLink>}
    >
      <Card>
        <SearchedList
          useItems={useDatasets}
          label="Find a dataset"
          few={MAX_UNFILTERED}
          empty={
            <Empty
              title="No dataset is visible to you"
              action={<ButtonLink to="/datasets/new">New dataset</ButtonLink>}
            >
              Declare a table of your own, or <Link to="/catalog">ask for a part of another’s budget</Link>.
            </Empty>
          }
          notFound={<Empty title="No dataset found">Try part of its name.</Empty>}
        >
          {(items) => (
            <DataTable
              caption="Datasets"
              isCaptionHidden
              isStacking
              rows={items}
              keyOf={(dataset) => dataset.id}
              columns={[
                {
                  name: "Dataset",
                  isHead: true,
                  cell: (dataset) => (
                    <Link to="/datasets/$dataset" params={{ dataset: dataset.id }}>
                      {dataset.name}
                    </Link>
                  ),
                },
                {
                  name: "Protects",
                  cell: ({ privacyUnit, ledger }) => protectedUnit("each", privacyUnit, ledger?.blocks),
                },
                {
                  name: "Lifetime budget",
                  cell: (dataset) =>
                    dataset.ledger === null ? (
                      <Tag tone="warn">no ledger yet</Tag>
                    ) : (
                      <>
                        <Amount unit="ε" of={dataset.ledger.epsilon} /> · <Amount unit="δ" of={dataset.ledger.delta} />
                        <FrozenTag ledger={dataset.ledger} />
                      </>
                    ),
                },
                {
                  name: "Free",
                  cell: (dataset) =>
                    dataset.ledger === null ? (
                      "–"
                    ) : (
                      <Gauge
                        title={`Budget of ${dataset.name}`}
                        balance={dataset.ledger.balance}
                        free={dataset.ledger.free.epsilon}
                        blocks={dataset.ledger.blocks}
                      />
                    ),
                },
                {
                  name: "You",
                  cell: (dataset) =>
                    [
                      ...dataset.myRoles.map((role) => (role === "datasetAdmin" ? "admin" : role)),
                      ...(dataset.myAccounts.length > 0 ? ["can spend"] : []),
                    ].join(", ") || "can view",
                },
              ]}
            />
          )}
        </SearchedList>
      </Card>
    </Page>
  );
}
