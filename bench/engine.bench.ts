// What exact, bounded statistics cost compared with plain DuckDB on the same rows: time, processor time and peak memory.
// Every job runs in a process of its own, one after the other, in several rounds.
// Run: npx node bench/engine.bench.ts [rows] [rounds] [pattern of the jobs' names]
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { duckdbEngine } from "@dosimeter/engines/duckdb";
import { boundPlan } from "@dosimeter/query/bind";
import { checkDeclaration, type Declaration } from "@dosimeter/query/declaration";
import { quotePlan } from "@dosimeter/query/quote";
import type { Plan } from "@dosimeter/query/statistics";
import { DuckDBInstance } from "@duckdb/node-api";
import { sql } from "kysely";
import { duckdbDialect } from "../packages/engines/src/duckdb/dialect.ts";
import { boundedRows } from "../packages/engines/src/sql/bounded-rows.ts";
import { cellsOf, rowsOf } from "../packages/engines/src/sql/sql.ts";

const RUNS = 3;
const THREADS = 2;
const SALT = "5e".repeat(32);

const columns = {
  uid: { type: "integer" },
  g: { type: "integer", lower: 0, upper: 49 },
  x: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
  n: { type: "integer", lower: 0, upper: 9131 },
  m: { type: "integer", lower: 0, upper: 299 },
  p: { type: "decimal", scale: 2, lower: 0, upper: 91.31 },
  d: { type: "date", lower: "2000-01-01", upper: "2024-12-31" },
  dm: { type: "date", lower: "2000-01", upper: "2024-12", granularity: "month" },
  t: { type: "timestamp", zone: "Europe/Berlin", lower: "2000-01-01", upper: "2024-12-31" },
};
const source = { parquet: "rows.parquet" };
const perRow = checkDeclaration({ name: "rows", source, privacyUnit: "row", mostRows: 2 ** 40, columns });
const perUnit = (rows: number): Declaration =>
  checkDeclaration({
    name: "rows",
    source,
    privacyUnit: { column: "uid" },
    contribution: { rows },
    mostRows: 2 ** 40,
    columns,
  });
const mean: Plan = { statistics: [{ statistic: "mean", column: "x", groupBy: ["g"], epsilon: 1 }] };
/** Four ticks to a leaf: 50,001 leaves, the nearest to 2¹⁶ that the bounds allow. */
const median: Plan = { statistics: [{ statistic: "median", column: "x", granularity: 4, epsilon: 1 }] };

const meanOf = (column: string): Plan => ({ statistics: [{ statistic: "mean", column, groupBy: ["g"], epsilon: 1 }] });
const countBy = (column: string): Plan => ({ statistics: [{ statistic: "count", groupBy: [column], epsilon: 1 }] });
const byHour: Plan = { let: { hour: "hour(t)" }, ...countBy("hour") };
const byMonth: Plan = { let: { month: "cut(d, 'month')" }, ...countBy("month") };

const byYear: Plan = { let: { year: "year(d)" }, ...countBy("year") };
const histogramOf = (column: string, bins: number): Plan => ({
  statistics: [{ statistic: "histogram", column, bins, epsilon: 1 }],
});
/** Six questions about one column. */
const six = (column: string): Plan => ({
  statistics: [
    { statistic: "count", epsilon: 1 },
    ...(["sum", "mean", "variance", "median"] as const).map((statistic) => ({ statistic, column, epsilon: 1 })),
    { statistic: "histogram", column, bins: 100, epsilon: 1 },
  ],
});

