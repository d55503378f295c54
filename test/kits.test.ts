import { globSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { longest } from "./longest-first.ts";
import { openPostgres, someRun } from "./postgres.kit.ts";
import { within } from "./within.kit.ts";

test("a property without a seed of its own draws the same cases each time", () => {
  expect(fc.sample(fc.nat(), 10)).toEqual(fc.sample(fc.nat(), 10));
});

test("a step that never ends is an error with its name; one that ends gives its result", async () => {
  await expect(within("the answer", new Promise(() => {}), 20)).rejects.toThrow("the answer took longer than 20 ms");
  expect(await within("the answer", Promise.resolve(42), 20)).toBe(42);
  await expect(within("the answer", Promise.reject(new Error("no")), 20)).rejects.toThrow("no");
});

test("every file that is to begin first exists", () => {
  const cwd = join(import.meta.dirname, "..");
  const names = new Set(
    globSync(["packages/*/src/**/*.test.ts", "test/*.test.ts"], { cwd }).map((file) => basename(file)),
  );
  expect(longest.filter((name) => !names.has(name))).toEqual([]);
});

test("a throwaway server keeps what was committed when it is killed, and leaves nothing behind", async () => {
  const server = await openPostgres();
  try {
    await server.query("CREATE TABLE t (n bigint); INSERT INTO t VALUES (7)");
    await server.kill();
    await expect(server.query("SELECT 1")).rejects.toThrow();
    await server.start();
    expect(await server.query("SELECT n::text FROM t")).toEqual([{ n: "7" }]);
    await server.stop();
    await server.start();
    expect(await server.query("SHOW server_encoding")).toEqual([{ server_encoding: "UTF8" }]);
  } finally {
    await server.close();
  }
});

test("where processes cannot be listed, that is an error: none of them counts as gone", async () => {
  const { PATH } = process.env;
  process.env.PATH = "/nowhere";
  try {
    await expect(someRun([process.pid])).rejects.toThrow("ENOENT");
  } finally {
    process.env.PATH = PATH;
  }
  expect(await someRun([process.pid])).toBe(true);
  expect(await someRun([NO_PROCESS])).toBe(false);
});
/** More than Linux ever gives to one. */
const NO_PROCESS = 2 ** 22 + 1;
