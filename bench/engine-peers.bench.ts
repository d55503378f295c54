// Compares the engine with other libraries on the same rows and the same budget: time, peak memory, error.
// Run: npx node bench/engine-peers.bench.ts [python with the peers installed] [rows]
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { secureRandom } from "@dosimeter/core";
import { duckdbEngine } from "@dosimeter/engines/duckdb";
import { addNoise } from "@dosimeter/query/answer";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration } from "@dosimeter/query/declaration";
import type { Plan } from "@dosimeter/query/statistics";
import { DuckDBInstance } from "@duckdb/node-api";

const GROUPS = 50;
const [LOWER, UPPER] = [0, 200_000];
const ROUNDS = 20;
const columns = {
  uid: { type: "integer" },
  g: { type: "integer", lower: 0, upper: GROUPS - 1 },
  x: { type: "number", lower: LOWER, upper: UPPER, granularity: 1 },
};
const plan: Plan = { statistics: [{ statistic: "mean", column: "x", groupBy: ["g"], epsilon: 1 }] };
const units = { rows: "row", units: { column: "uid" } } as const;

interface Line {
  readonly job: string;
  readonly peer: string;
  readonly seconds: number;
  readonly peakMB: number;
  readonly rmse: number;
  readonly skipped?: string;
}

/** Time of one answer from the file to the noise; the error over many draws. */
async function ours(folder: string, job: keyof typeof units, truth: readonly number[]): Promise<Line> {
  const declaration = checkDeclaration({
    name: "rows",
    source: { parquet: "rows.parquet" },
    privacyUnit: units[job],
    mostRows: 2 ** 40,
    ...(job === "rows" ? {} : { contribution: { groups: 3, rowsPerGroup: 2 } }),
    columns,
  });
  const engine = await duckdbEngine({ root: folder, threads: 1, cachedTables: 0 });
  const random = secureRandom((words) => crypto.getRandomValues(words));
  const version = await engine.check(declaration, { salt: "5e".repeat(32) });
  const bounded = boundPlan(plan, declaration);
  let seconds = Number.POSITIVE_INFINITY;
  let squares = 0;
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    const [answer] = addNoise(bounded, await engine.run(bounded, version), random);
    seconds = Math.min(seconds, (performance.now() - start) / 1000);
    answer?.cells.forEach(({ value }, index) => {
      squares += (value - (truth[index] ?? 0)) ** 2;
    });
  }
  await engine.close();
  const peakMB = process.resourceUsage().maxRSS / 1024;
  return { job, peer: "Dosimeter", seconds, peakMB, rmse: Math.sqrt(squares / ROUNDS / GROUPS) };
}

async function query(folder: string, text: string): Promise<readonly (readonly unknown[])[]> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(text.replaceAll("FILE", `'${join(folder, "rows.parquet")}'`))).getRows();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function write(folder: string, rows: number): Promise<void> {
  await query(
    folder,
    `COPY (SELECT CAST(floor(${rows / 10} * pow(((i * 2654435761) % 4294967296) / 4294967296.0, 2)) AS BIGINT) AS uid,
      CAST(floor(50 * pow(((i * 40503) % 65536) / 65536.0, 2)) AS INTEGER) AS g,
      round(exp(10 + sin(i * 12.9898) * 1.2), 2) AS x FROM range(${rows}) AS t(i)) TO FILE (FORMAT parquet)`,
  );
  const all = await query(folder, "SELECT uid, g, x FROM read_parquet(FILE)");
  const [uid, g, x] = [new BigInt64Array(all.length), new Int32Array(all.length), new Float64Array(all.length)];
  all.forEach(([u, group, value], index) => {
    [uid[index], g[index], x[index]] = [BigInt(u as bigint), Number(group), Number(value)];
  });
  await writeFile(join(folder, "uid.i64"), uid);
  await writeFile(join(folder, "g.i32"), g);
  await writeFile(join(folder, "x.f64"), x);
}

const [first, second, third] = process.argv.slice(2);
const exact = async (folder: string): Promise<readonly number[]> =>
  (
    await query(
      folder,
      `SELECT avg(least(greatest(x, ${LOWER}), ${UPPER})) FROM read_parquet(FILE) GROUP BY g ORDER BY g`,
    )
  ).map(([mean]) => Number(mean));

if (first === "--ours" && second !== undefined && (third === "rows" || third === "units")) {
  console.log(JSON.stringify(await ours(second, third, await exact(second))));
} else {
  const python = first ?? "python3";
  const rows = Number(second ?? 1_000_000);
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-peers-"));
  const peers = { rows: ["diffprivlib", "OpenDP"], units: ["PipelineDP", "Tumult"] } as const;
  try {
    await write(folder, rows);
    console.log(
      `${rows} rows, mean of a column in ${GROUPS} groups at ε = 1, one thread, ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}\n`,
    );
    console.log("| job | library | seconds | peak MB | RMSE of the means |\n| --- | --- | --- | --- | --- |");
    for (const job of ["rows", "units"] as const) {
      const self = ["--disable-warning=ExperimentalWarning", import.meta.filename];
      const { stdout } = await promisify(execFile)(process.execPath, [...self, "--ours", folder, job]);
      show(JSON.parse(stdout));
      for (const peer of peers[job]) {
        const script = new URL("peers/engine.py", import.meta.url).pathname;
        const run = spawnSync(python, [script, folder, job, peer], { encoding: "utf8", timeout: 600_000 });
        const line = run.stdout?.split("\n").find((text) => text.startsWith("{"));
        if (line === undefined) console.log(`| ${job} | ${peer} | skipped: it does not run here | | |`);
        else show(JSON.parse(line));
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function show({ job, peer, seconds, peakMB, rmse, skipped }: Line): void {
  if (skipped !== undefined) console.log(`| ${job} | ${peer} | skipped: ${skipped} | | |`);
  else console.log(`| ${job} | ${peer} | ${seconds.toFixed(3)} | ${peakMB.toFixed(0)} | ${rmse.toFixed(2)} |`);
}
