import type { ComparisonRow } from "@dosimeter/risk";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Piece, Task } from "./task.ts";

/** A task as far as it has come. */
export interface TaskState {
  readonly isRunning: boolean;
  readonly done: number;
  readonly total: number;
  readonly distances: readonly number[];
  readonly rows: readonly ComparisonRow[];
  readonly fault: string | undefined;
}

const idle: TaskState = { isRunning: false, done: 0, total: 0, distances: [], rows: [], fault: undefined };

/** One worker at a time; a new task, `stop` or leaving the page ends the one before. */
export function useTask(): TaskState & { readonly start: (task: Task) => void; readonly stop: () => void } {
  const [state, setState] = useState<TaskState>(idle);
  const worker = useRef<Worker | undefined>(undefined);
  const stop = useCallback(() => {
    worker.current?.terminate();
    worker.current = undefined;
    setState((before) => ({ ...before, isRunning: false }));
  }, []);
  const start = useCallback((task: Task) => {
    worker.current?.terminate();
    const next = new Worker(new URL("./risk.worker.ts", import.meta.url), { type: "module" });
    worker.current = next;
    const total = task.kind === "sample" ? task.pairs : task.counts.length;
    setState({ ...idle, isRunning: true, total });
    next.addEventListener("message", ({ data }: MessageEvent<Piece>) => {
      if (worker.current !== next) return;
      setState((before) => after(before, data));
      if (data.kind === "end" || data.kind === "fault") next.terminate();
    });
    next.addEventListener("error", () => {
      if (worker.current === next)
        setState((before) => ({ ...before, isRunning: false, fault: "The computation failed." }));
    });
    next.postMessage(task);
  }, []);
  useEffect(() => () => worker.current?.terminate(), []);
  return { ...state, start, stop };
}

function after(before: TaskState, piece: Piece): TaskState {
  switch (piece.kind) {
    case "distances":
      return { ...before, done: piece.done, distances: [...before.distances, ...piece.values] };
    case "row":
      return { ...before, done: piece.done, rows: [...before.rows, piece.value] };
    case "end":
      return { ...before, isRunning: false };
    case "fault":
      return { ...before, isRunning: false, fault: piece.message };
    default:
      return piece satisfies never;
  }
}
