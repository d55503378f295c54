import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { Hono } from "hono";
import { compress } from "hono/compress";
import { pageHeaders, setAll } from "./security.ts";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".map": "application/json",
};

/** Addresses that end in a name that a person gave, which may look like a file's. */
const NAMED = /^\/(datasets|teams)\//;

/** The web app as the repository builds it. */
export const builtWebRoot = fileURLToPath(new URL("../../../../apps/web/dist", import.meta.url));

/** Serves the built web app: its files by name, and `index.html` for every page address. */
export async function serveWeb(app: Hono, root: string): Promise<void> {
  const files = existsSync(join(root, "index.html")) ? await filesUnder(root) : null;
  if (files === null) {
    app.get("*", (c) => c.text("The web app is not built here. The interface is described at /openapi.json.\n", 404));
    return;
  }
  const html = withServer(await readFile(join(root, "index.html"), "utf8"));
  app.use("*", compress());
  app.get("/index.html", (c) => c.redirect("/"));
  app.get("*", async (c) => {
    const address = decoded(c.req.path);
    const path = files.get(address);
    const folder = c.req.path.replace(/\/$/, "");
    if (files.has(`${folder}/index.html`)) return c.redirect(`${folder}/index.html`);
    if (files.has(`${folder}.html`)) return c.redirect(`${folder}.html`);
    if (path === undefined) {
      if (extname(c.req.path) !== "" && !NAMED.test(c.req.path)) return c.text("not found", 404);
      pageHeaders(c, html);
      return c.html(html);
    }
    if (extname(path) === ".html") {
      const document = await readFile(path, "utf8");
      pageHeaders(c, document, c.req.path.startsWith("/docs/"));
      return c.html(document);
    }
    setAll(c);
    // Files under /assets/ carry a hash of their content in their name.
    c.header("cache-control", c.req.path.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache");
    const small = /\bbr\b/.test(c.req.header("accept-encoding") ?? "") ? files.get(`${address}.br`) : undefined;
    if (small !== undefined) c.header("content-encoding", "br");
    c.header("vary", "accept-encoding");
    return c.body(await readFile(small ?? path), 200, {
      "content-type": types[extname(path)] ?? "application/octet-stream",
    });
  });
}

/** Marks the page as one with a server, and makes its file paths absolute for pages at any address. */
function withServer(html: string): string {
  return html.replace(/<head>/i, '<head><base href="/"><meta name="dosimeter-api" content="/">');
}

async function filesUnder(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    files
      .map((path) => [`/${relative(root, path).split(sep).join("/")}`, path] as const)
      .filter(([address]) => address !== "/index.html"),
  );
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
