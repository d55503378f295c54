import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { selfSigned } from "../../../../test/certificate.kit.ts";
import type { Instance } from "../instance.ts";
import { createLog } from "../telemetry/log.ts";
import { readCertificate } from "./certificate.ts";
import { type PoolOptions, snapshotIn } from "./pool.ts";
import { openPostgresWire } from "./wire.ts";

let snapshot: Promise<string> | null = null;
/** One image for all tests of a process. */
export const sharedSnapshot = (): Promise<string> =>
  (snapshot ??= mkdtemp(join(tmpdir(), "dosimeter-wire-image-")).then(snapshotIn));

/** The protocol in front of an instance that listens on nothing else. */
export async function openTestWire(
  instance: Instance,
  fetch: Instance["fetch"] = instance.fetch,
  processes: Partial<PoolOptions> = {},
) {
  await sharedSnapshot();
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-wire-"));
  const { certificate, key } = selfSigned("localhost");
  const path = join(folder, "certificate.pem");
  await writeFile(path, certificate);
  const wire = await openPostgresWire({
    port: 0,
    host: "127.0.0.1",
    certificate: readCertificate({ certificate: path, key }),
    fetch,
    log: createLog("silent"),
    processes: { processes: 2, seconds: 20, memory: 2 ** 31, ...processes, snapshot: sharedSnapshot() },
  });
  return {
    port: wire.port,
    authority: path,
    certificate,
    async close() {
      await wire.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type TestWire = Awaited<ReturnType<typeof openTestWire>>;

/** A client of node-postgres that has signed in with a token. */
export async function connected(
  { port, certificate }: Pick<TestWire, "port" | "certificate">,
  token: string,
  more: pg.ClientConfig = {},
): Promise<pg.Client> {
  const client = new pg.Client({
    host: "localhost",
    port,
    user: "anyone",
    password: token,
    database: "dosimeter",
    ssl: { ca: certificate },
    ...more,
  });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** The refusal of a query, as node-postgres reads it. */
export async function refusal(run: () => Promise<unknown>): Promise<pg.DatabaseError> {
  try {
    await run();
  } catch (error) {
    if (error instanceof pg.DatabaseError) return error;
    throw error;
  }
  throw new Error("was not refused");
}
