import { type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { present } from "@dosimeter/core/internal";

/** Where a coordinator listens, and whose certificates are trusted there. */
export interface Address {
  /** "https://host:port". */
  readonly origin: string;
  readonly ca?: string | undefined;
}

export interface Call {
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Bounds the whole call. */
  readonly signal: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** A result is one row for a cell: more than this is none of ours. */
export const MAX_BYTES = 128 * 2 ** 20;

/** One call over HTTP. It follows no redirection, so that credentials go to the configured host only. */
export function call({ origin, ca }: Address, { method, path, headers, body, signal }: Call): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const send = origin.startsWith("https:") ? overHttps : overHttp;
  // Not `new URL(path, origin)`: to it a path that begins with // names another host. And "@host/" is the path of an unknown scheme.
  const url = new URL(origin + path);
  if (url.origin !== new URL(origin).origin) throw new Error("another host");
  const sent = send(url, { method, headers, signal, ...present({ ca }) });
  sent.once("error", reject);
  // Also without an answer, as after one that changes the protocol.
  sent.once("close", () => reject(new Error("no answer")));
  sent.once("response", (reply) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    reply.once("error", reject);
    reply.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes > MAX_BYTES) reply.destroy(new RangeError("too large"));
      else parts.push(part);
    });
    reply.once("end", () => {
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(parts).toString("utf8") });
    });
  });
  sent.end(body);
  return promise;
}
