import { readFileSync } from "node:fs";

const SAME_WISH_MS = 1000;
/** The last where its terminal is closed. Node does not leave it ignored, as `nohup` has it. */
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const LOOK_EVERY_MS = 500;

interface Stopping {
  /** Ends; a balancer that is to notice first gets its time. */
  close(how: { readonly announced: boolean }): Promise<void>;
}

/**
 * Closes on the first of these signals, and resolves when all is closed. One Ctrl-C may arrive several times, from the
 * terminal and from npm; a signal a second later ends the process at once. With `byNpm` the end of the parent, or of its
 * parent where the system tells, counts as SIGTERM: npm passes a signal to the shell between it and this process, and that shell
 * ends without a word; or npm ends, and the shell stays. To be called before the process says that it serves.
 */
export function closedOnSignal(serving: Stopping, { byNpm = false }: { readonly byNpm?: boolean } = {}): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let since: number | null = null;
  const stopping = (signal: NodeJS.Signals) => {
    if (since !== null && performance.now() - since > SAME_WISH_MS) process.exit(130);
    if (since !== null) return;
    since = performance.now();
    serving.close({ announced: signal === "SIGTERM" }).then(resolve, reject);
  };
  for (const signal of SIGNALS) process.on(signal, stopping);
  const before = processesAbove();
  const looking = setInterval(() => {
    if (byNpm && since === null && processesAbove() !== before) stopping("SIGTERM");
  }, LOOK_EVERY_MS);
  return promise.finally(() => {
    clearInterval(looking);
    for (const signal of SIGNALS) process.off(signal, stopping);
  });
}

/** The numbers of the parent and, on Linux, of its parent. */
function processesAbove(): string {
  const parent = process.ppid;
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, "latin1");
    const [, grandparent = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return `${parent} ${grandparent}`;
  } catch {
    return String(parent);
  }
}
