import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres } from "../../../../test/postgres.kit.ts";
import { clientOf, openTestInstance } from "../instance.kit.ts";
import { TRIES } from "./queue.ts";

test("a release is not given up while a password is replaced: first that of the role, then that of the file", async () => {
  const server = await openPostgres({ access: ["host all reader 127.0.0.1/32 scram-sha-256"] });
  const folder = temporaryFolder();
  const file = join(folder, "reader");
  writeFileSync(file, "first");
  await server.query(
    `CREATE ROLE reader LOGIN PASSWORD 'first'; CREATE SCHEMA ward; GRANT USAGE ON SCHEMA ward TO reader;
     CREATE TABLE ward.visits AS SELECT i AS age FROM generate_series(1, 90) AS t(i); GRANT SELECT ON ward.visits TO reader`,
  );
  let failures = 0;
  const log = {
    info: () => undefined,
    error(said: string) {
      if (said !== "MEASUREMENT_FAILED") return;
      failures += 1;
      // Before the last try begins, whatever the machine: its pause begins later, and is longer.
      if (failures === TRIES - 1) setTimeout(() => writeFileSync(file, "second"), 2000);
    },
  };
  const host = `127.0.0.1:${server.port}`;
  const connectionHosts = { inline: { [host]: { secrets: { reader: { passwordFile: "reader" } } } }, folder };
  const instance = await openTestInstance({ connectionHosts, log });
  try {
    const client = clientOf(instance, instance.operatorToken);
    await client.addConnection({ name: "clinic", url: `postgres://reader@${host}/postgres`, secret: "reader" });
    const { id: dataset } = await client.createDataset({
      declaration: {
        name: "visits",
        source: { postgres: { connection: "clinic", schema: "ward", table: "visits" } },
        privacyUnit: "row",
        columns: { age: { type: "integer", lower: 0, upper: 100 } },
      },
    });
    const { id: ledger } = await client.openLedger({ dataset, epsilon: "10", delta: "1e-6" });
    const holder = { kind: "person" as const, id: (await client.me()).person.id };
    const { id: account } = await client.createAccount({ ledger, holder, epsilon: "9" });
    await server.query("ALTER ROLE reader PASSWORD 'second'");
    await server.query("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'reader'");
    const plan = { statistics: [{ statistic: "count" as const, epsilon: "1" }] };
    expect(await client.releaseAndWait({ dataset, account, plan })).toMatchObject({ stage: "done", tries: 1 });
    expect(failures).toBe(TRIES - 1);
  } finally {
    await instance.close();
    await server.close();
  }
});
