import type { Output, Request } from "@dosimeter/client";
import { protectedUnit } from "@dosimeter/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useCatalogDataset } from "../api/datasets.ts";
import { useRequests } from "../api/ledgers.ts";
import { formatCost } from "../parts/Amount.tsx";
import { ButtonLink } from "../parts/buttons.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, Page } from "../parts/Page.tsx";
import { PendingPage, Together } from "../parts/Pending.tsx";
import { RequestForm } from "../requests/RequestForm.tsx";
import { isOpen } from "../requests/words.ts";
import "./catalog.css";

const route = getRouteApi("/catalog/$dataset");

type Listed = Output<"showCatalogDataset">;

/** One dataset of the catalogue: what its admins say of it, and the form that asks for a part of its budget. */
export function CatalogDataset() {
  const { dataset: id } = route.useParams();
  const dataset = useCatalogDataset(id);
  const submitted = useRequests("submitted");
  return (
    <PendingPage of={dataset} name="Dataset" wayOn={<ButtonLink to="/catalog">To the catalogue</ButtonLink>}>
      {(data) => (
        <Page
          title={data.name}
          crumbs={<Link to="/catalog">Catalogue</Link>}
          lead={`It protects ${protectedUnit("each", data.privacyUnit, data.blocks)}.${decidersText(data.stewards)}`}
        >
          <Together of={[submitted]}>
            <div className="stack">
              {data.description === "" ? null : (
                <Card title="About">
                  <p className="catalog-about">{data.description}</p>
                </Card>
              )}
              {data.isVisible ? (
                <Seen id={id} />
              ) : (
                <Asking
                  dataset={id}
                  name={data.name}
                  unit={data.privacyUnit}
                  waiting={(submitted.data ?? []).find((one) => isOpenOn(one, id))}
                />
              )}
              {data.columns === null ? null : <Columns columns={data.columns} />}
            </div>
          </Together>
        </Page>
      )}
    </PendingPage>
  );
}

const isOpenOn = ({ dataset, status }: Request, id: string): boolean => dataset.id === id && isOpen(status);

/** Who decides, as far as the dataset has admins. */
const decidersText = (stewards: readonly string[]): string =>
  stewards.length === 0
    ? ""
    : ` ${stewards.join(" and ")} ${stewards.length === 1 ? "decides" : "decide"} who gets budget.`;

function Seen({ id }: { id: string }) {
  return (
    <Notice tone="good" title="You see this dataset">
      <p>
        Its columns and your budget are on{" "}
        <Link to="/datasets/$dataset" params={{ dataset: id }}>
          its page
        </Link>
        .
      </p>
    </Notice>
  );
}

interface AskingProps {
  dataset: string;
  name: string;
  unit: string;
  waiting: Request | undefined;
}

function Asking({ dataset, name, unit, waiting }: AskingProps) {
  return (
    <Card title="Ask for budget">
      <div className="stack measured">
        {waiting === undefined ? null : (
          <Notice tone="plain">
            <p>
              You asked for ε {formatCost(waiting.asked.epsilon)}:{" "}
              <Link to="/requests" search={{ box: "submitted" }}>
                see where it stands
              </Link>
              .
            </p>
          </Notice>
        )}
        <RequestForm
          dataset={dataset}
          name={name}
          ledger={null}
          unit={unit}
          account={undefined}
          epsilon={undefined}
          plan={undefined}
        />
      </div>
    </Card>
  );
}

function Columns({ columns }: { columns: NonNullable<Listed["columns"]> }) {
  return (
    <Card title="Columns">
      <DataTable
        caption="As declared. Nothing here was read from the rows."
        isStacking
        rows={columns}
        keyOf={({ name }) => name}
        columns={[
          { name: "Column", isHead: true, cell: ({ name }) => name },
          { name: "Label", cell: ({ label }) => label ?? "–" },
          { name: "Type", cell: ({ type }) => type },
          { name: "Description", cell: ({ description }) => description ?? "–" },
        ]}
      />
    </Card>
  );
}
