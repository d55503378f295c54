import { Button, Progress } from "@mantine/core";
import { Notice } from "../../parts/Notice.tsx";
import type { TaskState } from "./use-task.ts";

/** The progress of a task with a stop button, or its error. */
export function Working({ of, what, onStop }: { of: TaskState; what: string; onStop: () => void }) {
  if (of.fault !== undefined) {
    return (
      <Notice tone="danger" title="Refused" isAlert>
        <p>{of.fault}</p>
      </Notice>
    );
  }
  const share = of.total === 0 ? 0 : of.done / of.total;
  return (
    <div className="stack gap-8">
      <Progress.Root size="lg">
        <Progress.Section
          value={100 * share}
          aria-label={what}
          aria-valuetext={`${of.done} of ${of.total}`}
          style={{ transition: "none" }}
        />
      </Progress.Root>
      <div className="row gap-12 at-middle to-both-ends">
        <span className="soft small" role="status">
          {of.isRunning
            ? `${what}: ${of.done} of ${of.total}`
            : of.done < of.total
              ? `Stopped at ${of.done} of ${of.total}`
              : `Done: ${of.total}`}
        </span>
        {of.isRunning ? (
          <Button size="xs" variant="default" onClick={onStop}>
            Stop
          </Button>
        ) : null}
      </div>
    </div>
  );
}
