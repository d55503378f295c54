import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { refuseFaults } from "./doctor/doctor.ts";
import { hostName, listen } from "./http/listen.ts";
import { builtWebRoot, serveWeb } from "./http/web.ts";
import type { InstanceOptions, TestOptions } from "./instance/options.ts";
import { type Instance, openInstance } from "./instance.ts";
import type { PostgresWire } from "./postgres-wire/wire.ts";
import { createLog } from "./telemetry/log.ts";

/**
 * Keeps at most `most` connections. A newcomer for whom there is no room ends the connection that has waited longest without a whole head of a request, so
 * that no one keeps others out by being there first. Where each has a request that is being answered, the newcomer is ended.
 */
export function limitConnections(server: Server, most: number): void {
  /** Without a request, the longest first. */
  const waiting = new Set<Socket>();
  /** Requests that are being answered: a client may send the next one before it has the answer. */
  const underway = new WeakMap<Socket, number>();
  let count = 0;
  server.on("connection", (socket: Socket) => {
    count += 1;
    waiting.add(socket);
    socket.once("close", () => {
      count -= 1;
      waiting.delete(socket);
    });
    if (count <= most) return;
    const [longest = socket] = waiting;
    waiting.delete(longest);
    longest.destroy();
  });
  server.on("request", ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket);
    underway.set(socket, (underway.get(socket) ?? 0) + 1);
    response.once("close", () => {
      const left = (underway.get(socket) ?? 1) - 1;
      underway.set(socket, left);
      if (left === 0 && !socket.destroyed) waiting.add(socket);
    });
  });
}

export interface ServeOptions extends InstanceOptions {
  /** How long a server that is asked to stop goes on after it has become not ready; 10 with a public address, else 0. */
  readonly drainSeconds?: number;
  /** The folder of the built web app; the repository's when absent, none when null. */
  readonly webRoot?: string | null;
}

export interface Preparing {
  /** Runs before the first request is answered: the demo's seed. */
  readonly prepare?: (instance: Instance) => Promise<unknown>;
}

export interface Listening {
  /** Where browsers reach it. */
  readonly url: string;
  readonly listens: string;
  /** The port at which the protocol of PostgreSQL is spoken; null: nowhere. */
  readonly postgresWire: number | null;
  /** Whether another port was used because the usual one was taken. */
  readonly moved: boolean;
  /**
   * Answers open requests, finishes running measurements, then releases the data folder. Where the end is announced, it is not ready for
   * `drainSeconds` and takes everything, so that a balancer turns away from it.
   */
  close(how?: { readonly announced: boolean }): Promise<void>;
}

export interface Serving extends Listening {
  readonly instance: Instance;
}

const DEFAULT_PORT = 8080;
/** The time that open connections get to end by themselves. */
const LINGER_MS = 2000;
/** A balancer that asks every five seconds notices. */
const DRAIN_SECONDS = 10;
/** How long a connection stays open between two requests: longer than a proxy keeps it, which would send the next one on a closed one. */
const KEEP_ALIVE_MS = 75_000;
/** Each may hold a body of 1 MiB for half a minute: 1 GiB at most, of the 2 that a machine of 4 GB has for the server. An idle one takes 14 kB. */
const MAX_CONNECTIONS = 1000;
/** The longest that one request may take: a large upload over a slow line. */
const REQUEST_MS = 3_600_000;

/** Opens the data folder and serves it. ALREADY_RUNNING, with the URL, when another process does. */
export async function serve(options: ServeOptions & Preparing & TestOptions): Promise<Serving> {
  const { port, host = "127.0.0.1", webRoot = builtWebRoot, prepare, publicUrl } = options;
  const { drainSeconds = publicUrl === undefined ? 0 : DRAIN_SECONDS } = options;
  await refuseFaults(options.folder, options);
  const instance = await openInstance({ deliver: true, ...options });
  let wire: PostgresWire | null = null;
  try {
    // Routes first: the seed's requests close the route table.
    if (webRoot !== null) await serveWeb(instance.app, webRoot);
    await prepare?.(instance);
    // Loaded where it is needed: a command that only opens the folder starts faster without a server's modules.
    const { createAdaptorServer } = await import("@hono/node-server");
    // The name is for HTTP/1.0 without Host, as HAProxy asks.
    const server = createAdaptorServer({ fetch: instance.app.fetch, hostname: "localhost" }) as Server;
    server.requestTimeout = REQUEST_MS;
    server.keepAliveTimeout = KEEP_ALIVE_MS;
    limitConnections(server, options.maxConnections ?? MAX_CONNECTIONS);
    const taken = await listen(server, host, { named: port, usual: DEFAULT_PORT });
    const here = `http://${hostName(host)}:${taken}`;
    wire = await wireOf(options, instance);
    await instance.publish(here);
    return {
      url: publicUrl ?? here,
      listens: `${host.includes(":") ? `[${host}]` : host}:${taken}`,
      postgresWire: wire?.port ?? null,
      instance,
      moved: port === undefined && taken !== DEFAULT_PORT,
      async close({ announced } = { announced: false }) {
        instance.leave();
        if (announced) await setTimeout(1000 * drainSeconds);
        await Promise.all([wire?.close(), stop(server, instance)]);
      },
    };
  } catch (error) {
    await wire?.close();
    await instance.close();
    throw error;
  }
}

/** Processes behind the protocol of PostgreSQL, seconds of one statement and megabytes of one process, unless settings say otherwise. */
const [PROCESSES, SECONDS, MEMORY] = [3, 20, 2000];

/** The protocol of PostgreSQL, which reaches the same routes; loaded where it is asked for. */
async function wireOf({ postgresWire, host = "127.0.0.1", log }: ServeOptions, instance: Instance) {
  if (postgresWire === undefined) return null;
  const { openPostgresWire } = await import("./postgres-wire/wire.ts");
  const { readCertificate } = await import("./postgres-wire/certificate.ts");
  return openPostgresWire({
    port: postgresWire.port,
    host,
    certificate: readCertificate(postgresWire),
    fetch: (request, socket) => instance.app.fetch(request, { incoming: { socket } }),
    processes: {
      processes: postgresWire.processes ?? PROCESSES,
      seconds: postgresWire.seconds ?? SECONDS,
      memory: (postgresWire.memory ?? MEMORY) * 1e6,
    },
    log: log ?? createLog("silent"),
  });
}

async function stop(server: Server, instance: Instance): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await instance.drain(); // callers who wait for a measurement get an answer
  const impatient = globalThis.setTimeout(() => server.closeAllConnections(), LINGER_MS);
  await promise;
  clearTimeout(impatient);
  await instance.close();
}
