import type { BlockBalances, Schedule } from "@dosimeter/client";
import { activeRuleRow, blockWord, rangeName } from "@dosimeter/core";
import { useEffect } from "react";
import { useBlocks } from "../api/ledgers.ts";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { percentText } from "../parts/Gauge.tsx";
import { Card } from "../parts/Page.tsx";
import { Pending } from "../parts/Pending.tsx";

type Run = BlockBalances["rows"][number]["runs"][number];

/** What is set aside in each block, and how much of it was spent. */
export function Remaining({ schedule }: { schedule: Schedule }) {
  const blocks = useBlocks(schedule.ledger);
  const { account, status } = schedule;
  const block = blockWord(schedule);
  const { refetch } = blocks;
  // A report that comes while the page is open has paid.
  const reports = schedule.points.length;
  useEffect(() => {
    if (reports > 0) void refetch({ cancelRefetch: false });
  }, [reports, refetch]);
  const isOver = status === "ended";
  return (
    <Card title={isOver ? `What each ${block} spent` : `What each ${block} has left for it`}>
      <Pending of={blocks}>
        {({ rows }) => {
          const {
            runs: all = [],
            quota,
            activeRule = "addition",
            muSquared,
          } = rows.find((row) => row.account === account) ?? {};
          const runs = all.filter(({ used }) => used > 0);
          // All columns are in what the rule counts: that is used up, and Gaussian noise has no price in ε.
          const { counts, unit } = activeRuleRow(activeRule);
          const isEpsilon = counts === "epsilon";
          return (
            <>
              {runs.length === 0 ? null : (
                <DataTable
                  caption={`What is set aside for this report in each ${block}`}
                  isCaptionHidden
                  rows={runs.toReversed()}
                  keyOf={({ from }) => from}
                  columns={[
                    {
                      name: block,
                      isHead: true,
                      cell: ({ from, to }) => <span className="nowrap">{rangeName(from, to)}</span>,
                    },
                    {
                      name: `Spent ${unit}`,
                      isNumber: true,
                      cell: ({ epsilon, mu2 }) => <Amount of={isEpsilon ? epsilon : mu2} />,
                    },
                    ...(isOver
                      ? []
                      : [
                          {
                            name: `Set aside ${unit}`,
                            isNumber: true,
                            cell: () => <Amount of={isEpsilon ? quota?.epsilon : muSquared} isRoom />,
                          },
                          { name: "Used", isNumber: true, cell: ({ used }: Run) => percentText(used) },
                        ]),
                  ]}
                />
              )}
              <p className="small soft flush-bottom">
                {isOver ? `No other ${block} spent anything.` : `Every other ${block} has all of it.`}
              </p>
            </>
          );
        }}
      </Pending>
    </Card>
  );
}
