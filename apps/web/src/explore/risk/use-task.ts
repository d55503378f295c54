import type { ComparisonRow } from "@dosimeter/risk";
import { useCallback, useEffect, useRef, useState } from "react";
import { openWorker, type TaskWorker } from "../../worker/open-worker.ts";
import type { Piece, RiskTask } from "../../worker/run-task.ts";

/** A task and its results so far. */
export interface TaskState {
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
