import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openSandbox, query, withConnection } from "./sandbox.ts";

test("an abort between two queries of a job interrupts the next one", async () => {
  const root = temporaryFolder();
  const instance = await openSandbox({ root, temporaryDirectory: root, threads: 1 });
  const leaving = new AbortController();
  const ends: string[] = [];
  const job = withConnection(instance, leaving.signal, async (connection) => {
    leaving.abort();
    await sleep(1);
    const text = "SELECT sum(hash(range)) FROM range(1000000000)";
    await query(connection, { text, parameters: [] }).then(
      () => ends.push("read"),
      () => ends.push("interrupted"),
    );
  });
  await expect(job).rejects.toThrow("aborted");
  expect(ends).toEqual(["interrupted"]);
  instance.closeSync();
});