/** The people of the rows, one row each, with a group of their own. */
const people = checkDeclaration({
  name: "people",
  source: { parquet: "people.parquet" },
  privacyUnit: { column: "uid" },
  mostRows: 2 ** 40,
  contribution: { rows: 1 },
  columns: { uid: { type: "integer" }, area: { type: "integer", lower: 0, upper: 49 } },
});
const joining = (mine: Declaration, theirs: Declaration): Declaration => ({
  ...mine,
  joinable: { other: { version: 1, declaration: theirs } },
});
const byArea: Plan = {
  join: { dataset: "other", columns: { area: "area" } },
  statistics: [{ statistic: "mean", column: "x", groupBy: ["area"], epsilon: 1 }],
};
const visits: Plan = {
  join: { dataset: "other", columns: { visits: { take: "count", where: "n < 4566", lower: 0, upper: 50 } } },
  statistics: [{ statistic: "mean", column: "visits", groupBy: ["area"], epsilon: 1 }],
};

type Job = (folder: string) => Promise<{ readonly run: () => Promise<unknown>; readonly close: () => void }>;

const plain =
  (text: (rows: string, people: string) => string): Job =>
  async (folder) => {
    const instance = await DuckDBInstance.create(":memory:", { threads: String(THREADS), memory_limit: "4GB" });
    const [rows, people] = ["rows", "people"].map((name) => `read_parquet('${join(folder, `${name}.parquet`)}')`);
    const statement = text(rows ?? "", people ?? "");
    const run = async (): Promise<unknown> => {
      const connection = await instance.connect();
      try {
        return await connection.runAndReadAll(statement);
      } finally {
        connection.closeSync();
      }
    };
    return { run, close: () => instance.closeSync() };
  };

const ours =
  (declaration: Declaration, plan: Plan, cachedTables: number): Job =>
  async (folder) => {
    const engine = await duckdbEngine({ root: folder, threads: THREADS, cachedTables });
    const version = await engine.check(declaration, { salt: SALT });
    const bounded = boundPlan(plan, declaration);
    const other = bounded.declaration.joined?.declaration;
    const at = other === undefined ? version : { ...version, joined: await engine.check(other, { salt: SALT }) };
    return { run: () => engine.run(bounded, at), close: () => void engine.close() };
  };

/** The same bounded mean, including kept rows, by `row_number() … ORDER BY`: the usual form elsewhere. */
function rowNumber(rows: number): Job {
  const declaration = perUnit(rows);
  const [statistic] = boundPlan(mean, declaration).statistics;
  if (statistic === undefined) throw new RangeError("one statistic");
  const types = { uid: "BIGINT", g: "INTEGER", x: "DOUBLE" };
  return (folder) => {
    const from = sql.raw(`read_parquet('${join(folder, "rows.parquet")}')`);
    const table = { dialect: duckdbDialect, from, types };
    const kept = boundedRows(
      duckdbDialect,
      statistic,
      rowsOf(statistic, declaration, table),
      "integer",
      SALT,
      "windows",
    );
    const { text, parameters } = duckdbDialect.compile(
      cellsOf(duckdbDialect, statistic, { from: sql`(${kept})`, isWeighted: false, areDecimals: false }),
    );
    const inlined = text.replace(/\$(\d+)/g, (_, number) => String(parameters[Number(number) - 1]));
    return plain(() => inlined)(folder);
  };
}

/** The usual forms: by DuckDB's own hash of the row, or at random, which does not even keep the same rows twice. */
const rowNumberBy = (order: string, rows: number): Job =>
  plain(
    (file) =>
      `SELECT g, count(*), sum(least(greatest(x, 0), 200000)) FROM (SELECT g, x, row_number() OVER (PARTITION BY uid ORDER BY ${order}) AS n FROM ${file}) WHERE n <= ${rows} GROUP BY g`,
  );
const OWN_HASH = "CAST(hash(uid, g, x) >> 1 AS BIGINT)";

interface Row {
  readonly what: string;
  readonly job: Job;
  /** What it is compared with, and the ratio aimed at. */
  readonly aim?: readonly [against: string, ratio: number];
  readonly beside?: readonly string[];
}

