import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openFrozen } from "../../../../test/frozen.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { openEngines } from "../engine/engines.ts";
import type { Engine } from "../plan/engine.ts";
import { postgresEngine } from "./engine.ts";

let host: Awaited<ReturnType<typeof openFrozen>>;
let engine: Engine;
beforeAll(async () => {
  host = await openFrozen();
  engine = await postgresEngine({ connections: { clinic: { url: host.url } } });
});
afterAll(async () => {
  await within("the end of its engine", engine.close());
  await host.close();
});

const source = { postgres: { connection: "clinic", schema: "s", table: "t" } };
const silent = { code: "DATA_UNREADABLE", message: expect.stringContaining("did not answer in time") };

describe("a host that signs in and then says nothing any more", () => {
  test("is probed in a short time, next to others", async () => {
    const hosts = Array.from({ length: 10 }, (_, at) => [`h${at}`, { url: host.url }] as const);
    const ward = { url: "postgres://reader@127.0.0.1:1/postgres" };
    const engines = await openEngines({
      files: { root: tmpdir() },
      connections: { ...Object.fromEntries(hosts), ward },
    });
    const problems = Object.fromEntries(hosts.map(([name]) => [name, null]));
    expect(await within("a probe", engines.probe())).toEqual({ ...problems, ward: "nothing listens at its address" });
    await within("the end of the engines", engines.close());
  });

  test("ends a job in a short time, whatever its statements may take", async () => {
    await expect(within("a job", engine.list(source))).rejects.toMatchObject(silent);
  });

  test("ends a job that is aborted, though no statement can be cancelled", async () => {
    await expect(within("an abort", engine.describe(source, AbortSignal.timeout(100)))).rejects.toMatchObject(silent);
  });
});
