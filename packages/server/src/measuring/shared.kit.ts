import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { STEP_MS } from "../../../../test/within.kit.ts";
import type { Ended, Said } from "./job.ts";
import { type MeasuringProcess, startProcess } from "./measurer.ts";

/** A message to one of those that share a process; null ends it. */
export interface ToShared {
  readonly of: number;
  readonly said: Said | null;
}

interface FromShared {
  readonly of: number;
  readonly ended: Ended | null;
}

let shared: ChildProcess | null = null;
let last = 0;
const all = new Map<number, EventEmitter>();

function over(of: number): void {
  all.get(of)?.emit("exit");
  all.delete(of);
}

function start(): ChildProcess {
  const child = startProcess({}, new URL("./shared.worker.kit.ts", import.meta.url));
  child.on("message", ({ of, ended }: FromShared) => {
    if (ended === null) over(of);
    else all.get(of)?.emit("message", ended);
  });
  child.once("exit", () => {
    shared = null;
    for (const of of all.keys()) over(of);
  });
  return child;
}

/**
 * To a measurer a process of its own. To start one takes the processor half a second, so the instances of a test process share one. One that
 * is killed is closed there; where that takes longer than `closeMs`, all of it is killed.
 */
export function inSharedProcess(closeMs = STEP_MS): MeasuringProcess & { readonly pid: number | undefined } {
  shared ??= start();
  const child = shared;
  const of = ++last;
  // Where the process is gone, "exit" follows.
  const say = (said: Said | null, done: () => void = () => undefined) =>
    child.send({ of, said } satisfies ToShared, done);
  const kill = () => {
    say(null);
    const late = setTimeout(() => child.kill("SIGKILL"), closeMs);
    one.once("exit", () => clearTimeout(late));
  };
  const one = Object.assign(new EventEmitter(), { pid: child.pid, send: say, kill, ref: () => undefined });
  all.set(of, one);
  return one;
}
