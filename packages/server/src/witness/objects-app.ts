import { randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, mkdir, open, readdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Context, Hono } from "hono";
import { webStream } from "../threads/web-stream.ts";

const NAME = /^\w[\w.-]*(\/\w[\w.-]*){0,4}$/;
const PREFIX = /^([\w.-]+\/?){0,5}$/;
const MAX_NAME = 200;

/** What a second place is asked: the part of S3 that `ship/objects.ts` uses. Nothing is written over. [M428] */
export function objectsApp(folderOf: (c: Context) => string): Hono {
  const app = new Hono();
  app.get("/", async (c) => {
    const prefix = c.req.query("prefix") ?? "";
    if (!PREFIX.test(prefix) || prefix.length > MAX_NAME || prefix.includes("..")) return c.body(null, 400);
    const folder = folderOf(c);
    const below = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const found = await readdir(join(folder, below), { recursive: true, withFileTypes: true }).catch(isMissing);
    const names = (found ?? [])
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
      .filter((name) => name.startsWith(prefix) && NAME.test(name));
    const keys = names.map((name) => `<Key>${name}</Key>`).join("");
    return c.body(`<ListBucketResult>${keys}</ListBucketResult>`, 200, { "content-type": "application/xml" });
  });
  app.all("/:name{.+}", async (c) => {
    const name = c.req.param("name");
    if (!NAME.test(name) || name.length > MAX_NAME) return c.body(null, 400);
    const folder = folderOf(c);
    const path = join(folder, name);
    if (c.req.method === "PUT") return c.body(null, (await keep(c, { folder, path })) ? 201 : 412);
    const found = await stat(path).catch(isMissing);
    if (c.req.method === "GET")
      return found?.isFile() !== true ? c.body(null, 404) : c.body(webStream(createReadStream(path)), 200);
    if (c.req.method !== "DELETE") return c.body(null, 405);
    if (found?.isFile() === true) {
      await rm(path, { force: true });
      await synced(dirname(path));
      await rmdir(dirname(path)).catch(() => undefined); // others are in it
    }
    return c.body(null, 204);
  });
  return app;
}

/** On the disk when this resolves; false where the name is taken. */
async function keep(
  c: Context,
  { folder, path }: { readonly folder: string; readonly path: string },
): Promise<boolean> {
  const coming = join(folder, `.${randomBytes(8).toString("hex")}`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const body = c.req.raw.body ?? new Blob([]).stream();
    await pipeline(
      Readable.fromWeb(body as never),
      createWriteStream(coming, { mode: 0o600, flags: "wx", flush: true }),
    );
    await link(coming, path);
    for (let at = dirname(path); at.startsWith(folder); at = dirname(at)) await synced(at);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(coming, { force: true });
  }
}

async function synced(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isMissing(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
  throw error;
}
