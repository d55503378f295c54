import { parentPort } from "node:worker_threads";
import { PrivacyError } from "@dosimeter/core";
import { type Question, type Reply, readWhole } from "./file-reader.ts";

const running = new Map<number, AbortController>();
const reply = (said: Reply): void => parentPort?.postMessage(said);

parentPort?.on("message", (asked: Question) => {
  const { id } = asked;
  if (asked.kind === "stop") {
    running.get(id)?.abort();
    return;
  }
  const stopping = new AbortController();
  running.set(id, stopping);
  readWhole(asked, stopping.signal)
    .then(
      (result) => reply({ id, result }),
      (error: unknown) => {
        const isRefusal = error instanceof PrivacyError;
        const details = isRefusal ? (error.details as Readonly<Record<string, string>>) : {};
        reply({ id, refusal: isRefusal ? { details, message: error.message } : null });
      },
    )
    .finally(() => running.delete(id));
});
