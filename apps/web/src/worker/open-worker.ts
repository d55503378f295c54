import type { InputOf, OutputOf, ReportOf, TaskName } from "./tasks.ts";

export interface ToWorker {
  readonly id: number;
  readonly name: TaskName;
  readonly input: unknown;
}

export type FromWorker =
  | { readonly id: number; readonly kind: "report"; readonly report: unknown }
  | { readonly id: number; readonly kind: "done"; readonly output: unknown }
  | { readonly id: number; readonly kind: "failed"; readonly message: string };

export interface TaskWorker {
  /** Runs a task. Rejects with the task's own message. A task of a closed worker never settles. */
  readonly run: <Name extends TaskName>(
    name: Name,
    input: InputOf<Name>,
    onReport?: (report: ReportOf<Name>) => void,
  ) => Promise<OutputOf<Name>>;
  /** Ends the worker and its running tasks. */
  readonly close: () => void;
}

interface Waiting {
  readonly onReport: ((report: never) => void) | undefined;
  readonly resolve: (output: never) => void;
  readonly reject: (error: Error) => void;
}

/** Starts the worker of the pages. */
export function openWorker(): TaskWorker {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    const task = waiting.get(data.id);
    if (data.kind === "report") return task?.onReport?.(data.report as never);
    waiting.delete(data.id);
    if (data.kind === "done") task?.resolve(data.output as never);
    else task?.reject(new Error(data.message));
  };
  worker.onerror = () => {
    for (const { reject } of waiting.values()) reject(new Error("This browser could not run the computation."));
    waiting.clear();
  };
  return {
    run: (name, input, onReport) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        waiting.set(lastId, { onReport, resolve, reject });
        worker.postMessage({ id: lastId, name, input } satisfies ToWorker);
      }),
    close: () => worker.terminate(),
  };
}
