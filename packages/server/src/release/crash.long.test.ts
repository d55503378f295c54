import { type ChildProcess, spawn } from "node:child_process";
import { createClient } from "@dosimeter/client";
import { stepLabels } from "@dosimeter/ledger";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { openPostgres, type PostgresServer } from "../../../../test/postgres.kit.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance } from "../instance.kit.ts";
import { releaseSteps } from "./deps.ts";

/** Every labelled step of a charge, of a release and of taking up what a crash has left. */
const labels = [...stepLabels.filter((label) => label !== "release.public"), ...releaseSteps];
const KILLS = process.env.KILLS === undefined ? null : Number(process.env.KILLS);

/** Both stores run under the same server: at PostgreSQL's, unless more is asked for, it dies around what the store commits. */
const stores = {
  sqlite: { labels, rounds: KILLS ?? 1 },
  postgres: {
    labels:
      KILLS === null
        ? (["charge.written", "charge.committed", "release.measured", "release.written", "release.committed"] as const)
        : labels,
    rounds: KILLS ?? 1,
  },
} as const;

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  const { labels, rounds } = stores[kind];
  let database: PostgresServer | undefined;
  let place: string;
  let fixture: Pick<Fixture, "dataset" | "memberAccount" | "ledger" | "tokens">;
  const where = () => ({ folder: place, ...(database === undefined ? {} : { database: database.url }) });

  beforeAll(async () => {
    if (kind === "postgres") database = await openPostgres({ settings: { fsync: "on" } });
    place = temporaryFolder();
    const instance = await openTestInstance(where());
    fixture = await buildFixture(instance);
    await instance.close();
  });
  afterAll(() => database?.close());

  /** Servers that share a database leave each other's charges alone for as long as a lease lasts: it has passed. */
  const passLeases = async () =>
    void (await database?.query(
      "UPDATE dosimeter.lease SET until_at = '2000-01-01T00:00:00.000Z' WHERE status = 'charged'",
    ));

  /** A server of its own process that ends itself with SIGKILL the `nth` time it comes to `label`. */
  async function startServer(
    label: string,
    nth: number,
  ): Promise<{ url: string; child: ChildProcess; dead: Promise<void> }> {
    const script = `import { flushCompileCache } from "node:module";
    import { serve } from "@dosimeter/server";
    flushCompileCache();
    let passed = 0;
    const step = (label) => { if (label === ${JSON.stringify(label)} && (passed += 1) === ${nth}) process.kill(process.pid, "SIGKILL"); };
    const serving = await serve({ ...${JSON.stringify(where())}, port: 0, webRoot: null, step });
    console.log(serving.url);`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      cwd: import.meta.dirname,
      stdio: ["ignore", "pipe", "inherit"],
      // By SIGTERM, which `runInto` does not take for the death it waits for.
      timeout: 240_000,
    });
    const dead = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    const said = new Promise<string>((resolve) => child.stdout?.once("data", (text) => resolve(String(text).trim())));
    return { url: await Promise.race([said, dead.then(() => "")]), child, dead };
  }

  const plan = countPlan("0.001");

  /** The state of the ledger database, read by a process that no test kills. */
  async function inspect<T>(read: (client: ReturnType<typeof clientOf>) => Promise<T>): Promise<T> {
    const instance = await openTestInstance(where());
    try {
      return await read(clientOf(instance, fixture.tokens.member));
    } finally {
      await instance.close();
    }
  }

  let serial = 0;
  const acknowledged = new Map<string, string>();
  let struck = 0;

  /** Asks a server for a release, or for two, until it dies at its label; true when it did so by itself. */
  async function runInto(label: string, idempotencyKey: string, nth: number): Promise<boolean> {
    const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan };
    const { url, child, dead } = await startServer(label, nth);
    let ownDeath = true;
    const end = setTimeout(() => {
      ownDeath = false;
      child.kill("SIGKILL");
    }, 120_000);
    if (url !== "") {
      const client = createClient({ url, token: fixture.tokens.member });
      try {
        const { id } = await client.createRelease(asked, { idempotencyKey });
        acknowledged.set(idempotencyKey, id);
        // Two releases that are measured together are written together, at one step.
        while ((await client.showRelease({ release: id, wait: 5 })).stage !== "done");
        if (nth > 1) await client.createRelease({ ...asked, wait: 5 }, { idempotencyKey: `${idempotencyKey}-b` });
      } catch {
        // The connection ends with the server.
      }
    }
    await dead;
    clearTimeout(end);
    await passLeases();
    return ownDeath && child.signalCode === "SIGKILL";
  }

  test.each(labels)("kill −9 at %s: nothing acknowledged is lost and nothing is charged twice", async (label) => {
    for (let round = 0; round < rounds; round += 1) {
      serial += 1;
      const idempotencyKey = `crash-${serial}`;
      const asked = { dataset: fixture.dataset, account: fixture.memberAccount, plan };
      const isLease = label.startsWith("lease.");
      // A lease is taken when a start finds what a crash has left.
      if (isLease) expect(await runInto("release.measured", idempotencyKey, 1)).toBe(true);
      // At every other label the second release meets its death, not the first.
      expect(await runInto(label, idempotencyKey, isLease ? 1 : 1 + (serial % 2))).toBe(true);
      struck += 1;
      await inspect(async (client) => {
        const known = acknowledged.get(idempotencyKey);
        if (known !== undefined)
          await expect.poll(async () => (await client.showRelease({ release: known, wait: 20 })).stage).toBe("done");
        const first = await client.releaseAndWait(asked, { idempotencyKey });
        if (known !== undefined) expect(first.id).toBe(known);
        expect(await client.releaseAndWait(asked, { idempotencyKey })).toEqual(first);
        acknowledged.set(idempotencyKey, first.id);
      });
    }
  });

  test("after all crashes the ledger has exactly one charge for each key, and verifies", async () => {
    expect(struck).toBe(labels.length * rounds);
    const instance = await openTestInstance(where());
    const client = clientOf(instance, fixture.tokens.member);
    let charges = 0;
    for await (const entry of client.all("listEntries", { ledger: fixture.ledger, limit: 200 }))
      if (entry.kind === "charge") charges += 1;
    const released = [];
    for await (const release of client.all("listReleases", { limit: 200 })) released.push(release);
    expect(released.every(({ state }) => state === "released")).toBe(true);
    expect(released).toHaveLength(charges);
    for (const id of acknowledged.values()) expect(released.map((release) => release.id)).toContain(id);
    const { balance } = await client.showAccount({ account: fixture.memberAccount });
    expect(Number(balance.epsilon.spent)).toBeCloseTo(charges * 0.001, 12);
    await instance.close();
    const again = await openTestInstance(where());
    expect(await clientOf(again, fixture.tokens.datasetAdmin).verify()).toMatchObject({ ok: true, problems: [] });
    await again.close();
  });
});
