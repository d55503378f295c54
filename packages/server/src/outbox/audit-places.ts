import { open } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { oneThatMayHang } from "../threads/within.ts";
import { signedIn } from "./signed-in.ts";
import { receiverAt, sendSyslog } from "./syslog.ts";

/** Takes lines at the end of what it has; resolves when they are durably there. */
export type AuditPlace = (lines: string) => Promise<void>;

const TIMEOUT_MS = 10_000;

/** Where audit lines may be streamed to, by the scheme of the address. */
const places: Readonly<Record<string, (address: URL) => AuditPlace>> = {
  "file:": (address) => {
    const path = fileURLToPath(address);
    return oneThatMayHang(TIMEOUT_MS, async (lines: string) => {
      const file = await open(path, "a", 0o600);
      try {
        await file.write(lines);
        await file.sync();
      } finally {
        await file.close();
      }
    });
  },
  "http:": posted,
  "https:": posted,
  "syslog+tcp:": syslog,
  "syslog+tls:": syslog,
};

function syslog(address: URL): AuditPlace {
  const { protocol, hostname, host, href } = address;
  // Nothing else means anything there.
  if (hostname === "" || href.replace(/\/$/, "") !== `${protocol}//${host}`) throw new TypeError("not an address");
  const receiver = receiverAt(address);
  return (lines) => sendSyslog(receiver, lines);
}

function posted(address: URL): AuditPlace {
  const { url, headers: authorization } = signedIn(address);
  return async (body) => {
    const headers = { "content-type": "application/x-ndjson", ...authorization };
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(url, { method: "POST", headers, body, redirect: "error", signal });
    await answer.body?.cancel();
    if (!answer.ok) throw Object.assign(new Error("not taken"), { code: `HTTP ${answer.status}` });
  };
}

/** The place at an address; null where it is none. */
export function auditPlaceAt(address: string): AuditPlace | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const place = places[url.protocol];
  if (place === undefined || (url.protocol === "file:" && url.host !== "")) return null;
  try {
    return place(url);
  } catch {
    return null; // a password or a path with a % that begins nothing
  }
}
