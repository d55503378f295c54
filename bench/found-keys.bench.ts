// Whether found keys tell by time: a plan over rows that all match, each with a key of its own, and over the same rows where none does.
// Run: npx node --conditions=@dosimeter/source bench/found-keys.bench.ts [rows] [runs]
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { boundPlan, checkDeclaration, type Plan } from "@dosimeter/query";
import { duckdbEngine } from "@dosimeter/query/duckdb";
import { noiseSteps } from "@dosimeter/query/engines";
import { DuckDBInstance } from "@duckdb/node-api";
import { systemRandom } from "../packages/server/src/measuring/random.ts";
import { inSlices } from "../packages/server/src/measuring/slices.ts";
import { deadlineOf } from "../packages/server/src/release/duration-class.ts";

const rows = Number(process.argv[2] ?? 400_000);
const runs = Number(process.argv[3] ?? 3);

const declaration = checkDeclaration({
  name: "rows",
  source: { parquet: "rows.parquet" },
  privacyUnit: { column: "uid" },
  contribution: { rows: 4 },
  size: { assumed: rows },
  columns: { uid: { type: "integer" }, part: { type: "integer", lower: 0, upper: 1 }, word: { type: "text" } },
});
const plan = (part: number): Plan => ({
  statistics: [{ statistic: "keyCounts", column: "word", where: `part = ${part}`, epsilon: 1, delta: "0.000001" }],
});

const folder = await mkdtemp(join(tmpdir(), "dosimeter-found-keys-bench-"));
try {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  const columns = "i // 4 AS uid, 1 AS part, 'word ' || i AS word";
  await connection.run(
    `COPY (SELECT ${columns} FROM range(${rows}) AS t(i)) TO '${join(folder, "rows.parquet")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
  const engine = await duckdbEngine({ root: folder, threads: 2, memoryLimit: "1GB", cachedTables: 0 });
  const version = await engine.check(declaration, { salt: "5e".repeat(32) });
  console.log(`${rows} rows, ${cpus()[0]?.model ?? "unknown"}\n`);
  console.log("| keys found | engine s | noise s | deadline s | load |\n| --- | --- | --- | --- | --- |");
  for (let run = 0; run < runs; run += 1)
    for (const part of [0, 1]) {
      const bounded = boundPlan(plan(part), declaration);
      const start = performance.now();
      const exact = await engine.run(bounded, version);
      const measured = performance.now();
      const answers = await inSlices(noiseSteps(bounded, exact, systemRandom(), []));
      const seconds = [measured - start, performance.now() - measured, deadlineOf(bounded, answers)].map((ms) =>
        (ms / 1000).toFixed(2),
      );
      console.log(`| ${[part * rows, ...seconds, loadavg()[0]?.toFixed(1)].join(" | ")} |`);
    }
  await engine.close();
} finally {
  await rm(folder, { recursive: true, force: true });
}
