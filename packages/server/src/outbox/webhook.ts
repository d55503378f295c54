import { createHmac } from "node:crypto";
import { type LookupAddress, lookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

export interface Post {
  readonly id: string;
  readonly url: string;
  readonly secret: string;
  readonly body: string;
  /** Seconds since 1970; part of what is signed, so that an old delivery cannot be played again. */
  readonly at: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Networks that only this machine or its network reaches, and IPv6 forms of IPv4 addresses: a webhook must not
 * reach them.
 */
const inside = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["224.0.0.0", 3],
] as const)
  inside.addSubnet(network, bits, "ipv4");
for (const [network, bits] of [
  ["::", 96],
  ["::ffff:0:0:0", 96],
  ["2001::", 32],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["2002::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
] as const)
  inside.addSubnet(network, bits, "ipv6");

export function isInside(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  const plain = mapped ?? address;
  const family = isIP(plain);
  return family === 0 || inside.check(plain, family === 4 ? "ipv4" : "ipv6");
}

/** What is sent in `x-dosimeter-signature`: `t=<seconds>,v1=<HMAC-SHA-256 of "<seconds>.<body>" in hexadecimal>`. */
export const signatureOf = ({ secret, body, at }: Pick<Post, "secret" | "body" | "at">): string =>
  `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${body}`).digest("hex")}`;

/** Resolves the name once and connects to that address only, so that it cannot change between check and connection. */
export const guarded =
  (allowInside: boolean): LookupFunction =>
  (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const all = (Array.isArray(addresses) ? addresses : []) as LookupAddress[];
      const [first] = all;
      if (error !== null || first === undefined) return callback(error ?? new Error("no address"), "", 0);
      if (!allowInside && all.some(({ address }) => isInside(address)))
        return callback(new Error("an address inside"), "", 0);
      return options.all ? callback(null, all) : callback(null, first.address, first.family);
    });
  };

/** What an address must be that nothing is sent to; null for one that is tried. Names are resolved when something is sent. */
export function whyNoWebhook(address: string, { allowInside }: { readonly allowInside: boolean }): string | null {
  const { protocol, hostname } = new URL(address);
  if (allowInside) return /^https?:$/.test(protocol) ? null : "an http or https address";
  if (protocol !== "https:") return "an https address";
  const host = hostname.replace(/^\[|\]$/g, "");
  const isOwn = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : isInside(host);
  return isOwn ? "an address outside this machine and its private networks" : null;
}

/**
 * `delivered` on 2xx; `refused` on 410 Gone, or where the address is in this machine's own network. Throws where it may work
 * later, after ten seconds at most. Follows no redirect and reads no body.
 */
export async function postWebhook(
  post: Post,
  { allowInside = false, timeoutMs = TIMEOUT_MS }: { readonly allowInside?: boolean; readonly timeoutMs?: number } = {},
): Promise<"delivered" | "refused"> {
  if (whyNoWebhook(post.url, { allowInside }) !== null) return "refused";
  const url = new URL(post.url);
  const { promise, resolve, reject } = Promise.withResolvers<"delivered" | "refused">();
  const { request } = url.protocol === "http:" ? await import("node:http") : await import("node:https");
  const sent = request(
    url,
    {
      method: "POST",
      lookup: guarded(allowInside),
      signal: AbortSignal.timeout(timeoutMs),
      agent: false,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(post.body),
        "user-agent": "Dosimeter",
        "x-dosimeter-delivery": post.id,
        "x-dosimeter-signature": signatureOf(post),
      },
    },
    (response) => {
      const { statusCode = 0 } = response;
      response.destroy();
      if (statusCode >= 200 && statusCode < 300) resolve("delivered");
      else if (statusCode === 410) resolve("refused");
      else reject(new Error(`answered ${statusCode}`));
    },
  );
  sent.on("error", reject);
  sent.end(post.body);
  return promise;
}
