import { createHash, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, mkdir, open, readdir, rm, rmdir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type Context, Hono } from "hono";
import { webStream } from "../threads/web-stream.ts";

const NAME = /^\w[\w.-]*(\/\w[\w.-]*){0,4}$/;
const PREFIX = /^([\w.-]+\/?){0,5}$/;
const MAX_NAME = 200;
const MAX_BYTES = 2 ** 29;
/** Left free for checkpoints, of every name. */
const RESERVE_BYTES = 64 * 2 ** 20;

/** What a second place is asked: the part of S3 that `ship/objects.ts` uses. Nothing is written over. [M428] */
export function objectsApp(folderOf: (c: Context) => string): Hono {
  const app = new Hono();
  app.get("/", async (c) => {
    const prefix = c.req.query("prefix") ?? "";
    if (!PREFIX.test(prefix) || prefix.length > MAX_NAME || prefix.includes("..")) return c.body(null, 400);
    const folder = folderOf(c);
    const below = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const top = join(folder, below);
    const isThere = (await stat(top).catch(isMissing))?.isDirectory() === true;
    // What goes meanwhile fails it: a list that lacks all is not believed to be empty.
    const found = isThere ? await readdir(top, { recursive: true, withFileTypes: true }) : [];
    const names = found
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
    if (c.req.method === "PUT") return c.body(null, await keep(c, { folder, path }));
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

/** On the disk when this resolves with 201. */
async function keep(
  c: Context,
  { folder, path }: { readonly folder: string; readonly path: string },
): Promise<201 | 400 | 412 | 413 | 507> {
  const coming = join(folder, `.${randomBytes(8).toString("hex")}`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    const { bavail, bsize } = await statfs(folder);
    const room = bavail * bsize - RESERVE_BYTES;
    const hash = createHash("sha256");
    let size = 0;
    await pipeline(
      Readable.fromWeb((c.req.raw.body ?? new Blob([]).stream()) as never),
      async function* (parts: AsyncIterable<Uint8Array>) {
        for await (const part of parts) {
          size += part.byteLength;
          if (size > MAX_BYTES) throw Object.assign(new Error("too long"), { code: "EFBIG" });
          hash.update(part);
          if (size <= room) yield part; // who sends hears the answer when all is read
        }
      },
      createWriteStream(coming, { mode: 0o600, flags: "wx", flush: true }),
    );
    if (size > room) return 507;
    if ((c.req.header("x-amz-content-sha256") ?? "") !== hash.digest("hex")) return 400;
    await link(coming, path);
    for (let at = path; at !== dirname(folder); ) {
      at = dirname(at);
      await synced(at);
    }
    return 201;
  } catch (error) {
    const status = refusals[(error as NodeJS.ErrnoException).code ?? ""];
    if (status === undefined) throw error;
    return status;
  } finally {
    await rm(coming, { force: true });
  }
}

const refusals: Readonly<Record<string, 412 | 413 | 507>> = { EEXIST: 412, EFBIG: 413, ENOSPC: 507, EDQUOT: 507 };

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
