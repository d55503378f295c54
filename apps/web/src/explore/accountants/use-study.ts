import { useEffect, useState } from "react";
import { openWorker, type TaskWorker } from "../../worker/open-worker.ts";
import type { Question, Study } from "../../worker/study.ts";

interface StudyState {
  readonly study: Study | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
}

/** The pause in typing after which a list is studied. */
const REST_MS = 350;

/** The study of a list, computed in the worker; a new one ends the one before. */
export function useStudy(question: Question): StudyState {
  const [state, setState] = useState<StudyState>({ study: null, problem: null, isBusy: true });
  const { list, delta, epsilon, threshold } = question;
  useEffect(() => {
    let worker: TaskWorker | undefined;
    setState((before) => ({ ...before, isBusy: true }));
    const timer = setTimeout(() => {
      worker = openWorker();
      worker
        .run("study", { list, delta, epsilon, threshold })
        .then(
          (study) => setState({ study, problem: null, isBusy: false }),
          (error: Error) => setState({ study: null, problem: error.message, isBusy: false }),
        )
        .finally(worker.close);
    }, REST_MS);
    return () => {
      clearTimeout(timer);
      worker?.close();
    };
  }, [list, delta, epsilon, threshold]);
  return state;
}
