import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { duckdbEngine } from "@dosimeter/engines/duckdb";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import { DuckDBInstance } from "@duckdb/node-api";
const N = Number(process.argv[2] ?? 1e6);
const only = process.argv[3];
const folder = await mkdtemp(join(tmpdir(), "probe-"));
const db = await DuckDBInstance.create(":memory:");
const c = await db.connect();
const cols = `i % ${Math.ceil(N / 5)} AS uid, i AS one, hash(i*7) % 50 AS g, CAST(hash(i) % 200000 AS DOUBLE) AS x, CAST(hash(i*3) % 9132 AS INTEGER) AS n, CAST(CAST(hash(i*11)%9132 AS DOUBLE)/100 AS DECIMAL(9,2)) AS p, DATE '2000-01-01' + CAST(hash(i*5)%9000 AS INTEGER) AS d, TIMESTAMP '2000-01-01' + to_seconds(CAST(hash(i*5)%700000000 AS BIGINT)) AS t, 'word ' || (hash(i*13) % 100) AS w, CASE WHEN hash(i*17)%2=0 THEN 'f' ELSE 'm' END AS s, hash(i*19)%3=0 AS b`;
await c.run(`COPY (SELECT ${cols} FROM range(${N}) AS t(i)) TO '${folder}/r.parquet' (FORMAT parquet)`);
await c.run(`COPY (SELECT ${cols} FROM range(${N}) AS t(i)) TO '${folder}/r.csv' (FORMAT csv, HEADER)`);
await c.run(`COPY (SELECT uid AS uid, ANY_VALUE(g) AS area FROM '${folder}/r.parquet' GROUP BY uid) TO '${folder}/people.parquet' (FORMAT parquet)`);
c.closeSync(); db.closeSync();
const columns = {
  uid: { type: "integer" }, one: { type: "integer" },
  g: { type: "integer", lower: 0, upper: 49 },
  x: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
  n: { type: "integer", lower: 0, upper: 9131 },
  p: { type: "decimal", scale: 2, lower: 0, upper: 91.31 },
  d: { type: "date", lower: "2000-01-01", upper: "2024-12-31" },
  t: { type: "timestamp", zone: "Europe/Berlin", lower: "2000-01-01", upper: "2024-12-31" },
  w: { type: "category", categories: Array.from({ length: 100 }, (_, i) => `word ${i}`) },
  s: { type: "category", categories: ["f", "m"] },
  b: { type: "boolean" },
  word: { type: "text" },
} as any;
delete columns.word;
const units: Record<string, any> = {
  row: { privacyUnit: "row" },
  one: { privacyUnit: { column: "one" }, contribution: { rows: 1 } },
  four: { privacyUnit: { column: "uid" }, contribution: { rows: 4 } },
  sixteen: { privacyUnit: { column: "uid" }, contribution: { rows: 16 } },
  windows: { privacyUnit: { column: "uid" }, contribution: { groups: 2, rowsPerGroup: 2 } },
};
const e = { epsilon: 1 };
const plans: Record<string, any> = {
  count: { statistic: "count", ...e },
  people: { statistic: "count", of: "units", ...e },
  countWhere: { statistic: "count", where: "n > 30 and x < 5000 and s = 'f'", ...e },
  countBySex: { statistic: "count", groupBy: ["s"], ...e },
  countBy50: { statistic: "count", groupBy: ["g"], ...e },
  countByWord: { statistic: "count", groupBy: ["w"], ...e },
  countByWordSex: { statistic: "count", groupBy: ["w","s","g"], ...e },
  meanBy50: { statistic: "mean", column: "x", groupBy: ["g"], ...e },
  meanDec: { statistic: "mean", column: "p", groupBy: ["g"], ...e },
  meanDate: { statistic: "mean", column: "d", groupBy: ["g"], ...e },
  meanTime: { statistic: "mean", column: "t", groupBy: ["g"], ...e },
  variance: { statistic: "variance", column: "x", groupBy: ["g"], ...e },
  hist: { statistic: "histogram", column: "x", bins: 100, ...e },
  median: { statistic: "median", column: "x", granularity: 4, ...e },
  curve: { statistic: "cumulative", column: "n", ...e },
  hour: { let: { hour: "hour(t)" }, statistics: [{ statistic: "count", groupBy: ["hour"], ...e }] },
  month: { let: { month: "cut(d, 'month')" }, statistics: [{ statistic: "count", groupBy: ["month"], ...e }] },
  derived: { let: { z: "log(x + 1) * sqrt(n) + abs(n - 30)" }, statistics: [{ statistic: "mean", column: "z", lower: 0, upper: 1000, granularity: 1, ...e }] },
  line: { statistic: "regression", columns: ["x", "n"], ...e },
  distinct: { statistic: "distinctCount", column: "n", ...e },
  six: { statistics: ["count","mean","variance","histogram","median","sum"].map((statistic) => ({ id: statistic, statistic, ...(statistic === "count" ? {} : { column: "x" }), ...(statistic==="histogram"?{bins:20}:{}), ...(statistic==="median"?{granularity:4}:{}), ...e })) },
};
for (const format of ["parquet"]) for (const [un, u] of Object.entries(units)) {
  if (format === "csv" && un !== "row" && un !== "four") continue;
  const engine = await duckdbEngine({ root: folder, threads: 1, cachedTables: 0 });
  let declaration: any;
  try { declaration = checkDeclaration({ name: "r", source: { [format]: `r.${format}` }, mostRows: 2 ** 40, columns, ...u } as any); } catch (err) { console.log(un, String(err)); continue; }
  const at = await engine.check(declaration, { salt: "5e".repeat(32) });
  for (const [name, p] of Object.entries(plans)) {
    if (only && !name.match(only)) continue;
    try {
      const b = boundPlan(p.statistics ? p : { statistics: [p] }, declaration);
      const times: number[] = [], cpus: number[] = [];
      for (let r = 0; r < 3; r++) { const t = performance.now(); const u0 = process.cpuUsage(); await engine.run(b, at); times.push(performance.now() - t); const u1 = process.cpuUsage(u0); cpus.push((u1.user+u1.system)/1000); }
      console.log(format, un, name, times.map((t) => (t * 1e6 / N).toFixed(0)).join(" "), "ns/row; cpu", cpus.map((t) => (t * 1e6 / N).toFixed(0)).join(" "));
    } catch (err) { if (un === "row") console.log(format, un, name, String(err).slice(0, 150)); }
  }
  await engine.close();
}
await rm(folder, { recursive: true });
