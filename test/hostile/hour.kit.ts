import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { type Client, createClient } from "../../packages/client/src/index.ts";
import { countPlan } from "../../packages/server/src/instance.kit.ts";
import { within } from "../within.kit.ts";
import type { Answers, Orders } from "./attack.kit.ts";
import type { Target, Usage } from "./target.kit.ts";

export interface Spread {
  readonly times: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

/** What the analyst and a watcher of `/health` felt for some time, and what the server went through. */
export interface Felt {
  readonly health: Spread;
  /** By what the analyst did. */
  readonly analyst: Readonly<Record<string, Spread>>;
  readonly errors: readonly string[];
  readonly server: Usage;
}

export interface Hour {
  readonly quiet: Felt;
  readonly hostile: Felt;
  readonly attacks: readonly string[];
  readonly answers: Answers;
  /** Releases that the analyst was promised, and those that were answered in the end. */
  readonly promised: readonly string[];
  readonly released: readonly string[];
  /** Whether every line and every release of the ledgers holds together afterwards. */
  readonly verified: boolean;
}

interface HourOptions {
  readonly milliseconds: number;
  readonly clients: number;
  readonly only?: readonly string[];
  /** Arguments of Node for the server: `--cpu-prof`. */
  readonly nodeOptions?: readonly string[];
}

/** How long is watched before the attack, for comparison. */
const QUIET_MS = 10_000;
/** Below the rate that one address may ask at. */
const PAUSE_MS = 60;
/** The longest that a process may take to start, or to end after its time. */
const STEP_MS = 300_000;

/** Attacks one server from `clients` sides while an analyst works on it. */
export async function hostileHour({ milliseconds, clients, only = [], nodeOptions = [] }: HourOptions): Promise<Hour> {
  const server = start("target", nodeOptions);
  const attackers = start("attack");
  try {
    const target = (await said(server)) as Target;
    attackers.send({ target, clients, milliseconds, only } satisfies Orders);
    const attacks = (await said(attackers)) as readonly string[];
    const analyst = createClient({ url: target.url, token: target.analyst.token });
    const promised: string[] = [];
    const watch = (time: number) => feltFor(time, { target, analyst, promised, server });
    const quiet = await watch(Math.min(QUIET_MS, milliseconds));
    attackers.send("begin");
    const ended = said(attackers, milliseconds + STEP_MS);
    const hostile = await watch(milliseconds);
    const answers = (await ended) as Answers;
    const released: string[] = [];
    for (const release of promised)
      if ((await analyst.showRelease({ release, wait: 20 })).stage === "done") released.push(release);
    const { ok } = await createClient({ url: target.url, token: target.operatorToken }).verify();
    return { quiet, hostile, attacks, answers, promised, released, verified: ok };
  } finally {
    await Promise.all([end(attackers), end(server)]);
  }
}

const start = (name: string, nodeOptions: readonly string[] = []): ChildProcess =>
  fork(new URL(`./${name}.kit.ts`, import.meta.url), [], {
    execArgv: ["--disable-warning=ExperimentalWarning", ...nodeOptions],
  });

async function said(child: ChildProcess, milliseconds = STEP_MS): Promise<unknown> {
  const left = once(child, "exit").then(([code, signal]) => {
    throw new Error(`a process ended: ${signal ?? code}`);
  });
  const [message] = await within("a message", Promise.race([once(child, "message"), left]), milliseconds);
  return message;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  if (child.connected) child.disconnect();
  await within("the end of a process", ended).catch(() => child.kill("SIGKILL"));
}

interface Watching {
  readonly target: Target;
  readonly analyst: Client;
  readonly promised: string[];
  readonly server: ChildProcess;
}

async function feltFor(milliseconds: number, { target, analyst, promised, server }: Watching): Promise<Felt> {
  server.send("usage");
  await said(server);
  const end = performance.now() + milliseconds;
  const errors: string[] = [];
  const times = new Map<string, readonly number[]>();
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T | null> => {
    const began = performance.now();
    const result = await work().catch((error: unknown) => {
      errors.push(`${name}: ${error}`);
      return null;
    });
    times.set(name, [...(times.get(name) ?? []), performance.now() - began]);
    return result;
  };
  const health = async () => {
    while (performance.now() < end) {
      await timed("health", () => healthOf(target.url));
      await pause();
    }
  };
  const work = async () => {
    const about = { dataset: target.dataset, account: target.analyst.account, plan: countPlan("0.01") };
    while (performance.now() < end) {
      await timed("plan", () => analyst.showDataset({ dataset: target.dataset }));
      await timed("quote", () => analyst.quotePlan(about));
      const release = await timed("release", () => analyst.createRelease(about));
      if (release !== null) promised.push(release.id);
      if (release !== null) await timed("answer", () => analyst.showRelease({ release: release.id, wait: 20 }));
      await timed("read", () => analyst.listReleases({ limit: 20 }));
      await pause();
    }
  };
  await Promise.all([health(), work()]);
  const reported = said(server);
  server.send("usage");
  const { health: watched = spread([]), ...felt } = Object.fromEntries(
    [...times].map(([name, all]) => [name, spread(all)]),
  );
  return { health: watched, analyst: felt, errors, server: (await reported) as Usage };
}

/** From another address than the attackers, as a load balancer would; fails unless the answer is 200. */
async function healthOf(url: string): Promise<void> {
  const request = get(`${url.replace("localhost", "127.0.0.1")}/v1/health`, { localAddress: "127.0.0.2" });
  const [answer] = (await once(request, "response")) as [IncomingMessage];
  for await (const _ of answer);
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

function spread(times: readonly number[]): Spread {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { times: sorted.length, p50: at(0.5), p99: at(0.99), most: at(1) };
}
