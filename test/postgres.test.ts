import { expect, test } from "vitest";
import { openPostgres, someRun } from "./postgres.kit.ts";

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
