import { type Question, study } from "./study.ts";

/** Answers one question at a time away from the page. */
interface Scope {
  onmessage: ((event: MessageEvent<{ readonly id: number; readonly question: Question }>) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data: { id, question } }) => {
  try {
    scope.postMessage({ id, study: study(question) });
  } catch (error) {
    scope.postMessage({ id, problem: error instanceof Error ? error.message : "this list cannot be totalled" });
  }
};
