import type { Schedule } from "@dosimeter/client";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useEndSchedule, useSetSchedule } from "../api/schedules.ts";
import { Confirm } from "../parts/Confirm.tsx";
import { Fault } from "../parts/Pending.tsx";

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
          isBusy={end.isPending}
          error={end.error}
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
