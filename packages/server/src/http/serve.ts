import type { Server } from "node:http";
import { invalid } from "@dosimeter/core";
import { createAdaptorServer } from "@hono/node-server";
import type { InstanceOptions } from "../instance/options.ts";
import { type Instance, openInstance } from "../instance.ts";
import { builtWebRoot, serveWeb } from "./web.ts";

export interface ServeOptions extends InstanceOptions {
  readonly port?: number;
  /** 127.0.0.1 when absent, which only this machine can reach. */
  readonly host?: string;
  /** The folder of the built web app; the repository's when absent, none when null. */
  readonly webRoot?: string | null;
  /** Runs before the first request is answered: the demo's seed. */
  readonly prepare?: (instance: Instance) => Promise<unknown>;
}

export interface Serving {
  readonly url: string;
  readonly instance: Instance;
  /** Whether another port was used because the requested one was taken. */
  readonly moved: boolean;
  /** Answers open requests, finishes running measurements, then releases the data folder. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 8080;
const PORTS_TRIED = 50;
/** The time that open connections get to end by themselves. */
const LINGER_MS = 2000;
/** The longest that one request may take: a large upload over a slow line. */
const REQUEST_MS = 3_600_000;

/** Opens the data folder and serves it. ALREADY_RUNNING, with the URL, when another process does. */
export async function serve(options: ServeOptions): Promise<Serving> {
  const { port = DEFAULT_PORT, host = "127.0.0.1", webRoot = builtWebRoot, prepare } = options;
  const instance = await openInstance({ deliver: true, ...options });
  try {
    // Routes first: the seed's requests close the route table.
    if (webRoot !== null) await serveWeb(instance.app, webRoot);
    await prepare?.(instance);
    const server = createAdaptorServer({ fetch: instance.app.fetch }) as Server;
    server.requestTimeout = REQUEST_MS;
    const taken = await listen(server, host, port);
    const here = `http://${hostName(host)}:${taken}`;
    await instance.publish(here);
    return {
      url: options.publicUrl ?? here,
      instance,
      moved: port !== 0 && taken !== port,
      close: () => stop(server, instance),
    };
  } catch (error) {
    await instance.close();
    throw error;
  }
}

/**
 * Closes on the first SIGINT or SIGTERM, and resolves when all is closed. One Ctrl-C may arrive several times, from the
 * terminal and from npm; a signal a second later ends the process at once.
 */
export function closedOnSignal(serving: Pick<Serving, "close">): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let since: number | null = null;
  const stopping = () => {
    if (since !== null && performance.now() - since > SAME_WISH_MS) process.exit(130);
    if (since !== null) return;
    since = performance.now();
    serving.close().then(resolve, reject);
  };
  for (const signal of SIGNALS) process.on(signal, stopping);
  return promise.finally(() => {
    for (const signal of SIGNALS) process.off(signal, stopping);
  });
}

const SAME_WISH_MS = 1000;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The port that was free: the first, or one of the next. */
export async function listen(server: Server, host: string, first: number): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED && port < 65_536; port += 1) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject).listen(port, host, resolve);
    try {
      await promise;
      const address = server.address();
      return typeof address === "object" && address !== null ? address.port : port;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    } finally {
      server.off("error", reject).off("listening", resolve);
    }
  }
  invalid("port", first, `a port with a free one among the next ${PORTS_TRIED}`);
}

/** What to type into a browser. */
export function hostName(host: string): string {
  if (["127.0.0.1", "0.0.0.0", "::", "::1"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}

async function stop(server: Server, instance: Instance): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeIdleConnections();
  await instance.drain(); // callers who wait for a measurement get an answer
  const impatient = setTimeout(() => server.closeAllConnections(), LINGER_MS);
  await promise;
  clearTimeout(impatient);
  await instance.close();
}
