import { isIP, isIPv4 } from "node:net";
import type { Context } from "hono";
import { counted, LOCAL } from "../access/rates.ts";
import type { Deps } from "./deps.ts";

/** The caller's address: as the proxy states it where the operator configured one and it is an address, else that of the connection. */
export function addressOf(c: Context, publicUrl: string | null): string {
  const forwarded = publicUrl === null ? "" : (c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "");
  if (isIP(forwarded.split("%")[0] ?? "") !== 0) return counted(forwarded);
  return counted(socketAddress(c) ?? LOCAL);
}

/**
 * Whether a browser on this machine sent this to an address that only this machine has, and nothing that shows itself stands between.
 * A page of another site that has its name point here (DNS rebinding) comes with that name as `Host`; what is no browser sends
 * no `Origin` with a change.
 */
export function isLocal(c: Context, publicUrl: string | null): boolean {
  if (publicUrl !== null || !isLoopback(socketAddress(c) ?? "")) return false;
  if (isForwarded(c)) return false;
  const host = c.req.header("host") ?? "";
  const name = nameIn(host);
  if (name !== "localhost" && !isLoopback(name)) return false;
  return c.req.method === "GET" || c.req.header("origin") === `http://${host}`;
}

/**
 * Whether `Host` is a name that no one else can have point here: `localhost`, an IP address, or that of the public address. A page of
 * another site (DNS rebinding) comes with its own. A request within this process has none.
 */
export function isOwnName(c: Context, { publicUrl, address }: Pick<Deps, "publicUrl" | "address">): boolean {
  const host = c.req.header("host");
  if (host === undefined) return true;
  const [name, own] = [nameIn(host), publicUrl ?? address()];
  return name === "localhost" || isIP(name) !== 0 || (own !== null && name === new URL(own).hostname);
}

/** The name or address in a `Host`, without its port; empty where there is none. */
function nameIn(host: string): string {
  if (!URL.canParse(`http://${host}`)) return "";
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, "");
}

/**
 * Whether something passed this on and says so: by any header that neither a browser nor Prometheus sends by itself. There is no list of what
 * proxies call theirs (`CF-Connecting-IP`, `X-Client-IP`, …), so that one that no one has heard of counts too.
 */
export const isForwarded = (c: Context): boolean =>
  [...c.req.raw.headers.keys()].some((name) => !OWN.has(name) && !/^sec-(?:fetch|ch|gpc|purpose)(?:-|$)/.test(name));

/** Of browsers, with what this program's pages add, and of Prometheus. */
const OWN: ReadonlySet<string> = new Set([
  ...["host", "connection", "user-agent", "cookie", "origin", "referer", "authorization", "priority", "te", "range"],
  ...["accept", "accept-encoding", "accept-language", "content-type", "content-length", "transfer-encoding"],
  ...["cache-control", "pragma", "if-none-match", "if-modified-since", "upgrade-insecure-requests", "dnt", "purpose"],
  ...["save-data", "keep-alive", "x-dosimeter", "idempotency-key", "x-prometheus-scrape-timeout-seconds"],
]);

/** The host that a browser's `Origin` must name. */
export const hostOf = (c: Context, publicUrl: string | null): string | undefined =>
  publicUrl === null ? c.req.header("host") : new URL(publicUrl).host;

const isLoopback = (address: string): boolean => {
  const bare = address.replace(/^::ffff:/i, "");
  return bare === "::1" || (isIPv4(bare) && bare.startsWith("127."));
};

function socketAddress(c: Context): string | undefined {
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return incoming?.socket?.remoteAddress;
}

/**
 * The origin of links: the configured one, else the one that the server was given when it began to listen. The `Host` header, which
 * the sender of a request chooses, decides only where nothing listens: within this process.
 */
export const originOf = (c: Context, { publicUrl, address }: Deps): string =>
  new URL(publicUrl ?? address() ?? c.req.url).origin;
