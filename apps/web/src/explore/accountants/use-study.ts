import { useEffect, useRef, useState } from "react";
import type { Question, Study } from "./study.ts";

export interface StudyState {
  readonly study: Study | null;
  readonly problem: string | null;
  readonly isBusy: boolean;
}

interface Reply {
  readonly id: number;
  readonly study?: Study;
  readonly problem?: string;
}

const QUIET = 350;

/** The study of a list, computed in one worker; a newer question stops the one before it. */
export function useStudy(question: Question): StudyState {
  const [state, setState] = useState<StudyState>({ study: null, problem: null, isBusy: true });
  const latest = useRef(0);
  const { list, delta, epsilon, threshold } = question;
  useEffect(() => {
    const id = ++latest.current;
    let worker: Worker | null = null;
    setState((before) => ({ ...before, isBusy: true }));
    const timer = setTimeout(() => {
      worker = new Worker(new URL("./accountants.worker.ts", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }: MessageEvent<Reply>) => {
        if (data.id !== latest.current) return;
        setState({ study: data.study ?? null, problem: data.problem ?? null, isBusy: false });
        worker?.terminate();
      };
      worker.postMessage({ id, question: { list, delta, epsilon, threshold } });
    }, QUIET);
    return () => {
      clearTimeout(timer);
      worker?.terminate();
    };
  }, [list, delta, epsilon, threshold]);
  return state;
}
