// What exact, bounded statistics cost over the same plain DuckDB query on the same 10 M rows, in one run.
// Run: npx node --conditions=@dosimeter/source bench/engine.bench.ts [rows]
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { boundPlan, checkDeclaration, type Declaration, type Engine, type Plan } from "@dosimeter/query";
import { duckdbEngine } from "@dosimeter/query/duckdb";
import { DuckDBInstance } from "@duckdb/node-api";

const ROWS = Number(process.argv[2] ?? 10_000_000);
const ROUNDS = 5;
const THREADS = 2;
const SALT = "bench";

const folder = await mkdtemp(join(tmpdir(), "dosimeter-engine-bench-"));
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

interface Cost {
  readonly wall: number;
  readonly cpu: number;
}

async function time(run: () => Promise<unknown>): Promise<Cost> {
  const cpu = process.cpuUsage();
  const start = process.hrtime.bigint();
  await run();
  const wall = Number(process.hrtime.bigint() - start) / 1e6;
  const used = process.cpuUsage(cpu);
  return { wall, cpu: (used.user + used.system) / 1000 };
}

/** 50 skewed groups, a tenth as many units as rows, values of a lognormal kind with two decimals. */
const generated = `
  SELECT CAST(floor(${ROWS / 10} * pow(((i * 2654435761) % 4294967296) / 4294967296.0, 2)) AS BIGINT) AS uid,
         CAST(floor(50 * pow(((i * 40503) % 65536) / 65536.0, 2)) AS INTEGER) AS g,
         round(exp(10 + sin(i * 12.9898) * 1.2), 2) AS x
  FROM range(${ROWS}) AS t(i)`;

const columns = {
  uid: { type: "integer" },
  g: { type: "integer", lower: 0, upper: 49 },
  x: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
};
const source = { parquet: "rows.parquet" };
const perRow = checkDeclaration({ name: "rows", source, privacyUnit: "row", columns });
const perUnit = (rows: number): Declaration =>
  checkDeclaration({ name: "rows", source, privacyUnit: { column: "uid" }, contribution: { rows }, columns });
const plan: Plan = { statistics: [{ statistic: "mean", column: "x", groupBy: ["g"], epsilon: 1 }] };

async function measured(engine: Engine, declaration: Declaration): Promise<() => Promise<unknown>> {
  const version = await engine.check(declaration, { salt: SALT });
  const bounded = boundPlan(plan, declaration);
  return () => engine.run(bounded, version);
}

try {
  const instance = await DuckDBInstance.create(":memory:", { threads: String(THREADS) });
  const path = join(folder, "rows.parquet");
  const writer = await instance.connect();
  await writer.run(`COPY (${generated}) TO '${path}' (FORMAT parquet)`);
  writer.closeSync();
  const plain = async (): Promise<unknown> => {
    const connection = await instance.connect();
    try {
      const sql = `SELECT g, count(*), sum(x), avg(x) FROM read_parquet('${path}') GROUP BY g`;
      return await connection.runAndReadAll(sql);
    } finally {
      connection.closeSync();
    }
  };

  const options = { root: folder, threads: THREADS };
  const fresh = await duckdbEngine({ ...options, cachedTables: 0 });
  const kept = await duckdbEngine(options);
  const cached = await measured(kept, perUnit(4));
  await cached();
  const jobs = [
    { what: "plain count, sum, avg by group", run: plain, aim: "" },
    { what: "DP mean by group, unit = row", run: await measured(fresh, perRow), aim: "≤ 3×" },
    { what: "DP mean by group, 4 rows a unit, cached bounded table", run: cached, aim: "≤ 1×" },
    { what: "DP mean by group, 4 rows a unit, first question", run: await measured(fresh, perUnit(4)), aim: "" },
    { what: "DP mean by group, 64 rows a unit, first question", run: await measured(fresh, perUnit(64)), aim: "" },
  ];
  const costs = jobs.map((): Cost[] => []);
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, { run }] of jobs.entries()) {
      const cost = await time(run);
      if (round > 0) costs[index]?.push(cost); // the first round warms the file cache
    }
  const middle = costs.map((list) => ({ wall: median(list.map((c) => c.wall)), cpu: median(list.map((c) => c.cpu)) }));
  const base = middle[0] ?? { wall: Number.NaN, cpu: Number.NaN };
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`;
  console.log(`${ROWS} rows in Parquet, ${THREADS} threads, median of ${ROUNDS} rounds, ${machine}\n`);
  console.log("| job | wall ms | CPU ms | wall ratio | CPU ratio | aim |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const [index, { what, aim }] of jobs.entries()) {
    const { wall, cpu } = middle[index] ?? base;
    const ratio = (a: number, b: number): string => (a / b).toFixed(2);
    console.log(
      `| ${what} | ${wall.toFixed(0)} | ${cpu.toFixed(0)} | ${ratio(wall, base.wall)}× | ${ratio(cpu, base.cpu)}× | ${aim} |`,
    );
  }

  const started = process.hrtime.bigint();
  const PLANS = 2000;
  for (let i = 0; i < PLANS; i++) boundPlan({ ...plan, confidence: 0.5 + i / 10_000 }, perRow);
  const each = Number(process.hrtime.bigint() - started) / 1e6 / PLANS;
  console.log(`\nBounding the plan (50 groups), no data: ${each.toFixed(3)} ms.`);
  await fresh.close();
  await kept.close();
  instance.closeSync();
} finally {
  await rm(folder, { recursive: true, force: true });
}
