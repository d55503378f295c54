import { readlinkSync } from "node:fs";
import { parentPort } from "node:worker_threads";
import { onBrokenInvariant } from "@dosimeter/core/accounting";
import { lowerPriority } from "../children/lower-priority.ts";
import { createLog } from "../telemetry/log.ts";

const log = createLog("error");
onBrokenInvariant((invariant) => log.error("INVARIANT_BROKEN", { cause: invariant }));

/** This thread gives way to the one that serves. Only Linux has priorities of threads. */
function giveWay(): void {
  try {
    lowerPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1)));
  } catch {} // elsewhere it runs as the others do
}

/** Answers one question after another, in a thread or a process; an error rejects that question alone. */
export function serveThread<Question, Answer>(
  answer: (question: Question) => Answer | Promise<Answer>,
  { givesWay = true }: { readonly givesWay?: boolean } = {},
): void {
  if (givesWay) giveWay();
  const post = (message: object): void =>
    parentPort === null ? void process.send?.(message) : parentPort.postMessage(message);
  const reply = async ({ id, question }: { readonly id: number; readonly question: Question }): Promise<void> => {
    try {
      post({ id, answer: await answer(question) });
    } catch (error) {
      post({ id, problem: { message: error instanceof Error ? error.message : "failed" } });
    }
  };
  (parentPort ?? process).on("message", (message) => void reply(message));
}
