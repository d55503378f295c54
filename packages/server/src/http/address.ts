import { isIPv6 } from "node:net";
import type { Context } from "hono";
import { LOCAL } from "../access/rates.ts";
import type { Deps } from "../instance/deps.ts";

/** The caller's address: as the proxy states it where the operator configured one, else that of the connection. */
export function addressOf(c: Context, publicUrl: string | null): string {
  const forwarded = publicUrl === null ? undefined : c.req.header("x-forwarded-for")?.split(",").at(-1)?.trim();
  if (forwarded) return counted(forwarded);
  const { incoming } = (c.env ?? {}) as { incoming?: { socket?: { remoteAddress?: string } } };
  return counted(incoming?.socket?.remoteAddress ?? LOCAL);
}

/** The address as one customer has it: of IPv6 the first 64 bits, since a customer is given all addresses that share them. */
export function counted(address: string): string {
  const bare = address.split("%")[0] ?? address;
  if (!isIPv6(bare)) return address.slice(0, MAX_ADDRESS);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = bare.split("::");
  const groups = (text: string | undefined) => (text === undefined || text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail)];
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const prefix = [...first, ...zeros, ...last].slice(0, 4).map((group) => Number.parseInt(group, 16).toString(16));
  return `${prefix.join(":")}::/64`;
}

const MAX_ADDRESS = 100;

/**
 * The origin of links: the configured one, else the one that the server was given when it began to listen. The `Host` header, which
 * the sender of a request chooses, decides only where nothing listens: within this process.
 */
export const originOf = (c: Context, { publicUrl, address }: Deps): string =>
  new URL(publicUrl ?? address() ?? c.req.url).origin;
