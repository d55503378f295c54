// How long a person waits from POST to answer, and how many tiny releases a server ends in a second.
// Run: npx node --conditions=@dosimeter/source bench/timetable.bench.ts [rows] [seconds]
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { openInstance } from "@dosimeter/server";
import { DuckDBInstance } from "@duckdb/node-api";
import { buildFixture, countPlan, unhurried } from "../packages/server/src/instance.kit.ts";
import { createLog } from "../packages/server/src/telemetry/log.ts";

const [rows = 10_000_000, seconds = 10] = process.argv.slice(2).map(Number);
const CALLERS = 64;

const folder = await mkdtemp(join(tmpdir(), "dosimeter-bench-"));
let missed = 0;
const log = createLog("error", (line) => {
  if (line.includes("a departure was missed")) missed += 1;
});
const instance = await openInstance({ folder, log, rates: unhurried, largestUpload: 2 ** 32 });
const { as, people, dataset, memberAccount: account } = await buildFixture(instance);

async function parquet(count: number): Promise<Uint8Array<ArrayBuffer>> {
  const path = join(folder, `${count}.parquet`);
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  const columns = `CAST(hash(i) % 50 AS INTEGER) AS g, CAST(hash(2 * i) % 200000 AS DOUBLE) AS x`;
  await connection.run(`COPY (SELECT ${columns} FROM range(${count}) AS r(i)) TO '${path}' (FORMAT parquet)`);
  connection.closeSync();
  database.closeSync();
  return new Uint8Array(await readFile(path));
}

async function tableOf(count: number) {
  const { datasetAdmin } = as;
  const { id: file } = await datasetAdmin.uploadFile({ name: `t${count}.parquet`, content: await parquet(count) });
  const declaration = {
    ...{ name: `t${count}`, source: { parquet: `t${count}.parquet` }, privacyUnit: "row", mostRows: count },
    columns: {
      g: { type: "integer", lower: 0, upper: 49 },
      x: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
    },
  };
  const { id: dataset } = await datasetAdmin.createDataset({ file, declaration });
  const { id: ledger } = await datasetAdmin.openLedger({ dataset, epsilon: "50", delta: "1e-6" });
  const holder = { kind: "person", id: people.member } as const;
  const { id: account } = await datasetAdmin.createAccount({ ledger, holder, epsilon: "40" });
  return { dataset, account };
}

async function took(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await run();
  return performance.now() - started;
}

const at = (sorted: readonly number[], share: number): string =>
  `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN)} ms`;

async function report(what: string, times: number): Promise<(run: () => Promise<unknown>) => Promise<void>> {
  return async (run) => {
    const before = missed;
    const all: number[] = [];
    for (let time = 0; time < times; time += 1) all.push(await took(run));
    const [first, ...others] = all;
    const sorted = others.toSorted((a, b) => a - b);
    console.log(
      `| ${what} | ${Math.round(first ?? 0)} ms | ${at(sorted, 0.5)} | ${at(sorted, 0.99)} | ${missed - before} of ${times} | ${loadavg()[0]?.toFixed(1)} |`,
    );
  };
}

console.log("| release | first | median | p99 | missed | load |\n| --- | --- | --- | --- | --- | --- |");
const release = (of: { dataset: string; account: string }, statistic: object) => () =>
  as.member.releaseAndWait({
    ...of,
    plan: { statistics: [{ ...statistic, epsilon: "0.01" }] },
    reuse: "never",
  } as never);
const mean = { statistic: "mean", column: "x", groupBy: ["g"] };
const large = await tableOf(rows);
await (await report(`count of ${rows} rows`, 12))(release(large, { statistic: "count" }));
await (await report(`mean by 50 groups of ${rows} rows`, 12))(release(large, mean));
await (await report(`mean by 50 groups of ${rows / 10} rows`, 12))(release(await tableOf(rows / 10), mean));
const tiny = () => as.member.releaseAndWait({ dataset, account, plan: countPlan("0.0005"), reuse: "never" });
await (await report("count of six rows, one caller", 40))(tiny);

const before = missed;
const all: number[] = [];
const end = performance.now() + 1000 * seconds;
let refused = 0;
await Promise.all(
  Array.from({ length: CALLERS }, async () => {
    while (performance.now() < end)
      try {
        all.push(await took(tiny));
      } catch {
        refused += 1;
      }
  }),
);
const sorted = all.toSorted((a, b) => a - b);
console.log(
  `\n${CALLERS} callers: ${(all.length / seconds).toFixed(1)} a second, median ${at(sorted, 0.5)}, p99 ${at(sorted, 0.99)}, ${missed - before} of ${all.length} missed, ${refused} refused, load ${loadavg()[0]?.toFixed(1)}`,
);
await instance.close();
await rm(folder, { recursive: true, force: true });
