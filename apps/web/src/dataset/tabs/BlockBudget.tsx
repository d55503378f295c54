import type { BlockBalances, Ledger } from "@dosimeter/client";
import { type CalendarUnit, rangeName, readPeriod } from "@dosimeter/core";
import { type BlockStripSpec, blockStrip } from "@dosimeter/plot";
import { capital } from "@dosimeter/plot/report";
import { Link } from "@tanstack/react-router";
import { useBlocks } from "../../api/ledgers.ts";
import { Figure } from "../../parts/Figure.tsx";
import { Card } from "../../parts/Page.tsx";
import { Pending } from "../../parts/Pending.tsx";

/** How full each block is, on the ledger and on the accounts that the reader may see. */
export function BlockBudget({ dataset, ledger, every }: { dataset: string; ledger: Ledger; every: CalendarUnit }) {
  const blocks = useBlocks(ledger.id);
  return (
    <Card>
      <Pending of={blocks}>
        {({ calendar, rows }) =>
          calendar === null ? null : (
            <div className="stack">
              <Figure chart={(size) => blockStrip(stripOf(calendar, rows), size)} />
              <p className="small soft" style={{ margin: 0 }}>
                Each {every} has the whole budget for itself and is never refilled. A charge debits every {every} of its
                window. {calendar.closed === null ? `No ${every} is closed yet.` : `Closed up to ${calendar.closed}.`}
              </p>
              <Link to="/datasets/$dataset/reports" params={{ dataset }} className="small">
                Scheduled reports
              </Link>
            </div>
          )
        }
      </Pending>
    </Card>
  );
}

/** The answer as a chart: names of blocks become places from the first one on. */
function stripOf(
  { every, first, last }: NonNullable<BlockBalances["calendar"]>,
  rows: BlockBalances["rows"],
): BlockStripSpec {
  const place = (name: string): number => (readPeriod(name)?.period ?? 0) - (readPeriod(first)?.period ?? 0);
  const end = Math.max(0, ...[last ?? first, ...rows.flatMap(({ runs }) => runs.map(({ to }) => to))].map(place));
  const count = end + 1;
  return {
    title: `Budget of each ${every}`,
    first,
    last: last ?? first,
    count,
    rows: rows.map(({ name, runs }) => ({
      name: capital(name),
      runs: runs.flatMap(({ from, to, used }) => {
        const [start, stop] = [Math.max(0, place(from)), place(to)];
        if (stop < 0) return [];
        return [{ from: start, to: stop, label: rangeName(from, to), used }];
      }),
    })),
  };
}
