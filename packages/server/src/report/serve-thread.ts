import { parentPort } from "node:worker_threads";
import { onBrokenInvariant } from "@dosimeter/core/accounting";
import { createLog } from "../instance/log.ts";

const log = createLog("error");
onBrokenInvariant((invariant) => log.error("a certified number broke an invariant", { code: invariant }));

/** Answers one question after another; an error rejects that question alone. */
export function serveThread<Question, Answer>(answer: (question: Question) => Answer | Promise<Answer>): void {
  const reply = async ({ id, question }: { readonly id: number; readonly question: Question }): Promise<void> => {
    try {
      parentPort?.postMessage({ id, answer: await answer(question) });
    } catch (error) {
      parentPort?.postMessage({ id, problem: { message: error instanceof Error ? error.message : "failed" } });
    }
  };
  parentPort?.on("message", (message) => void reply(message));
}
