import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openInstance } from "../instance.ts";

let place: string;
beforeEach(() => {
  place = temporaryFolder();
});

test.each([
  ["a file of sources that is not there", null, "DOSIMETER_SOURCES"],
  ["a key that is none", { a: { url: "postgres://r@h/d", sslmode: "require" } }, "sources.a.sslmode is not a setting"],
  ["an address with options", { a: { url: "postgres://r@h/d?sslmode=require" } }, 'without "sslmode"'],
])("%s is refused before anything is made", async (_, json, message) => {
  const sources = join(place, "sources.json");
  if (json !== null) await writeFile(sources, JSON.stringify(json));
  const folder = join(place, "data");
  await expect(openInstance({ folder, sources })).rejects.toThrow(message);
  await expect(openInstance({ folder, witness: "gopher://x" })).rejects.toThrow("DOSIMETER_WITNESS");
  await expect(stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
});

test("temporary rows spill into a folder of their own where the settings say so, and what else is there stays", async () => {
  const spill = join(place, "scratch");
  await mkdir(spill);
  await writeFile(join(spill, "mine.txt"), "stays");
  const options = { folder: join(place, "data"), measuring: { spill, threads: 1, memoryLimit: "200MB" } };
  for (let starts = 0; starts < 2; starts += 1) {
    const instance = await openInstance(options);
    await instance.close();
  }
  expect((await stat(join(spill, "mine.txt"))).isFile()).toBe(true);
  await expect(stat(join(options.folder, "spill"))).rejects.toMatchObject({ code: "ENOENT" });
});
