import { expect, test } from "vitest";
import { openPostgres } from "./postgres.kit.ts";

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
