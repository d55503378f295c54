import type { Dataset } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { useDataset } from "../api/datasets.ts";
import { useSchedules } from "../api/releases.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Card, DatasetCrumbs, Page } from "../parts/Page.tsx";
import { Empty, Pending } from "../parts/Pending.tsx";
import { NewReport } from "./NewReport.tsx";
import { covered, nextText } from "./words.ts";

const route = getRouteApi("/datasets/$dataset/reports");

export function Reports() {
  const { dataset: id } = route.useParams();
  const dataset = useDataset(id);
  const [isMaking, setMaking] = useState(false);
  const every = dataset.data?.ledger?.blocks?.every;
  return (
    <Page
      title="Scheduled reports"
      crumbs={<DatasetCrumbs id={id} name={dataset.data?.name} />}
      lead={`A plan that the server releases by itself whenever a ${every ?? "period"} is over, over the latest ones or all so far. Reading what it said is free.`}
      actions={every === undefined ? undefined : <Button onClick={() => setMaking(true)}>New report</Button>}
    >
      <Card>
        <Pending of={dataset}>{(data) => (every === undefined ? <NoBlocks /> : <List dataset={data} />)}</Pending>
      </Card>
      {isMaking && dataset.data !== undefined ? (
        <NewReport dataset={dataset.data} onClose={() => setMaking(false)} />
      ) : null}
    </Page>
  );
}

const NoBlocks = () => (
  <Empty title="This dataset has one budget for all of its time">
    Scheduled reports need a ledger with a budget for each month, or another period.
  </Empty>
);

function List({ dataset }: { dataset: Dataset }) {
  const schedules = useSchedules(dataset.id);
  return (
    <Pending of={schedules}>
      {(all) =>
        all.length === 0 ? (
          <Empty title="No scheduled report yet">
            Keep a plan as a draft on the page of the plan. Then choose it here, and say which periods it is about.
          </Empty>
        ) : (
          <DataTable
            caption="Scheduled reports, newest first"
            isCaptionHidden
            isStacking
            rows={all}
            keyOf={({ id }) => id}
            columns={[
              {
                name: "Report",
                isHead: true,
                cell: ({ id, name }) => (
                  <Link to="/reports/$schedule" params={{ schedule: id }}>
                    {name}
                  </Link>
                ),
              },
              { name: "By", cell: ({ ownerName, isMine }) => (isMine ? "You" : ownerName) },
              { name: "Over", cell: covered },
              { name: "Status", cell: ({ status }) => status },
              { name: "Next", cell: nextText },
            ]}
          />
        )
      }
    </Pending>
  );
}
