import type { FromWorker, ToWorker } from "./open-worker.ts";
import { tasks } from "./tasks.ts";

const send = (message: FromWorker): void => postMessage(message);

/** The one worker of the pages: does the tasks of the table. */
addEventListener("message", ({ data: { id, name, input } }: MessageEvent<ToWorker>) => {
  const run = tasks[name] as (input: unknown, report: (report: unknown) => void) => Promise<unknown>;
  run(input, (report) => send({ id, kind: "report", report })).then(
    (output) => send({ id, kind: "done", output }),
    (error: unknown) =>
      send({ id, kind: "failed", message: error instanceof Error ? error.message : "The computation failed." }),
  );
});