const jobs: Readonly<Record<string, Row>> = {
  plain: {
    what: "plain count, sum, avg of doubles by group",
    job: plain((file) => `SELECT g, count(*), sum(x), avg(x) FROM ${file} GROUP BY g`),
  },
  row: { what: "DP mean by group, unit = row", job: ours(perRow, mean, 0), aim: ["plain", 4.5] },
  cached: {
    what: "DP mean by group, 4 rows a unit, next question on the cached table",
    job: ours(perUnit(4), mean, 8),
    aim: ["plain", 0.5],
  },
  rn4: { what: "4 rows a unit by row_number, the same rows", job: rowNumber(4) },
  hash4: { what: "4 rows a unit by row_number, DuckDB's own hash", job: rowNumberBy(OWN_HASH, 4) },
  random4: { what: "4 rows a unit by row_number at random", job: rowNumberBy("random()", 4) },
  dp4: {
    what: "DP mean by group, 4 rows a unit",
    job: ours(perUnit(4), mean, 0),
    aim: ["hash4", 0.6],
    beside: ["random4", "rn4"],
  },
  rn64: { what: "64 rows a unit by row_number, the same rows", job: rowNumber(64) },
  hash64: { what: "64 rows a unit by row_number, DuckDB's own hash", job: rowNumberBy(OWN_HASH, 64) },
  random64: { what: "64 rows a unit by row_number at random", job: rowNumberBy("random()", 64) },
  dp64: {
    what: "DP mean by group, 64 rows a unit",
    job: ours(perUnit(64), mean, 0),
    aim: ["hash64", 0.25],
    beside: ["random64", "rn64"],
  },
  integers: { what: "DP mean of whole numbers by group, unit = row", job: ours(perRow, meanOf("n"), 0) },
  dates: { what: "DP mean of dates by group, unit = row", job: ours(perRow, meanOf("d"), 0), aim: ["integers", 1.2] },
  decimals: {
    what: "DP mean of decimals by group, unit = row",
    job: ours(perRow, meanOf("p"), 0),
    aim: ["integers", 1.2],
  },
  times: {
    what: "DP mean of timestamps by group, unit = row",
    job: ours(perRow, meanOf("t"), 0),
    aim: ["integers", 1.2],
  },
  hours: {
    what: "DP count by hour of the day of timestamps in Berlin, unit = row",
    job: ours(perRow, byHour, 0),
    beside: ["datesCut"],
  },
  months: { what: "DP count by month as a whole number, unit = row", job: ours(perRow, countBy("m"), 0) },
  datesByMonth: {
    what: "DP count by month of dates declared by month, unit = row",
    job: ours(perRow, countBy("dm"), 0),
    aim: ["months", 1.2],
  },
  datesCut: {
    what: "DP count by month of dates declared by day, unit = row",
    job: ours(perRow, byMonth, 0),
    aim: ["months", 1.3],
  },
  datesYear: {
    what: "DP count by year of dates declared by day, unit = row",
    job: ours(perRow, byYear, 0),
    aim: ["months", 1.3],
  },
  plainBins: {
    what: "plain histogram of doubles, 100 bins",
    job: plain((file) => `SELECT CAST(floor(x / 2000) AS INTEGER) AS b, count(*) FROM ${file} GROUP BY 1`),
  },
  bins: {
    what: "DP histogram of doubles, 100 bins",
    job: ours(perRow, histogramOf("x", 100), 0),
    aim: ["plainBins", 1.2],
  },
  plainWholeBins: {
    what: "plain histogram of whole numbers, 83 bins",
    job: plain((file) => `SELECT n // 110 AS b, count(*) FROM ${file} GROUP BY 1`),
  },
  wholeBins: {
    what: "DP histogram of whole numbers, 83 bins",
    job: ours(perRow, histogramOf("n", 83), 0),
    aim: ["plainWholeBins", 1.3],
  },
  six: { what: "six statistics of doubles, unit = row", job: ours(perRow, six("x"), 0) },
  sixWhole: { what: "six statistics of whole numbers, unit = row", job: ours(perRow, six("n"), 0) },
  six4: { what: "six statistics of doubles, 4 rows a unit", job: ours(perUnit(4), six("x"), 0) },
  sixWhole4: { what: "six statistics of whole numbers, 4 rows a unit", job: ours(perUnit(4), six("n"), 0) },
  plainPeople: {
    what: "plain count of different people by group",
    job: plain((file) => `SELECT g, count(DISTINCT uid) FROM ${file} GROUP BY g`),
  },
  people: {
    what: "DP count of people by group, 4 groups each",
    job: ours(perUnit(4), { statistics: [{ statistic: "distinctUnits", groupBy: ["g"], epsilon: 1 }] }, 0),
    aim: ["plainPeople", 1.1],
  },
  plainJoin: {
    what: "plain join of rows and people, count, sum, avg by the group of the person",
    job: plain(
      (rows, people) => `SELECT area, count(*), sum(x), avg(x) FROM ${rows} JOIN ${people} USING (uid) GROUP BY area`,
    ),
  },
  // 1.5 × what bounding to 4 rows a unit costs without a join.
  join4: {
    what: "DP mean of rows by the group of the person, 4 rows a unit",
    job: ours(joining(perUnit(4), people), byArea, 0),
    aim: ["plainJoin", 18],
  },
  plainVisits: {
    what: "plain count of rows of each person, joined, mean by group",
    job: plain(
      (rows, people) =>
        `SELECT area, avg(coalesce(v, 0)) FROM ${people} LEFT JOIN (SELECT uid, count(*) AS v FROM ${rows} WHERE n < 4566 GROUP BY uid) USING (uid) GROUP BY area`,
    ),
  },
  joinVisits: {
    what: "DP mean of the number of rows of each person, by group",
    job: ours(joining(people, perUnit(4)), visits, 0),
    aim: ["plainVisits", 18],
  },
  exact: { what: "plain exact median by group", job: plain((file) => `SELECT g, median(x) FROM ${file} GROUP BY g`) },
  leaves: {
    what: "leaf histogram of 50,001 leaves for the DP median",
    job: ours(perRow, median, 0),
    aim: ["exact", 0.7],
  },
};

