import { tmpdir } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { begin, message, openFrozen } from "../../../../test/frozen.kit.ts";
import { within } from "../../../../test/within.kit.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import { openEngines } from "../engine/engines.ts";
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
const columns = { age: { type: "integer", lower: 0, upper: 9 } };
const declaration = checkDeclaration({ name: "t", source, privacyUnit: "row", columns });
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
    await expect(within("a job", engine.check(declaration, { salt: "00" }))).rejects.toMatchObject(silent);
  });

  test("ends a job that is aborted, though no statement can be cancelled", async () => {
    await expect(within("an abort", engine.describe(source, AbortSignal.timeout(100)))).rejects.toMatchObject(silent);
  });
});

describe("a host that begins a transaction and then says nothing any more", () => {
  const withHost = async (timeout: number, job: (engine: Engine) => Promise<unknown>) => {
    const begun = await openFrozen({ next: begin });
    const reading = await postgresEngine({ connections: { clinic: { url: begun.url, timeout } } });
    try {
      await expect(within("a job", job(reading))).rejects.toMatchObject(silent);
    } finally {
      await within("the end of its engine", reading.close());
      await begun.close();
    }
  };

  test("ends a job soon after its statement's time is up", () =>
    withHost(1, (reading) => reading.check(declaration, { salt: "00" })));

  test("ends a job that is aborted, though the statement is not cancelled", () =>
    withHost(600_000, (reading) => reading.describe(source, AbortSignal.timeout(500))));
});

test("rows without end are read no further than an answer may be long", async () => {
  const row = message("D", Uint8Array.of(0, 0));
  const rows = Buffer.concat(Array.from({ length: 10_000 }, () => row));
  const begun = Buffer.concat([message("C", "BEGIN\0"), message("Z", "T")]);
  let sent = 0;
  const flooding = await openFrozen({
    next(socket) {
      socket.removeAllListeners("data").resume().write(begun);
      const go = (): void => {
        while (!socket.destroyed && socket.write(rows)) sent += rows.length;
      };
      socket.on("drain", go);
      socket.once("data", go);
    },
  });
  const flooded = await postgresEngine({ connections: { clinic: { url: flooding.url } } });
  try {
    await expect(within("a job", flooded.list(source))).rejects.toMatchObject(silent);
    // 128 MiB at 64 bytes a row and the 7 of its message, and what the sockets hold.
    expect(sent).toBeLessThan(40 * 2 ** 20);
  } finally {
    await within("the end of its engine", flooded.close());
    await flooding.close();
  }
});
