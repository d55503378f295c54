import { type ChildProcess, fork } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { childEnvironment } from "./environment.ts";
import { lowerPriority } from "./lower-priority.ts";

/** What the system ends a child for, where it can. */
export interface ChildLimits {
  /** Bytes of memory of its own: heap, buffers, and what native code takes. */
  readonly memory?: number;
  /** Bytes of its objects and texts, a part of `memory`. */
  readonly heap?: number;
  /** Seconds of processor time. */
  readonly seconds?: number;
  /** How many threads its engine starts. */
  readonly threads?: number;
  /** False for one that answers wait for. */
  readonly givesWay?: boolean;
}

/**
 * A process that reads what others wrote. It is below the server in priority and has none of its secrets: those that a job needs come through the
 * pipe. It writes nowhere, since what an engine prints may quote a row, and leaves no image of its memory. Where the system can, it is
 * held to its limits and never gains a privilege.
 */
export function startChild(
  module: URL,
  { memory, heap, seconds, threads = 0, givesWay = true }: ChildLimits = {},
): ChildProcess {
  const options = [
    // How sources are found; the other options may be about this process, such as a script of its own.
    ...process.execArgv.filter((option) => option.startsWith("--conditions=")),
    ...(heap === undefined ? [] : [`--max-old-space-size=${Math.ceil(heap / 2 ** 20)}`]),
  ];
  const counted = reserved() + threads * STACK;
  const limits = [memory === undefined ? 0 : Math.ceil((memory + counted) / 1024), Math.ceil(seconds ?? 0)];
  const child = fork(module, {
    ...(hasShell
      ? { execPath: SHELL, execArgv: ["-c", LIMITED, SHELL, ...limits.map(String), process.execPath, ...options] }
      : { execArgv: options }),
    env: childEnvironment(),
    serialization: "advanced",
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  // A running job has a timer, so only an idle process lets its server end.
  child.unref();
  child.channel?.unref();
  if (givesWay && child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

const SHELL = "/bin/sh";
const hasShell = process.platform !== "win32" && existsSync(SHELL);

/** Sets each limit that is not 0 and that the system has, then becomes the program. */
const LIMITED = `ulimit -c 0
[ "$1" = 0 ] || ulimit -d "$1"
[ "$2" = 0 ] || ulimit -t "$2"
shift 2
if setpriv --no-new-privs true; then exec setpriv --no-new-privs "$@"; fi
exec "$@"`;

/** The system counts all of the stack of a thread, which uses little of it. */
const STACK = 2 ** 23;

/** Addresses that this build of Node sets apart for compiled code: the system counts them as memory, used or not. */
function reserved(): number {
  if (process.platform !== "linux") return 0;
  let bytes = 0;
  for (const line of readFileSync("/proc/self/maps", "utf8").split("\n")) {
    const [, from = "0", to = "0"] = /^([0-9a-f]+)-([0-9a-f]+) rwxp \S+ \S+ 0 *$/.exec(line) ?? [];
    bytes += Number.parseInt(to, 16) - Number.parseInt(from, 16);
  }
  return bytes;
}
