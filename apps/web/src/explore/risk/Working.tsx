import type { ComparisonRow } from "@dosimeter/risk";
import { Button, Progress } from "@mantine/core";
import { useCallback, useEffect, useRef, useState } from "react";
import { Notice } from "../../parts/Notice.tsx";
import { openWorker, type TaskWorker } from "../../worker/open-worker.ts";
import type { Piece, RiskTask } from "../../worker/run-task.ts";

/** A task and its results so far. */
interface TaskState {
  readonly isRunning: boolean;
  readonly done: number;
  readonly total: number;
  readonly distances: readonly number[];
  readonly rows: readonly ComparisonRow[];
  readonly fault: string | undefined;
}

const idle: TaskState = { isRunning: false, done: 0, total: 0, distances: [], rows: [], fault: undefined };

/** One task at a time; a new task, `stop` or leaving the page ends the one before. */
export function useTask(): TaskState & { readonly start: (task: RiskTask) => void; readonly stop: () => void } {
  const [state, setState] = useState<TaskState>(idle);
  const worker = useRef<TaskWorker | undefined>(undefined);
  const stop = useCallback(() => {
    worker.current?.close();
    setState((before) => ({ ...before, isRunning: false }));
  }, []);
  const start = useCallback((task: RiskTask) => {
    worker.current?.close();
    const next = openWorker();
    worker.current = next;
    const total = task.kind === "sample" ? task.pairs : task.counts.length;
    setState({ ...idle, isRunning: true, total });
    const end = (fault?: string): void => {
      setState((before) => ({ ...before, isRunning: false, fault }));
      next.close();
    };
    next
      .run("risk", task, (piece) => setState((before) => withPiece(before, piece)))
      .then(
        () => end(),
        (error: Error) => end(error.message),
      );
  }, []);
  useEffect(() => () => worker.current?.close(), []);
  return { ...state, start, stop };
}

const withPiece = (before: TaskState, piece: Piece): TaskState =>
  piece.kind === "row"
    ? { ...before, done: piece.done, rows: [...before.rows, piece.value] }
    : { ...before, done: piece.done, distances: [...before.distances, ...piece.values] };

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
