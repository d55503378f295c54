import type { Balance, Dataset, Output } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../api/connection.ts";
import { useDataset } from "../api/datasets.ts";
import { useLedger, useSwitchPreview } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Check } from "../parts/fields.tsx";
import { percentText } from "../parts/Gauge.tsx";
import { Notice } from "../parts/Notice.tsx";
import { Card, DatasetCrumbs, Page } from "../parts/Page.tsx";
import { Empty, Fault, Pending, PendingPage } from "../parts/Pending.tsx";

const route = getRouteApi("/datasets/$dataset/switch");

/** The permanent switch from addition to tight, with every account before and after. */
export function SwitchPage() {
  const { dataset: id } = route.useParams();
  const dataset = useDataset(id);
  return (
    <PendingPage of={dataset} name="Switch to the tight rule">
      {(data) => <Shown dataset={data} />}
    </PendingPage>
  );
}

function Shown({ dataset }: { dataset: Dataset }) {
  return (
    <Page
      title="Switch to the tight rule"
      crumbs={<DatasetCrumbs id={dataset.id} name={dataset.name} />}
      lead="Under addition ε simply adds up. Under the tight rule many answers cost less together, Gaussian noise can be priced, and the guarantee stays word for word the same. You cannot switch back."
    >
      {dataset.ledger === null ? (
        <Empty title="The ledger is not open yet">There is nothing to switch.</Empty>
      ) : (
        <Preview ledger={dataset.ledger.id} />
      )}
    </Page>
  );
}

type Node = Output<"previewSwitch">["accounts"][number];

function Preview({ ledger: id }: { ledger: string }) {
  const preview = useSwitchPreview(id);
  const ledger = useLedger(id);
  const [isSure, setSure] = useState(false);
  const change = useChange((client) => client.switchRule({ ledger: id }));
  return (
    <Pending of={preview}>
      {({ possible, reason, accounts }) => (
        <div className="stack">
          {possible ? null : (
            <Notice tone="plain" title="This ledger cannot switch">
              <p>{reason}.</p>
            </Notice>
          )}
          <Card title="Every budget before and after">
            <DataTable
              caption="What each budget has used, under addition and under the tight rule. A budget whose own remaining μ² could not have paid for its charges can spend no more after a switch."
              isStacking
              rows={accounts}
              keyOf={({ account }) => account ?? "ledger"}
              columns={[
                { name: "Budget", isHead: true, cell: ({ name }: Node) => name },
                { name: "Used under addition", isNumber: true, cell: ({ before }: Node) => percentText(before.used) },
                {
                  name: "ε left",
                  isNumber: true,
                  cell: ({ before }: Node) => <Amount isRoom of={before.epsilon.left} />,
                },
                { name: "Used under tight", isNumber: true, cell: ({ before, after }: Node) => used(after ?? before) },
                {
                  name: "μ² left",
                  isNumber: true,
                  cell: ({ before, after }: Node) => <Amount isRoom of={(after ?? before).mu2.left} />,
                },
              ]}
            />
          </Card>
          {possible && ledger.data?.mine.mayManage ? (
            <Card title="Switch">
              <div className="stack">
                <Check label="I have read what changes; it cannot be undone" checked={isSure} onChange={setSure} />
                <Fault error={change.error} />
                <div>
                  <Button disabled={!isSure} loading={change.isPending} onClick={() => change.mutate(undefined)}>
                    Switch once and for good
                  </Button>
                </div>
              </div>
            </Card>
          ) : null}
        </div>
      )}
    </Pending>
  );
}

/** 1 − r/r₀; 1 where μ² could not have paid. */
function used({ mu2 }: Balance): string {
  if (mu2.spent === null) return "100 %";
  const cap = Number(mu2.cap);
  return percentText(cap === 0 ? 0 : Number(mu2.spent) / cap);
}
