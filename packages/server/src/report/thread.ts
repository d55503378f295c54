import { Worker } from "node:worker_threads";
import { PrivacyError } from "@dosimeter/core";

/** Arithmetic in a thread of its own: public numbers in, public numbers out. */
export interface Thread<Question, Answer> {
  /** RATE_LIMITED when too many wait already. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

export interface ThreadLimits {
  /** Questions that are asked and not answered; 100. */
  readonly most?: number;
  /** One question after another, and none may take longer: the thread is ended and starts anew. Any time when absent. */
  readonly milliseconds?: number;
}

interface Reply<Answer> {
  readonly id: number;
  readonly answer?: Answer;
  readonly problem?: { readonly code: string | null; readonly message: string };
}

/** A thread that runs `file` (without its ending), started by the first question and again after a crash. */
export function openThread<Question, Answer>(
  file: string,
  { most = 100, milliseconds }: ThreadLimits = {},
): Thread<Question, Answer> {
  let asked = 0;
  let last: Promise<unknown> = Promise.resolve();
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  let worker: Worker | null = null;
  let next = 0;

  function start(): Worker {
    const started = new Worker(new URL(`./${file}${ending}`, import.meta.url), { execArgv: process.execArgv });
    started.unref();
    started.on("message", ({ id, answer, problem }: Reply<Answer>) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (problem === undefined) one?.resolve(answer as Answer);
      else one?.reject(new PrivacyError("INTERNAL", {}, problem.message));
    });
    const fail = (error: unknown) => {
      if (worker === started) worker = null;
      for (const one of waiting.values()) one.reject(error);
      waiting.clear();
    };
    started.on("error", fail);
    started.on("exit", () => fail(new PrivacyError("INTERNAL")));
    return started;
  }

  function post(question: Question): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    next += 1;
    waiting.set(next, answer);
    worker ??= start();
    worker.postMessage({ id: next, question });
    return answer.promise;
  }

  async function postInTime(question: Question, limit: number): Promise<Answer> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new PrivacyError("PAYLOAD_TOO_LARGE", {}, `it took longer than ${limit / 1000} s and was given up`));
      const slow = worker;
      worker = null;
      void slow?.terminate();
    }, limit);
    const answer = post(question);
    answer.catch(() => undefined); // the thread that was ended rejects it too
    return Promise.race([answer, late.promise]).finally(() => clearTimeout(timer));
  }

  return {
    async ask(question) {
      if (asked >= most) throw new PrivacyError("RATE_LIMITED", {}, "too much is being computed; try again soon");
      asked += 1;
      try {
        if (milliseconds === undefined) return await post(question);
        const turn = last.then(() => postInTime(question, milliseconds));
        last = turn.catch(() => undefined);
        return await turn;
      } finally {
        asked -= 1;
      }
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** The source in a checkout, what was built of it in a package. */
const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
