import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres } from "../../../../test/postgres.kit.ts";
import { buildFixture, clientOf, openTestInstance } from "../instance.kit.ts";
import { buildVisits } from "./schedules.kit.ts";

test("two servers that close the same block at once make one version", async () => {
  const place = temporaryFolder();
  const database = await openPostgres({ settings: { fsync: "on" } });
  onTestFinished(database.close);
  const open = async (name: string) => {
    const server = await openTestInstance({
      ...{ folder: join(place, name), uploads: join(place, "files"), database: database.url },
    });
    onTestFinished(server.close);
    return server;
  };
  const servers = [await open("first"), await open("second")];
  const fixture = await buildFixture(servers[0] as (typeof servers)[number]);
  const { dataset } = await buildVisits(fixture, { blocks: { closes: "by hand", closed: "2023-06" } });
  const admins = servers.map((server) => clientOf(server, fixture.tokens.datasetAdmin));
  const closing = [...admins, ...admins].map((admin) => admin.closeBlocks({ dataset, block: "2023-07" }));
  expect((await Promise.all(closing)).map(({ version }) => version)).toEqual([2, 2, 2, 2]);
  expect((await admins[1]?.showDataset({ dataset }))?.version).toBe(2);
});
