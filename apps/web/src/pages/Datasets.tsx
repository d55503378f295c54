import { useDebouncedValue } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDatasets } from "../api.ts";
import { Amount } from "../parts/Amount.tsx";
import { Meter, percentText } from "../parts/Balance.tsx";
import { ButtonLink } from "../parts/ButtonLink.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Filter } from "../parts/Filter.tsx";
import { More } from "../parts/More.tsx";
import { Card, Page, Tag } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";

/** The datasets I can see, each with the headline of its ledger. */
export function Datasets() {
  const [typed, setTyped] = useState("");
  const [text] = useDebouncedValue(typed.trim(), 200);
  const datasets = useDatasets(text);
  return (
    <Page
      title="Datasets"
      lead="Each table protects people; datasets about the same people share one budget."
      actions={<ButtonLink to="/datasets/new">New dataset</ButtonLink>}
    >
      <Card>
        <Pending of={datasets}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items);
            const isSearched = typed !== "" || text !== "" || datasets.isPlaceholderData;
            if (items.length === 0 && !isSearched) {
              return (
                <Empty
                  title="No dataset is visible to you"
                  action={<ButtonLink to="/datasets/new">New dataset</ButtonLink>}
                >
                  Declare a table of your own, or ask a dataset’s admin for an account.
                </Empty>
              );
            }
            return (
              <>
                {items.length > 5 || isSearched ? (
                  <Filter label="Find a dataset" value={typed} onChange={setTyped} />
                ) : null}
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
                    { name: "Protects", cell: (dataset) => `each ${dataset.privacyUnit}` },
                    {
                      name: "Lifetime budget",
                      cell: (dataset) =>
                        dataset.ledger === null ? (
                          <Tag tone="warn">no ledger yet</Tag>
                        ) : (
                          <>
                            <Amount unit="ε" of={dataset.ledger.epsilon} /> ·{" "}
                            <Amount unit="δ" of={dataset.ledger.delta} />
                          </>
                        ),
                    },
                    {
                      name: "Used",
                      cell: (dataset) =>
                        dataset.ledger === null ? (
                          "–"
                        ) : (
                          <div
                            style={{
                              minWidth: 140,
                              display: "grid",
                              gridTemplateColumns: "1fr auto",
                              gap: 10,
                              alignItems: "center",
                            }}
                          >
                            <Meter label={`Budget of ${dataset.name} used`} used={dataset.ledger.used} />
                            <span className="small">{percentText(dataset.ledger.used)}</span>
                          </div>
                        ),
                    },
                    {
                      name: "You",
                      cell: (dataset) =>
                        [
                          ...dataset.myRoles.map((role) => (role === "datasetAdmin" ? "admin" : role)),
                          ...(dataset.myAccounts.length > 0 ? ["may spend"] : []),
                        ].join(", ") || "may look",
                    },
                  ]}
                />
                <More of={datasets} />
              </>
            );
          }}
        </Pending>
      </Card>
    </Page>
  );
}