interface Cost {
  readonly wall: number;
  readonly cpu: number;
  readonly rss: number;
}

const middle = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

/** In the child: one run to warm up, then the timed runs. */
async function measure(name: string, folder: string): Promise<Cost> {
  const row = jobs[name];
  if (row === undefined) throw new Error(`no job ${name}`);
  const { run, close } = await row.job(folder);
  await run();
  const costs: Cost[] = [];
  for (let i = 0; i < RUNS; i++) {
    const cpu = process.cpuUsage();
    const start = performance.now();
    await run();
    const { user, system } = process.cpuUsage(cpu);
    costs.push({ wall: performance.now() - start, cpu: (user + system) / 1000, rss: 0 });
  }
  close();
  const rss = process.resourceUsage().maxRSS / 1024;
  return { wall: Math.min(...costs.map(({ wall }) => wall)), cpu: Math.min(...costs.map(({ cpu }) => cpu)), rss };
}

const [first, second, third] = process.argv.slice(2);
if (first === "--job" && second !== undefined && third !== undefined) {
  console.log(JSON.stringify(await measure(second, third)));
} else {
  const rows = Number(first ?? 10_000_000);
  const rounds = Number(second ?? 3);
  const folder = await mkdtemp(join(tmpdir(), "dosimeter-engine-bench-"));
  try {
    await write(folder, rows);
    const load = loadavg()[0]?.toFixed(1);
    const chosen = Object.entries(jobs).filter(([name]) => third === undefined || new RegExp(third).test(name));
    const costs = new Map(chosen.map(([name]) => [name, [] as Cost[]]));
    for (let round = 0; round < rounds; round++)
      for (const [name] of chosen) {
        const args = ["--disable-warning=ExperimentalWarning", import.meta.filename];
        const { stdout } = await promisify(execFile)(process.execPath, [...args, "--job", name, folder]);
        costs.get(name)?.push(JSON.parse(stdout));
      }
    const of = (name: string, key: keyof Cost): number => middle((costs.get(name) ?? []).map((cost) => cost[key]));
    const machine = `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, load ${load}, Node ${process.versions.node}`;
    console.log(
      `${rows} rows in Parquet, ${THREADS} threads, median of ${rounds} processes, best of ${RUNS} runs each, ${machine}\n`,
    );
    console.log("| job | wall ms | CPU ms | peak MB | CPU against | aim |\n| --- | --- | --- | --- | --- | --- |");
    for (const [name, { what, aim, beside = [] }] of chosen) {
      const ratio = aim === undefined || !costs.has(aim[0]) ? Number.NaN : of(name, "cpu") / of(aim[0], "cpu");
      const verdict =
        aim === undefined || Number.isNaN(ratio) ? "" : `≤ ${aim[1]}×: ${ratio <= aim[1] ? "met" : "not met"}`;
      const against = [...(aim === undefined ? [] : [aim[0]]), ...beside]
        .filter((other) => costs.has(other))
        .map((other) => `${(of(name, "cpu") / of(other, "cpu")).toFixed(2)}× ${jobs[other]?.what}`)
        .join("; ");
      const [wall, cpu, rss] = (["wall", "cpu", "rss"] as const).map((key) => of(name, key).toFixed(0));
      console.log(`| ${what} | ${wall} | ${cpu} | ${rss} | ${against} | ${verdict} |`);
    }
    console.log(`\n${quoting()}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** 50 skewed groups, a tenth as many units as rows, values of a lognormal kind with two decimals. */
async function write(folder: string, rows: number): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: String(THREADS) });
  const connection = await instance.connect();
  await connection.run(
    `COPY (SELECT CAST(floor(${rows / 10} * pow(((i * 2654435761) % 4294967296) / 4294967296.0, 2)) AS BIGINT) AS uid,
      CAST(floor(50 * pow(((i * 40503) % 65536) / 65536.0, 2)) AS INTEGER) AS g,
      round(exp(10 + sin(i * 12.9898) * 1.2), 2) AS x, CAST((i * 7919) % 9132 AS INTEGER) AS n, CAST((i * 7919) % 300 AS INTEGER) AS m,
      DATE '2000-01-01' + CAST((i * 7919) % 9132 AS INTEGER) AS d, DATE '2000-01-01' + CAST((i * 7919) % 9132 AS INTEGER) AS dm, CAST('2000-01-01 00:00:00+00' AS TIMESTAMPTZ) + to_seconds((i * 7919 * 977) % 788918400) AS t, CAST(CAST((i * 7919) % 9132 AS DECIMAL(9, 2)) / 100 AS DECIMAL(9, 2)) AS p FROM range(${rows}) AS t(i)) TO '${join(folder, "rows.parquet")}' (FORMAT parquet)`,
  );
  await connection.run(
    `COPY (SELECT i AS uid, CAST((i * 7919) % 50 AS INTEGER) AS area FROM range(${rows / 10}) AS t(i)) TO '${join(folder, "people.parquet")}' (FORMAT parquet)`,
  );
  connection.closeSync();
  instance.closeSync();
}

/** From a plan as a person writes it to its quote: the first one in this process, and the median of many. */
function quoting(): string {
  const times = Array.from({ length: 500 }, (_, index) => {
    const start = performance.now();
    quotePlan(boundPlan({ ...mean, confidence: 0.9 + index / 10_000 }, perRow));
    return performance.now() - start;
  });
  return `From plan to quote (50 groups), no data: ${(times[0] ?? 0).toFixed(2)} ms the first time, ${middle(times).toFixed(3)} ms at the median.`;
}
