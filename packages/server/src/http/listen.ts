import { createServer, type Server } from "node:net";
import { invalid, PrivacyError } from "@dosimeter/core";

const PORTS_TRIED = 50;

/** A named port, or else the usual one and the next ones. CONFLICT for a named port that is taken. */
export async function listen(
  server: Pick<Server, "listen" | "address" | "once" | "off">,
  host: string,
  { named, usual }: { readonly named: number | undefined; readonly usual: number },
): Promise<number> {
  const first = named ?? usual;
  for (let port = first; port < first + (named === undefined ? PORTS_TRIED : 1) && port < 65_536; port += 1) {
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
  if (named === undefined) invalid("port", first, `a port with a free one among the next ${PORTS_TRIED}`);
  const want = "a port that is free, or 0 for any";
  throw new PrivacyError("CONFLICT", { name: "port", got: named, want }, `port ${named} is taken, must be ${want}`);
}

/** Refuses a named port that is taken, before anything else is done. */
export async function refuseTaken(host: string, named: number): Promise<void> {
  const trial = createServer();
  await listen(trial, host, { named, usual: named });
  const { promise, resolve } = Promise.withResolvers<void>();
  trial.close(() => resolve());
  await promise;
}

/** What to type into a browser. */
export function hostName(host: string): string {
  if (["127.0.0.1", "0.0.0.0", "::", "::1"].includes(host)) return "localhost";
  return host.includes(":") ? `[${host}]` : host;
}
