import type { Schedule } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRetryReport } from "../api/releases.ts";
import { DataTable } from "../parts/DataTable.tsx";
import { Empty, Fault } from "../parts/Pending.tsx";
import { momentText } from "../parts/words.ts";

type Point = Schedule["points"][number];

/** Each report by its block: the release, or why there is none. */
export function Points({ schedule }: { schedule: Schedule }) {
  const retry = useRetryReport();
  const { id, points, every, isMine, status } = schedule;
  const mayRetry = isMine && status !== "ended";
  if (points.length === 0)
    return <Empty title="None yet">The first one comes when {schedule.first} is over and published.</Empty>;
  return (
    <>
      <DataTable
        caption="Reports, newest first"
        isCaptionHidden
        isStacking
        rows={points.toReversed()}
        keyOf={({ block }) => block}
        columns={[
          { name: every === "month" ? "Month" : "Period", isHead: true, cell: ({ block }) => block },
          { name: "Outcome", cell: outcome },
          { name: "When", cell: ({ at }) => momentText(at) },
          {
            name: "Release",
            cell: ({ release, block, state }) =>
              mayRetry && (state === "refused" || state === "failed") ? (
                <Button
                  variant="default"
                  size="xs"
                  loading={retry.isPending && retry.variables.block === block}
                  onClick={() => retry.mutate({ schedule: id, block })}
                >
                  Try {block} again
                </Button>
              ) : release === null ? null : (
                <Link to="/releases/$release" params={{ release }}>
                  Answers of {block}
                </Link>
              ),
          },
        ]}
      />
      <Fault error={retry.error} />
    </>
  );
}

const words: Readonly<Record<Point["state"], string>> = {
  released: "released",
  pending: "being measured",
  failed: "paid for, and could not be measured: to try again is free",
  refused: "refused, nothing was spent",
};

const outcome = ({ state, refusal }: Point) => (refusal === null ? words[state] : `${words[state]}. ${refusal.detail}`);
