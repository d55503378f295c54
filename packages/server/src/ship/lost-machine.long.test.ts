import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@dosimeter/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { restoreBackup } from "../backup/restore.ts";
import { buildFixture, clientOf, countPlan, type Fixture, openTestInstance, temporaryFolder } from "../instance.kit.ts";
import { type ServingWitness, serveWitness } from "../witness/server.ts";
import { newBackupKey } from "./age.ts";

const ROUNDS = Number(process.env.KILLS ?? 4);
const CALLERS = 8;

let place: Awaited<ReturnType<typeof temporaryFolder>>;
let witness: ServingWitness;
let fixture: Fixture;
let key: Awaited<ReturnType<typeof newBackupKey>>;
const at = (...path: string[]) => join(place.folder, ...path);
const options = () => ({
  folder: at("data"),
  witness: witness.addresses.hospital ?? "",
  ship: { place: at("place"), recipients: [key.recipient] },
});

beforeAll(async () => {
  place = await temporaryFolder();
  await mkdir(at("place"));
  key = await newBackupKey();
  witness = await serveWitness({ folder: at("witness"), names: ["hospital"], port: 0 });
  const instance = await openTestInstance(options());
  fixture = await buildFixture(instance);
  await instance.close();
});
afterAll(async () => {
  await witness.close();
  await place.remove();
});

async function startServer(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  // A file: threads would take over what makes Node read a module from its command line.
  const script = `import { serve } from "${import.meta.resolve("../serve.ts")}";
    import { unhurried } from "${import.meta.resolve("../instance.kit.ts")}";
    const serving = await serve({ ...${JSON.stringify(options())}, port: 0, webRoot: null, rates: unhurried });
    console.log(serving.url);`;
  await writeFile(at("server.mts"), script);
  const child = spawn(process.execPath, [at("server.mts")], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 240_000,
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once("data", (text) => resolve(String(text).trim()));
    child.once("exit", () => reject(new Error("the server ended by itself")));
  });
  return { url, child };
}

const plan = countPlan("0.0001");
const asked = () => ({ dataset: fixture.dataset, account: fixture.memberAccount, plan, reuse: "never" as const });
const shown = new Map<string, unknown>();

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  "round %i: a machine is killed while many release, and lost; all that was shown is in its place, charged once",
  async (round) => {
    const { url, child } = await startServer();
    const dead = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    let isDead = false;
    const caller = async (name: string) => {
      const client = createClient({ url, token: fixture.tokens.member });
      for (let turn = 0; !isDead; turn += 1) {
        const idempotencyKey = `${name}-${turn}`;
        const { id, answers } = await client.releaseAndWait(asked(), { idempotencyKey });
        shown.set(idempotencyKey, { id, answers });
      }
    };
    const before = shown.size;
    const callers = Array.from({ length: CALLERS }, (_, index) => caller(`r${round}-${index}`).catch(() => undefined));
    await expect.poll(() => shown.size - before, { timeout: 100_000 }).toBeGreaterThan(3 * CALLERS);
    await sleep(randomInt(1500));
    isDead = child.kill("SIGKILL");
    await Promise.all([dead, ...callers]);
    await rm(at("data"), { recursive: true });

    const { witness: address, folder } = options();
    const restored = await restoreBackup({ folder, witness: address, archive: at("place"), key: key.text });
    expect({ frozen: restored.frozen, said: restored.said.filter((one) => !one.includes("cut short")) }).toEqual({
      frozen: [],
      said: [],
    });
    const instance = await openTestInstance(options());
    const client = clientOf(instance, fixture.tokens.member);
    for (const [idempotencyKey, seen] of shown)
      expect(await client.releaseAndWait(asked(), { idempotencyKey })).toMatchObject(seen as object);
    let charges = 0;
    for await (const entry of client.all("listEntries", { ledger: fixture.ledger, limit: 200 }))
      charges += entry.kind === "charge" ? 1 : 0;
    expect(charges).toBeGreaterThanOrEqual(shown.size);
    expect(charges).toBeLessThanOrEqual(shown.size + CALLERS * (round + 1));
    const { balance } = await client.showAccount({ account: fixture.memberAccount });
    expect(Number(balance.epsilon.spent)).toBeCloseTo(charges * 0.0001, 12);
    expect((await instance.database.audit.verify()).problems).toEqual([]);
    await instance.close();
  },
);
