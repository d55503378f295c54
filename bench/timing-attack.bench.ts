// Whether how long a release took tells how many of its rows match: six conditions, alone and next to eight programs that each want a core.
// Run: npx node --conditions=@dosimeter/source bench/timing-attack.bench.ts [rows] [runs of each condition] [load …]
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openInstance } from "@dosimeter/server";
import { buildFixture, unhurried } from "../packages/server/src/instance.kit.ts";
import { attack, told } from "../packages/server/src/release/timing-attack.kit.ts";
import { createLog } from "../packages/server/src/telemetry/log.ts";

const [rows = 1_000_000, runs = 1700, ...loads] = process.argv.slice(2).map(Number);

for (const load of loads.length === 0 ? [0, 8] : loads) {
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-bench-"));
  let missed = 0;
  const log = createLog("error", (line) => {
    if (line.includes("a departure was missed")) missed += 1;
  });
  const instance = await openInstance({ folder, log, rates: unhurried });
  const conditions = await attack(await buildFixture(instance), { rows, runs, load });
  const [none = { times: [] }] = conditions;
  console.log(
    `\n${rows} rows, ${runs} runs of each, ${load} neighbours, load ${loadavg()[0]?.toFixed(1)}, ${missed} missed\n`,
  );
  console.log("| rows that match | median ms | AUC against none | at 95 % |\n| --- | --- | --- | --- |");
  for (const { matching, times } of conditions) {
    const { auc, within } = told(none.times, times);
    const median = times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
    console.log(`| ${matching} | ${median.toFixed(1)} | ${auc.toFixed(3)} | ± ${within.toFixed(3)} |`);
  }
  await instance.close();
  await rm(folder, { recursive: true, force: true });
}
