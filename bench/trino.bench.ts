// What exact, bounded statistics cost in Trino compared with a plain query on the same rows: time, and processor time of all of its processes.
// Run: TEST_TRINO=1 npx node bench/trino.bench.ts [sf1 | sf10] [rounds] [nodes], after `npm run test:trino` fetched a server.
import { readFile } from "node:fs/promises";
import { cpus, loadavg } from "node:os";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration, type Declaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { trinoEngine } from "../packages/engines/src/trino/engine.ts";
import { noTrino, openTrino } from "../test/trino.kit.ts";

const [scale = "sf1", rounds = "3", nodes = "1"] = process.argv.slice(2);
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
const perRow = checkDeclaration({ name: "rows", source, privacyUnit: "row", mostRows: 2 ** 40, columns });
const perUnit = (rows: number): Declaration =>
  checkDeclaration({
    name: "rows",
    source,
    privacyUnit: { column: "orderkey" },
    contribution: { rows },
    mostRows: 2 ** 40,
    columns,
  });

/** The same machine, compiler and heap for all jobs. */
const heap = scale === "sf10" ? 8 : 4;
const server = await openTrino({
  workers: Number(nodes) - 1,
  files: {
    "jvm.config": [
      "-server",
      `-Xmx${heap}G`,
      "-XX:+UseG1GC",
      "-XX:+ExitOnOutOfMemoryError",
      "-XX:ReservedCodeCacheSize=256M",
      "-Djdk.attach.allowAttachSelf=true",
    ],
    "catalog/memory.properties": ["connector.name=memory", `memory.max-data-per-node=${heap / 2}GB`],
  },
});

/** Seconds of the processor that the server took so far, its compiler and all else. */
async function processorSeconds(): Promise<number> {
  const seconds = server.pids().map(async (pid) => {
    const after = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
    return (Number(after[11]) + Number(after[12])) / TICKS_PER_SECOND;
  });
  return sum(await Promise.all(seconds));
}

async function peakMegabytes(): Promise<number> {
  const megabytes = server.pids().map(async (pid) => {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, "utf8")) ?? [];
    return Math.round(Number(kilobytes) / 1024);
  });
  return sum(await Promise.all(megabytes));
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
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
    `${counted} rows, ${nodes} nodes, ${cpus().length} processors, load ${loadavg()[0]?.toFixed(1)}, median of ${rounds} runs after one`,
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
