import { Worker } from "node:worker_threads";
import { PrivacyError } from "@dosimeter/core";

/** Arithmetic in a thread of its own: public numbers in, public numbers out. */
export interface Thread<Question, Answer> {
  /** RATE_LIMITED when too many wait already. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

const MOST_WAITING = 100;

interface Reply<Answer> {
  readonly id: number;
  readonly answer?: Answer;
  readonly problem?: { readonly code: string | null; readonly message: string };
}

/** A thread that runs `file` (without its ending), started by the first question and again after a crash. */
export function openThread<Question, Answer>(file: string): Thread<Question, Answer> {
  const waiting = new Map<number, PromiseWithResolvers<Answer>>();
  let worker: Worker | null = null;
  let next = 0;

  function start(): Worker {
    const started = new Worker(new URL(`./${file}${ending}`, import.meta.url), { execArgv: process.execArgv });
    started.unref();
    started.on("message", ({ id, answer, problem }: Reply<Answer>) => {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (problem === undefined) asked?.resolve(answer as Answer);
      else asked?.reject(new PrivacyError("INTERNAL", {}, problem.message));
    });
    const fail = (error: unknown) => {
      if (worker === started) worker = null;
      for (const asked of waiting.values()) asked.reject(error);
      waiting.clear();
    };
    started.on("error", fail);
    started.on("exit", () => fail(new PrivacyError("INTERNAL")));
    return started;
  }

  return {
    ask(question) {
      if (waiting.size >= MOST_WAITING)
        throw new PrivacyError("RATE_LIMITED", {}, "too much is being computed; try again soon");
      const asked = Promise.withResolvers<Answer>();
      next += 1;
      waiting.set(next, asked);
      worker ??= start();
      worker.postMessage({ id: next, question });
      return asked.promise;
    },
    async close() {
      await worker?.terminate();
    },
  };
}

/** The source in a checkout, what was built of it in a package. */
const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
