import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openInstance } from "@dosimeter/server";
import { buildFixture } from "../packages/server/src/instance.kit.ts";

/**
 * A free answer through the API with 10⁵ released statistics in the index: `node bench/reuse.bench.ts`.
 * The rows of the index are written directly; the answers that are found were released like any other.
 */
const STORED = 100_000;
const ASKED = 100;

const folder = await mkdtemp(join(tmpdir(), "dosimeter-bench-"));
const first = await openInstance({ folder });
const fixture = await buildFixture(first);
const { dataset, memberAccount: account } = fixture;
const plan = (age: number) => ({ statistics: [{ statistic: "count", epsilon: "0.001", where: `age > ${age}` }] });
for (let age = 20; age < 40; age++) await fixture.as.member.releaseAndWait({ dataset, account, plan: plan(age) });
await first.close();

const db = new DatabaseSync(join(folder, "ledger.sqlite"));
const one = db.prepare("SELECT * FROM statistic ORDER BY seq LIMIT 1").get() as Record<string, string | number>;
const columns = Object.keys(one);
const insert = db.prepare(
  `INSERT INTO statistic (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
);
db.exec("BEGIN");
for (let i = 0; i < STORED; i++) {
  const hash = createHash("sha256").update(randomBytes(16)).digest("hex");
  const row = { ...one, version: 2, seq: 1000 + i, row_id: `bench${i}`, key_hash: hash, scope_hash: hash };
  insert.run(...columns.map((name) => row[name as keyof typeof row] ?? null));
}
db.exec("COMMIT");
db.close();

const instance = await openInstance({ folder });
const member = (await import("../packages/server/src/instance.kit.ts")).clientOf(instance, fixture.tokens.member);
async function measure(name: string, ask: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 20; i++) await ask(i);
  const times: number[] = [];
  const before = process.cpuUsage();
  for (let i = 0; i < ASKED; i++) {
    const started = performance.now();
    await ask(i);
    times.push(performance.now() - started);
  }
  const used = process.cpuUsage(before);
  times.sort((a, b) => a - b);
  const at = (share: number): string => (times[Math.floor(share * times.length)] ?? 0).toFixed(1);
  console.log(
    `${name}: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, ${((used.user + used.system) / 1000 / ASKED).toFixed(1)} ms of CPU each`,
  );
}
const asked = (age: number) => ({ dataset, account, plan: plan(age), reuse: "asAccurate" as const });
await measure("free answer", (i) => member.createRelease({ ...asked(20 + (i % 20)), wait: 1 }));
await measure("quote, hit", (i) => member.quotePlan(asked(20 + (i % 20))));
await measure("quote, miss", (i) => member.quotePlan(asked(100 + (i % 20))));
await instance.close();
await rm(folder, { recursive: true, force: true });
