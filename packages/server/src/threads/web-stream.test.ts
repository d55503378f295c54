import { once } from "node:events";
import { createReadStream } from "node:fs";
import { readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { webStream, withBytes } from "./web-stream.ts";

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));

async function file(): Promise<string> {
  const place = temporaryFolder();
  await writeFile(join(place, "bytes"), BYTES);
  return join(place, "bytes");
}

test("all bytes come, in order", async () => {
  const read = await new Response(webStream(createReadStream(await file()))).arrayBuffer();
  expect(BYTES.equals(Buffer.from(read))).toBe(true);
});

test.each([0, 1, 2, 3])(
  "a reader who leaves after %i parts, the next one being read, closes the file",
  async (parts) => {
    const source = createReadStream(await file());
    const closed = once(source, "close", { signal: AbortSignal.timeout(60_000) });
    const reader = webStream(source).getReader();
    for (let part = 0; part < parts; part++) expect((await reader.read()).done).toBe(false);
    const next = parts === 0 ? null : reader.read();
    await reader.cancel();
    expect(await next).toEqual(next === null ? null : { done: true, value: undefined });
    await closed;
  },
);

test("a source that ends before its end, or is not there, fails its reader and nothing else", async () => {
  const source = createReadStream(await file());
  const reader = webStream(source).getReader();
  await reader.read();
  source.destroy();
  const drain = async () => {
    while (!(await reader.read()).done);
  };
  await expect(drain()).rejects.toThrow("Premature close");
  const missing = createReadStream("/nothing/here");
  const none = webStream(missing);
  await new Promise<void>((resolve) => missing.once("close", () => resolve()));
  await expect(new Response(none).arrayBuffer()).rejects.toThrow();
});

test.skipIf(process.platform !== "linux")(
  "a file is closed after its use, read in part or not at all, and where the use fails",
  async () => {
    const path = await file();
    const held = async () => {
      const all = (await readdir("/proc/self/fd")).map((one) => readlink(`/proc/self/fd/${one}`).catch(() => ""));
      return (await Promise.all(all)).filter((one) => one === path).length;
    };
    const first = (bytes: ReadableStream<Uint8Array>) => bytes.getReader().read();
    expect((await withBytes(path, first)).done).toBe(false);
    await expect(
      withBytes(path, async (bytes) => {
        await first(bytes);
        throw new RangeError("too large");
      }),
    ).rejects.toThrow("too large");
    await expect.poll(held, { timeout: 60_000 }).toBe(0);
    await expect(withBytes("/nothing/here", (bytes) => new Response(bytes).text())).rejects.toThrow();
  },
);
