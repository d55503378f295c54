import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openInstance } from "@dosimeter/server";
import { buildFixture, countPlan, unhurried } from "../packages/server/src/instance.kit.ts";
import { type Entered, enteredIn, timesOf } from "../test/entered.kit.ts";

/**
 * What the release of one count takes in the server: how many files and functions of the packages it enters, how often what is to
 * run once does, and its processor time. The measuring process is another one.
 * `node bench/release.bench.ts [functions]`: also a line for each function.
 */
const WARM = 100;
const ROUNDS = 200;
const COUNTED = ["horizonOf", "requestOf", "storedIn", "tableOf", "asJson", "givesRows"];

const folder = await mkdtemp(join(tmpdir(), "dosimeter-bench-"));
const instance = await openInstance({ folder, rates: unhurried });
const { as, dataset, memberAccount: account } = await buildFixture(instance);
async function release(): Promise<void> {
  const { state } = await as.member.createRelease({ dataset, account, plan: countPlan("0.001"), wait: 5 });
  if (state !== "released") throw new Error(state);
}
for (let i = 0; i < WARM; i++) await release();

// That with the fewest: now and then something else runs meanwhile, as the checkpoint.
const runs: (readonly Entered[])[] = [];
for (let i = 0; i < 10; i++) runs.push((await enteredIn(release)).filter(({ file }) => !file.startsWith("client/")));
const [entered = []] = runs.sort((a, b) => a.length - b.length);
if (process.argv.includes("functions"))
  for (const { file, name, count } of entered) console.log(`${file} ${name} ${count}`);
const named = entered.filter(({ name }) => name !== "").length;
console.log(
  `${new Set(entered.map(({ file }) => file)).size} files, ${named} functions with a name, ${entered.length} in all`,
);
console.log(COUNTED.map((name) => `${name}: ${timesOf(entered, name)}`).join(", "));

const before = process.cpuUsage();
for (let i = 0; i < ROUNDS; i++) await release();
const { user, system } = process.cpuUsage(before);
const each = (micros: number) => `${(micros / 1e3 / ROUNDS).toFixed(1)} ms`;
console.log(`processor time of one: ${each(user + system)}, of these ${each(system)} in the system`);
await instance.close();
await rm(folder, { recursive: true, force: true });
