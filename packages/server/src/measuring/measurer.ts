import type { ChildProcess } from "node:child_process";
import type { EventEmitter } from "node:events";
import { isDeepStrictEqual } from "node:util";
import { PrivacyError } from "@dosimeter/core";
import type { EngineOptions } from "@dosimeter/engines";
import type { Declaration } from "@dosimeter/query/declaration";
import type { CheckedTable, JoinedVersion } from "@dosimeter/query/plan";
import { type ChildLimits, startChild } from "../children/start-child.ts";
import type { Ended, Job, JobName, Jobs, Refusal, Said } from "./job.ts";

/** Reads private rows in a process of its own, so that nothing that depends on them takes time from the serving one. */
export interface Measurer {
  /** Runs one job. Rejects with the refusals of `Engine`, or `ProcessEnded`. */
  run<Name extends JobName>(
    name: Name,
    given: Jobs[Name]["given"],
    signal?: AbortSignal,
  ): Promise<Jobs[Name]["result"]>;
  /** Resolves once the process that reads a table is up and warm. Null: that of the files. */
  ready(given: { readonly declaration: Declaration; readonly table: JoinedVersion } | null): Promise<Reader>;
  /** How often a process was started. */
  starts(): number;
  close(): Promise<void>;
}

/** What is public about the process that reads a table. */
export interface Reader {
  /** Whether it read these versions in full for releases that have departed or tables that were declared: what it has read in fact is private. */
  readonly hasRead: boolean;
  /** Called when a release of these versions departs with an answer. [M360] */
  depart(): void;
}

export interface ConnectedMeasurer extends Measurer {
  /** From the next job on it reads through these connections. */
  use(connections: Connections): void;
}

/** The measuring process ended while a job ran: killed, out of memory, or too slow. */
export class ProcessEnded extends PrivacyError {
  /** Whether it had to end because of another job. */
  readonly isOfAnother: boolean;
  constructor(isOfAnother = false) {
    super("NOT_READY", {}, "the process that reads the data ended; try again");
    this.isOfAnother = isOfAnother;
  }
}

/** A job that takes so long is stopped: a minute more than its engines give it. */
export const MAX_JOB_MS = 660_000;
/** A process whose job has not ended so long after it was stopped is killed. */
export const STOP_MS = 60_000;

/** What a measurer needs of its process: "message" with an `Ended`, "exit" or "error" when it is over. */
export interface MeasuringProcess extends EventEmitter {
  send(said: Said, done: () => void): unknown;
  kill(signal: "SIGKILL"): unknown;
  ref(): void;
}

interface Waiting extends PromiseWithResolvers<unknown> {
  timer: NodeJS.Timeout;
  /** Whether the process is killed because of it. */
  isStuck: boolean;
}

type Connections = NonNullable<EngineOptions["connections"]>;

/** Runs the first jobs of a process; others wait. */
type Prepare = (run: Measurer["run"]) => Promise<void>;

/** One process over all sources, started by the first job and again after it has ended. One that could not be prepared is the last that is. */
// long: operations over one process and its queue
export function openMeasurer(
  given: EngineOptions,
  begin: () => MeasuringProcess,
  preparing?: Prepare,
): ConnectedMeasurer {
  let options = given;
  let prepare = preparing;
  let running: ReturnType<typeof start> | null = null;
  let last = 0;
  let starts = 0;

  function start() {
    const waiting = new Map<number, Waiting>();
    const child = begin();
    starts += 1;
    const say = (said: Said): void => void child.send(said, () => undefined); // "exit" follows
    child.on("message", (ended: Ended) => {
      const one = waiting.get(ended.id);
      waiting.delete(ended.id);
      clearTimeout(one?.timer);
      if ("result" in ended) one?.resolve(ended.result);
      else one?.reject(errorOf(ended.refusal));
    });
    const over = Promise.withResolvers<void>();
    const end = (): void => {
      if (running?.child === child) running = null;
      const all = [...waiting.values()];
      const isKilled = all.some(({ isStuck }) => isStuck);
      for (const { reject, timer, isStuck } of all) {
        clearTimeout(timer);
        reject(new ProcessEnded(isKilled && !isStuck));
      }
      waiting.clear();
      over.resolve();
    };
    child.once("exit", end);
    child.once("error", end); // it did not start
    say({ kind: "open", options });
    const read = new Set<string>();
    const started = { child, waiting, say, over: over.promise, read, isReady: prepare === undefined };
    const run: Measurer["run"] = (name, given, signal) => runIn(started, name, given, signal);
    const ready = prepare?.(run)
      .catch(() => {
        prepare = undefined;
      })
      .then(() => {
        started.isReady = true;
      });
    return Object.assign(started, { ready });
  }

  type Started = Pick<ReturnType<typeof start>, "child" | "waiting" | "say" | "read">;

  /** The process, once it is ready. */
  async function prepared(): Promise<Started> {
    for (;;) {
      running ??= start();
      if (running.isReady) return running;
      await running.ready;
    }
  }

  async function runIn<Name extends JobName>(
    { child, waiting, say, read }: Started,
    name: Name,
    given: Jobs[Name]["given"],
    signal?: AbortSignal,
  ): Promise<Jobs[Name]["result"]> {
    const id = ++last;
    const result = Promise.withResolvers<unknown>();
    const kill = () => {
      one.isStuck = true;
      child.kill("SIGKILL");
    };
    const end = () => {
      say({ kind: "stop", id });
      one.timer = setTimeout(kill, STOP_MS);
    };
    const one: Waiting = { ...result, timer: setTimeout(end, MAX_JOB_MS), isStuck: false };
    waiting.set(id, one);
    const stop = () => {
      say({ kind: "stop", id });
      result.reject(signal?.reason);
    };
    signal?.addEventListener("abort", stop, { once: true });
    say({ kind: "job", id, job: { name, given } as Job });
    try {
      const ended = (await result.promise) as Jobs[Name]["result"];
      // No one can ask about a table with a salt of its own before its declaration has ended.
      if (given !== null && "isNew" in given && given.isNew) read.add((ended as CheckedTable).version);
      return ended;
    } finally {
      signal?.removeEventListener("abort", stop);
    }
  }

  return {
    async run(name, given, signal) {
      signal?.throwIfAborted();
      running ??= start();
      return runIn(running.isReady ? running : await prepared(), name, given, signal);
    },
    async ready(given) {
      const { read } = await prepared();
      const versions = [given?.table, given?.table.joined].flatMap((one) => one?.version ?? []);
      return {
        hasRead: versions.every((version) => read.has(version)),
        depart() {
          for (const version of versions) read.add(version);
        },
      };
    },
    use(connections) {
      if (isDeepStrictEqual(connections, options.connections)) return;
      options = { ...options, connections };
      running?.say({ kind: "use", connections });
    },
    starts: () => starts,
    async close() {
      const ending = running;
      ending?.child.ref(); // its end is waited for
      ending?.child.kill("SIGKILL");
      await ending?.over;
    },
  };
}

export const startProcess = (
  limits: ChildLimits = {},
  module = new URL(`./measurer.worker${ending}`, import.meta.url),
): ChildProcess => startChild(module, limits);

const errorOf = (refusal: Refusal): PrivacyError =>
  refusal === null ? new PrivacyError("INTERNAL") : new PrivacyError(refusal.code, refusal.details, refusal.message);

/** The source in a checkout, what was built of it in a package. */
const ending = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
