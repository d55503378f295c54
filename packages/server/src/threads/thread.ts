import { Worker } from "node:worker_threads";
import { PrivacyError } from "@dosimeter/core";
import { oneAfterAnother } from "@dosimeter/core/internal";
import { childEnvironment } from "../children/environment.ts";
import { startChild } from "../children/start-child.ts";

/** Work in its own thread: on public numbers, but also on uploaded tables and on names of people. Its messages may hold either. */
export interface Thread<Question, Answer> {
  /** RATE_LIMITED when too many wait already, NOT_READY when `signal` says that the caller has left. */
  ask(question: Question, signal?: AbortSignal): Promise<Answer>;
  close(): Promise<void>;
}

interface ThreadLimits {
  /** The most unanswered questions; 100 when absent. */
  readonly most?: number;
  /** Asks one question after another. When its caller leaves, a waiting question is dropped, and a running one ends with its thread. */
  readonly isOneByOne?: boolean;
  /** The longest that one question may take, in milliseconds; no limit when absent. */
  readonly milliseconds?: number;
  /** The most memory of its objects and texts; it ends with ERR_WORKER_OUT_OF_MEMORY beyond it. Node's own limit when absent. */
  readonly memoryMb?: number;
  /** In a process of its own: one that hangs in a system call keeps no process from ending, as a thread does. */
  readonly isProcess?: boolean;
}

interface Reply<Answer> {
  readonly id: number;
  readonly answer?: Answer;
  readonly problem?: { readonly message: string };
}

interface Running<Answer> {
  readonly worker: Pick<Worker, "postMessage" | "terminate">;
  readonly waiting: Map<number, PromiseWithResolvers<Answer>>;
}

function workerOf(file: URL, memoryMb: number | undefined) {
  const worker = new Worker(file, {
    env: childEnvironment(),
    // A thread that crashed while it read the SQLite file would close it, and with it drop the locks of the whole process.
    trackUnmanagedFds: false,
    ...(memoryMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: memoryMb } }),
  });
  worker.unref();
  return { worker, events: worker };
}

function processOf(file: URL) {
  const child = startChild(file, { givesWay: false });
  const gone = Promise.withResolvers<void>();
  for (const end of ["exit", "error"]) child.once(end, () => gone.resolve()); // "error": it did not start
  return {
    events: child,
    worker: {
      // "exit" or "error" follows; one that did not start has no pipe
      postMessage: (message: object) => void (child.pid !== undefined && child.send(message, () => undefined)),
      async terminate() {
        child.kill("SIGKILL");
        await gone.promise;
        return 0;
      },
    },
  };
}

/** Starts a worker; `onEnd` is called when it has ended, by itself or not. */
function startWorker<Answer>(
  file: URL,
  { memoryMb, isProcess = false }: ThreadLimits,
  onEnd: (ended: Running<Answer>) => void,
): Running<Answer> {
  const { worker, events } = isProcess ? processOf(file) : workerOf(file, memoryMb);
  const started: Running<Answer> = { worker, waiting: new Map() };
  const { waiting } = started;
  events.on("message", ({ id, answer, problem }: Reply<Answer>) => {
    const one = waiting.get(id);
    waiting.delete(id);
    if (problem === undefined) one?.resolve(answer as Answer);
    else one?.reject(new PrivacyError("INTERNAL", {}, problem.message));
  });
  const fail = (error: unknown) => {
    onEnd(started);
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
  };
  events.on("error", fail);
  events.on("exit", () => fail(new PrivacyError("INTERNAL")));
  return started;
}

/**
 * A thread that runs the file `name`, without its ending, next to the caller, whose `import.meta.url` is `here`. It starts with the first
 * question and again after a crash. In a bundle all callers and all such files are in one folder.
 */
export function openThread<Question, Answer>(
  name: string,
  here: string,
  { most = 100, milliseconds, isOneByOne = milliseconds !== undefined, ...limits }: ThreadLimits = {},
): Thread<Question, Answer> {
  const file = new URL(`./${name}${ending}`, here);
  let asked = 0;
  const turn = oneAfterAnother();
  let running: Running<Answer> | null = null;
  let next = 0;

  function post(question: Question): Promise<Answer> {
    const answer = Promise.withResolvers<Answer>();
    next += 1;
    running ??= startWorker<Answer>(file, limits, (ended) => {
      if (running === ended) running = null;
    });
    running.waiting.set(next, answer);
    running.worker.postMessage({ id: next, question });
    return answer.promise;
  }

  async function postAlone(question: Question, signal: AbortSignal | undefined): Promise<Answer> {
    if (signal?.aborted) throw noLongerWanted();
    const given = Promise.withResolvers<never>();
    const giveUp = (error: PrivacyError) => {
      given.reject(error);
      const ended = running?.worker;
      running = null;
      void ended?.terminate();
    };
    const leave = () => giveUp(noLongerWanted());
    const timer =
      milliseconds === undefined ? undefined : setTimeout(() => giveUp(tooLong(milliseconds)), milliseconds);
    signal?.addEventListener("abort", leave);
    const answer = post(question);
    answer.catch(() => undefined); // the ended thread rejects it too
    return Promise.race([answer, given.promise]).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", leave);
    });
  }

  return {
    async ask(question, signal) {
      if (asked >= most) throw new PrivacyError("RATE_LIMITED", {}, "too much is being computed; try again soon");
      asked += 1;
      let waits = true;
      const leave = () => {
        if (waits) asked -= 1;
        waits = false;
      };
      signal?.addEventListener("abort", leave);
      try {
        return await (isOneByOne ? turn(() => postAlone(question, signal)) : post(question));
      } finally {
        signal?.removeEventListener("abort", leave);
        leave();
      }
    },
    async close() {
      await running?.worker.terminate();
    },
  };
}

export const noLongerWanted = (): PrivacyError => new PrivacyError("NOT_READY", {}, "this was cancelled");

const tooLong = (milliseconds: number): PrivacyError =>
  new PrivacyError("PAYLOAD_TOO_LARGE", {}, `it took longer than ${milliseconds / 1000} s and was given up`);

/** The source in a checkout, what was built of it in a package. */
const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
