import type { BlockBalances, Ledger } from "@dosimeter/client";
import { type CalendarUnit, formatDate, readPeriod } from "@dosimeter/core";
import { type BlockStripSpec, blockStrip } from "@dosimeter/plot";
import { capital } from "@dosimeter/plot/report";
import { Button, RangeSlider } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useDeferredValue, useMemo, useState } from "react";
import { useBlocks } from "../../api/ledgers.ts";
import { Figure } from "../../parts/Figure.tsx";
import { Card } from "../../parts/Page.tsx";
import { Pending } from "../../parts/Pending.tsx";

/** What is spent, set aside and free in each block, on the ledger and on the accounts that the reader may see. */
export function BlockBudget({ dataset, ledger, every }: { dataset: string; ledger: Ledger; every: CalendarUnit }) {
  const blocks = useBlocks(ledger.id);
  return (
    <Card>
      <Pending of={blocks}>
        {({ calendar, rows }) =>
          calendar === null ? null : (
            <div className="stack">
              <Strip calendar={calendar} rows={rows} />
              <p className="small soft flush">
                Each {every} has the whole budget for itself and is never refilled. A charge debits every {every} of its
                window. Set aside is what scheduled reports that you can see have left for windows to come.{" "}
                {calendar.closed === null ? `No ${every} is closed yet.` : `Closed up to ${calendar.closed}.`}
              </p>
              <p className="small flush">
                <Link to="/datasets/$dataset/reports" params={{ dataset }}>
                  Scheduled reports
                </Link>{" "}
                · <a href="docs/do/monthly-visits.html">How a new month and its report arrive</a>
              </p>
            </div>
          )
        }
      </Pending>
    </Card>
  );
}

type Range = [from: number, to: number];

/** The strip of all blocks, or of those between two handles. */
function Strip({ calendar, rows }: { calendar: NonNullable<BlockBalances["calendar"]>; rows: BlockBalances["rows"] }) {
  const spec = useMemo(() => stripOf(calendar, rows), [calendar, rows]);
  const { every, from: first, to: last } = spec;
  const [chosen, choose] = useState<Range>([first, last]);
  const [from, to] = useDeferredValue(chosen);
  const text = (block: number) => formatDate(block, every);
  return (
    <div className="stack">
      <Figure chart={(size) => blockStrip({ ...spec, from: Math.max(first, from), to: Math.min(last, to) }, size)} />
      {last - first < 12 ? null : (
        <div style={{ display: "grid", gridTemplateColumns: "1fr auto", alignItems: "center", gap: 16 }}>
          <RangeSlider
            min={first}
            max={last}
            minRange={0}
            value={chosen}
            onChange={choose}
            label={text}
            thumbFromLabel={`First ${every} shown`}
            thumbToLabel={`Last ${every} shown`}
            thumbValueText={text}
          />
          <Button
            variant="default"
            size="xs"
            disabled={from === first && to === last}
            onClick={() => choose([first, last])}
          >
            Show all
          </Button>
        </div>
      )}
    </div>
  );
}

/** The answer as a chart of every block that is declared or was asked about. */
function stripOf(
  { every, first, last }: NonNullable<BlockBalances["calendar"]>,
  rows: BlockBalances["rows"],
): BlockStripSpec {
  const periodOf = (name: string): number => readPeriod(name)?.period ?? 0;
  const from = periodOf(first);
  const ends = [last ?? first, ...rows.flatMap(({ runs }) => runs.map((run) => run.to))].map(periodOf);
  return {
    title: `Budget of each ${every}`,
    ...{ every, from, to: ends.reduce((most, end) => Math.max(most, end), from) },
    rows: rows.map(({ name, runs }) => ({
      name: capital(name),
      runs: runs.map((run) => ({ ...run, from: periodOf(run.from), to: periodOf(run.to) })),
    })),
  };
}
