import type { Schedule } from "@dosimeter/client";
import { rangeName } from "@dosimeter/core";
import { useBlocks } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Card } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";

/** What is set aside in each block, and how much of it was spent. */
export function Remaining({ schedule }: { schedule: Schedule }) {
  const blocks = useBlocks(schedule.ledger);
  const { every, account, earmark } = schedule;
  return (
    <Card title={`What each ${every} has left for it`}>
      <Pending of={blocks}>
        {({ rows }) => {
          const runs = rows.find((row) => row.account === account)?.runs ?? [];
          return (
            <>
              {runs.length === 0 ? null : (
                <DataTable
                  caption={`What is set aside for this report in each ${every}`}
                  isCaptionHidden
                  rows={runs.toReversed()}
                  keyOf={({ from }) => from}
                  columns={[
                    { name: every, isHead: true, cell: ({ from, to }) => rangeName(from, to) },
                    { name: "Spent ε", isNumber: true, cell: ({ epsilon }) => <Amount of={epsilon} /> },
                    { name: "Set aside ε", isNumber: true, cell: () => <Amount of={earmark.epsilon} isRoom /> },
                    { name: "Used", isNumber: true, cell: ({ used }) => `${Math.round(used * 100)} %` },
                  ]}
                />
              )}
              <p className="small soft" style={{ marginBottom: 0 }}>
                Every other {every} has all of it.
              </p>
            </>
          );
        }}
      </Pending>
    </Card>
  );
}
