import { createHash } from "node:crypto";
import type { Context, Next } from "hono";

const everywhere: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "x-frame-options": "DENY",
};

/** Answers of the interface are for the caller alone and never kept by a cache. */
export async function apiHeaders(c: Context, next: Next): Promise<void> {
  await next();
  setAll(c, everywhere);
  c.header("cache-control", "no-store");
  c.header("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
}

/**
 * What everyone may read may stand in any other page. It runs no script, takes nothing from elsewhere, and is asked for again each time, as its
 * link may have ended.
 */
export async function openHeaders(c: Context, next: Next): Promise<void> {
  await next();
  const { "x-frame-options": _, ...rest } = everywhere;
  setAll(c, { ...rest, "cross-origin-resource-policy": "cross-origin" });
  c.header("cache-control", "no-cache");
  const nothing = ["default-src", "base-uri", "form-action"].map((name) => `${name} 'none'`);
  c.header("content-security-policy", [...nothing, "style-src 'unsafe-inline'", "frame-ancestors *"].join("; "));
  if (!c.res.headers.has("x-robots-tag")) c.header("x-robots-tag", "noindex");
}

/**
 * The pages may run their own scripts and the inline ones that `index.html` had at start, and talk to this server only. The
 * documentation may compile WebAssembly of this server too: its search is written in it.
 */
export function pageHeaders(c: Context, html: string, isDocumentation = false): void {
  setAll(c, everywhere);
  c.header("cache-control", "no-cache");
  c.header(
    "content-security-policy",
    [
      "default-src 'self'",
      ["script-src 'self'", ...(isDocumentation ? ["'wasm-unsafe-eval'"] : []), ...inlineScripts(html)].join(" "),
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data: blob:",
      "font-src 'self' data:",
      "connect-src 'self'",
      "worker-src 'self' blob:",
      "object-src 'none'",
      "base-uri 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
    ].join("; "),
  );
}

export function setAll(c: Context, headers: Readonly<Record<string, string>> = everywhere): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

function inlineScripts(html: string): readonly string[] {
  return [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, code = ""]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
  );
}
