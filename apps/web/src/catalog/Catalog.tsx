import type { CatalogDataset } from "@dosimeter/client";
import { protectedUnit } from "@dosimeter/core";
import { Link } from "@tanstack/react-router";
import { useCatalog } from "../api/datasets.ts";
import { ButtonLink } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { Empty } from "../parts/Pending.tsx";
import { SearchedList } from "../parts/SearchedList.tsx";
import "./catalog.css";

/** A list of more items than this has a filter. */
const MAX_UNFILTERED = 5;

/** The datasets that I cannot see and may ask for. */
export function Catalog() {
  return (
    <Page
      title="Catalogue"
      lead="Datasets that you cannot see yet and may ask for. Their admins say here what they hold; nothing here comes from the data."
    >
      <Card>
        <SearchedList
          useItems={useCatalog}
          label="Find a dataset to ask for"
          few={MAX_UNFILTERED}
          empty={
            <Empty
              title="No other dataset is listed"
              action={
                <ButtonLink to="/datasets" variant="default">
                  Your datasets
                </ButtonLink>
              }
            >
              The admin of a dataset lists it under Governance. You can also ask about a dataset by its id.
            </Empty>
          }
          notFound={<Empty title="No dataset found">Try part of its name.</Empty>}
        >
          {(items) => (
            <DataTable
              caption="Datasets that you may ask for"
              isCaptionHidden
              isStacking
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                { name: "Dataset", isHead: true, cell: (dataset) => <Named dataset={dataset} /> },
                { name: "Protects", cell: ({ privacyUnit, blocks }) => protectedUnit("each", privacyUnit, blocks) },
                { name: "Decided by", cell: ({ stewards }) => stewards.join(", ") },
                {
                  name: "Budget",
                  cell: ({ id, name }) => (
                    <ButtonLink
                      to="/catalog/$dataset"
                      params={{ dataset: id }}
                      size="xs"
                      variant="default"
                      aria-label={`Ask for budget on ${name}`}
                    >
                      Ask for budget
                    </ButtonLink>
                  ),
                },
              ]}
            />
          )}
        </SearchedList>
      </Card>
    </Page>
  );
}

function Named({ dataset: { id, name, description } }: { dataset: CatalogDataset }) {
  return (
    <>
      <Link to="/catalog/$dataset" params={{ dataset: id }}>
        {name}
      </Link>
      {description === "" ? null : <div className="soft small catalog-about">{description}</div>}
    </>
  );
}
