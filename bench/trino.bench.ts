// What exact, bounded statistics cost on one node of Trino compared with a plain query on the same rows: time and processor time of its process.
// Run: TEST_TRINO=1 npx node --conditions=@dosimeter/source bench/trino.bench.ts [sf1 | sf10] [rounds], after `npm run test:trino` fetched a server.
import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { boundPlan, checkDeclaration, type Declaration, type Plan } from "@dosimeter/query";
import { trinoEngine } from "../packages/query/src/trino/engine.ts";
import { noTrino, openTrino } from "../test/trino.kit.ts";

const [scale = "sf1", rounds = "3"] = process.argv.slice(2);
if (noTrino !== null) throw new Error(noTrino);

const SALT = "5e".repeat(32);
const TICKS_PER_SECOND = 100;

const columns = {
  orderkey: { type: "integer" },
  shipmode: { type: "category", categories: ["AIR", "FOB", "MAIL", "RAIL", "REG AIR", "SHIP", "TRUCK"] },
  extendedprice: { type: "number", lower: 0, upper: 100_000, granularity: 1 },
};
const source = { trino: { connection: "lake", schema: "default", table: "rows" } };
const mean: Plan = { statistics: [{ statistic: "mean", column: "extendedprice", groupBy: ["shipmode"], epsilon: 1 }] };
const perRow = checkDeclaration({ name: "rows", source, privacyUnit: "row", columns });
const perUnit = (rows: number): Declaration =>
  checkDeclaration({ name: "rows", source, privacyUnit: { column: "orderkey" }, contribution: { rows }, columns });

/** The same machine, compiler and heap for all jobs. */
const server = await openTrino({
  "jvm.config": [
    "-server",
    "-Xmx4G",
    "-XX:+UseG1GC",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:ReservedCodeCacheSize=256M",
    "-Djdk.attach.allowAttachSelf=true",
  ],
  "catalog/memory.properties": ["connector.name=memory", "memory.max-data-per-node=2GB"],
});

/** Seconds of the processor that the server took so far. */
async function processorSeconds(): Promise<number> {
  const after = (await readFile(`/proc/${server.pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
  return (Number(after[11]) + Number(after[12])) / TICKS_PER_SECOND;
}

async function peakMegabytes(): Promise<number> {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${server.pid}/status`, "utf8")) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

try {
  const made = "CREATE TABLE rows AS SELECT orderkey, shipmode, extendedprice FROM tpch";
  await server.query(`${made}.${scale}.lineitem`);
  const [[counted] = []] = await server.query("SELECT count(*) FROM rows");
  const perTenMillion = 1e7 / Number(counted);
  const engine = await trinoEngine({ connections: { lake: { url: server.address("reader") } } });
  const ours = async (declaration: Declaration) => {
    const version = await engine.check(declaration, { salt: SALT });
    const bounded = boundPlan(mean, declaration);
    return (): Promise<unknown> => engine.run(bounded, version);
  };
  const plain = "SELECT shipmode, count(*), sum(extendedprice), avg(extendedprice) FROM rows GROUP BY shipmode";
  const jobs: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["plain count, sum, avg of doubles by group", () => server.query(plain)],
    ["DP mean by group, unit = row", await ours(perRow)],
    ["DP mean by group, 1 row a unit", await ours(perUnit(1))],
    ["DP mean by group, 4 rows a unit", await ours(perUnit(4))],
  ];
  console.log(
    `${counted} rows, ${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, median of ${rounds} runs after one`,
  );
  console.log("| job | wall s | CPU s | CPU s per 10 M rows |\n| --- | --- | --- | --- |");
  for (const [what, run] of jobs) {
    const [walls, seconds]: [number[], number[]] = [[], []];
    for (let round = 0; round <= Number(rounds); round++) {
      const [began, before] = [performance.now(), await processorSeconds()];
      await run();
      if (round === 0) continue; // it compiles
      walls.push((performance.now() - began) / 1000);
      seconds.push((await processorSeconds()) - before);
    }
    const processor = median(seconds);
    const cells = [median(walls), processor, processor * perTenMillion].map((value) => value.toFixed(1));
    console.log(`| ${what} | ${cells.join(" | ")} |`);
  }
  console.log(`peak ${await peakMegabytes()} MB, load ${loadavg()[0]?.toFixed(1)}`);
} finally {
  await server.close();
}
