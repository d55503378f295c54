import { once } from "node:events";
import { createReadStream } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../instance.kit.ts";
import { webStream } from "./web-stream.ts";

const BYTES = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251));

async function file(): Promise<string> {
  const place = await temporaryFolder();
  onTestFinished(place.remove);
  await writeFile(join(place.folder, "bytes"), BYTES);
  return join(place.folder, "bytes");
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
