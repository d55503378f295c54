import type { BlockBalances, Schedule } from "@dosimeter/client";
import { activeRuleRow, blockWord, rangeName } from "@dosimeter/core";
import { type PeriodSeries, periodChart, periodSeries, titleOf } from "@dosimeter/plot/report";
import { answersToShow } from "@dosimeter/query/answer";
import { Button } from "@mantine/core";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useBlocks } from "../api/ledgers.ts";
import { useEndSchedule, useSchedule, useSetSchedule } from "../api/releases.ts";
import { AddToDashboard } from "../parts/AddToDashboard.tsx";
import { Amount } from "../parts/Amount.tsx";
import { DataTable } from "../parts/DataTable.tsx";
import { Confirm } from "../parts/Dialog.tsx";
import { Figure } from "../parts/Figure.tsx";
import { Choice } from "../parts/fields.tsx";
import { percentText } from "../parts/Gauge.tsx";
import { Card, DatasetCrumbs, Facts, Page } from "../parts/Page.tsx";
import { Empty, Fault, Pending, PendingPage } from "../parts/Pending.tsx";
import { Points } from "./Points.tsx";
import { covered, nextText } from "./words.ts";

type Run = BlockBalances["rows"][number]["runs"][number];

/** What is set aside in each block, and how much of it was spent. */
function Remaining({ schedule }: { schedule: Schedule }) {
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

const route = getRouteApi("/reports/$schedule");

/** What a scheduled report said over time. Everything on it is a free re-read. */
export function ReportPage() {
  const { schedule: id } = route.useParams();
  const schedule = useSchedule(id);
  return (
    <PendingPage of={schedule} name="Report">
      {(data) => <Shown schedule={data} />}
    </PendingPage>
  );
}

function Shown({ schedule }: { schedule: Schedule }) {
  const { name, dataset, datasetName, horizon, every, zone, price, earmark, points, words } = schedule;
  const reports = points.map(({ block, answers }) => ({ block, answers: answersToShow({ answers, words }) }));
  const series = periodSeries(reports);
  return (
    <Page
      title={name}
      crumbs={
        <>
          <DatasetCrumbs id={dataset} name={datasetName} /> ›{" "}
          <Link to="/datasets/$dataset/reports" params={{ dataset }}>
            Reports
          </Link>
        </>
      }
      lead={`Made whenever a ${every} is over by the clocks of ${zone}, over ${covered(schedule)}. Reading it is free.`}
      actions={
        <>
          <AddToDashboard item={{ kind: "report", id: schedule.id }} />
          {schedule.isMine ? <ReportTools schedule={schedule} /> : null}
        </>
      }
    >
      <div className="stack">
        <Card>
          <Facts
            of={{
              Status: schedule.status,
              Next: nextText(schedule),
              ...(horizon === null ? { "Each report takes": <Amount of={price.epsilon} unit="ε" /> } : {}),
              [horizon === null
                ? `Each ${blockWord(schedule)} pays over its life`
                : `Each ${every} pays, once, at most`]: <Amount of={earmark.epsilon} unit="ε" />,
            }}
          />
          <p className="small soft flush-bottom">
            A report waits for the calendar and for a published version of the dataset, never for whether there are
            rows. Rows that come late to a {every} fall under the same budget; answers are about the version of their
            time.
            {horizon === null
              ? null
              : ` The totals are those of the newest report: no ${every} pays for them again, and rows that came after the first report of their ${every} count in them in part.`}
          </p>
        </Card>
        <Card>
          {series.length === 0 ? (
            <Empty title="No answers yet">Next: {nextText(schedule)}.</Empty>
          ) : (
            <Series series={series} every={every} />
          )}
        </Card>
        <Card title="Reports">
          <Points schedule={schedule} />
        </Card>
        <Remaining schedule={schedule} />
      </div>
    </Page>
  );
}

/** The lines of one statistic; others are chosen by name. */
function Series({ series, every }: { series: readonly PeriodSeries[]; every: Schedule["every"] }) {
  const ids = [...new Map(series.map(({ answer }) => [answer.id, titleOf(answer)]))];
  const [chosen, setChosen] = useState(ids[0]?.[0] ?? "");
  const shown = series.filter(({ answer }) => answer.id === chosen);
  return (
    <div className="stack">
      {ids.length < 2 ? null : (
        <Choice label="Statistic" value={chosen} onChange={setChosen} data={Object.fromEntries(ids)} />
      )}
      <Figure level={2} chart={(size) => periodChart({ series: shown, every }, size)} />
    </div>
  );
}

/** Pause, take up again, end. */
export function ReportTools({ schedule: { id, status, every } }: { schedule: Schedule }) {
  const set = useSetSchedule();
  const end = useEndSchedule();
  const [isEnding, setEnding] = useState(false);
  if (status === "ended") return null;
  const isPaused = status === "paused";
  return (
    <>
      <Button
        variant="default"
        loading={set.isPending}
        onClick={() => set.mutate({ schedule: id, status: isPaused ? "active" : "paused" })}
      >
        {isPaused ? "Take up again" : "Pause"}
      </Button>
      <Button variant="default" onClick={() => setEnding(true)}>
        End
      </Button>
      <Fault error={set.error} />
      {isEnding ? (
        <Confirm
          title="End this report?"
          action="End the report"
          change={end}
          onConfirm={() => end.mutate(id, { onSuccess: () => setEnding(false) })}
          onClose={() => setEnding(false)}
        >
          No more reports are made. What its fullest {every} has spent stays spent; the rest goes back to your budget.
          The answers stay, and this page too.
        </Confirm>
      ) : null}
    </>
  );
}
