// One plan over many rows and people: processor time and peak memory of the process, and whether it fits into the memory that DuckDB may take.
// Run: npx node bench/large.bench.ts [rows] [memory, such as 3GB]
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { duckdbEngine } from "@dosimeter/engines/duckdb";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { DuckDBInstance } from "@duckdb/node-api";

const rows = Number(process.argv[2] ?? 100_000_000);
const memoryLimit = process.argv[3] ?? "3GB";
const THREADS = 2;
const SALT = "5e".repeat(32);

const plan: Plan = { statistics: [{ statistic: "mean", column: "x", groupBy: ["g"], epsilon: 1 }] };
const table = {
  name: "rows",
  mostRows: rows,
  source: { parquet: "rows.parquet" },
  columns: {
    uid: { type: "integer" },
    g: { type: "integer", lower: 0, upper: 49 },
    x: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
  },
};
const declarations = {
  "unit = row": { ...table, privacyUnit: "row" },
  "4 rows a unit": { ...table, privacyUnit: { column: "uid" }, contribution: { rows: 4 } },
};

/** A tenth as many people as rows, and 50 groups, both skewed. */
async function write(folder: string): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: String(THREADS), memory_limit: memoryLimit });
  const connection = await instance.connect();
  const skewed = (most: number, by: number, of: number): string =>
    `floor(${most} * pow(((i * ${by}) % ${of}) / ${of}.0, 2))`;
  await connection.run("SET preserve_insertion_order = false");
  await connection.run(
    `COPY (SELECT CAST(${skewed(rows / 10, 2_654_435_761, 2 ** 32)} AS BIGINT) AS uid, CAST(${skewed(50, 40_503, 2 ** 16)} AS INTEGER) AS g, round(exp(10 + sin(i * 12.9898) * 1.2), 2) AS x FROM range(${rows}) AS t(i)) TO '${join(folder, "rows.parquet")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

const folder = await mkdtemp(join(tmpdir(), "dosimeter-large-bench-"));
try {
  await write(folder);
  console.log(
    `${rows} rows in Parquet, ${THREADS} threads, ${memoryLimit} for DuckDB, ${cpus()[0]?.model ?? "unknown"}\n`,
  );
  console.log("| DP mean by group | wall s | CPU s | peak MB until then | load |\n| --- | --- | --- | --- | --- |");
  for (const [name, declared] of Object.entries(declarations)) {
    const declaration = checkDeclaration(declared);
    const engine = await duckdbEngine({ root: folder, threads: THREADS, memoryLimit, cachedTables: 0 });
    const version = await engine.check(declaration, { salt: SALT });
    const [cpu, start] = [process.cpuUsage(), performance.now()];
    const ended = await engine.run(boundPlan(plan, declaration), version).then(
      () => "",
      () => " (failed)",
    );
    const { user, system } = process.cpuUsage(cpu);
    const [wall, busy] = [(performance.now() - start) / 1000, (user + system) / 1e6].map((each) => each.toFixed(1));
    const peak = (process.resourceUsage().maxRSS / 1024).toFixed(0);
    console.log(`| ${name}${ended} | ${wall} | ${busy} | ${peak} | ${loadavg()[0]?.toFixed(1)} |`);
    await engine.close();
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
