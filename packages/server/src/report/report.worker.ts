import { parentPort } from "node:worker_threads";
import { type ReportQuestion, spendReport } from "@dosimeter/ledger";

/** Answers one question at a time away from the event loop. Knows public numbers only: no store, no secret. */
parentPort?.on("message", ({ id, question }: { readonly id: number; readonly question: ReportQuestion }) => {
  try {
    parentPort?.postMessage({ id, report: spendReport(question) });
  } catch (error) {
    parentPort?.postMessage({ id, problem: error });
  }
});
