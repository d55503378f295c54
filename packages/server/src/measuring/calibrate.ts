import { mkdtemp, rm } from "node:fs/promises";
import { arch, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { VERSION } from "@dosimeter/core";
import { boundPlan, type EngineOptions, openEngines } from "@dosimeter/engines";
import { type Coefficients, costOf, type Part, partsOf } from "@dosimeter/query/bind";
import { checkDeclaration, type Declaration } from "@dosimeter/query/declaration";
import type { Engine, JoinedVersion, TableVersion } from "@dosimeter/query/plan";
import type { Plan } from "@dosimeter/query/statistics";
import { DuckDBInstance, version as duckdbVersion } from "@duckdb/node-api";

type DuckDbOptions = NonNullable<EngineOptions["files"]>;
type Answering = (
  engine: Engine,
  given: { readonly plan: Plan; readonly declaration: Declaration; readonly table: JoinedVersion },
) => Promise<unknown>;

/** Rows of the tables: few where each takes long. */
const ROWS = { one: 1, few: 2 ** 13, some: 2 ** 15, many: 2 ** 17, most: 2 ** 20 };
/** The least of these runs counts: more is what something else took, or what was not warm yet. */
const ROUNDS = 2;
/** Texts are as long as a key may be and all different, which takes most: half the margin is enough. */
const WORST = 0.5;
const SALT = "5e".repeat(32);

/** Public rows that take most: people, groups and texts are all different or spread at random. */
const LARGE_ROWS = `CAST(hash(i) % 50 AS INTEGER) AS g, CAST(hash(2 * i) % 200000 AS DOUBLE) AS x, CASE WHEN hash(17 * i) % 2 = 0 THEN 'f' ELSE 'm' END AS s`;
const PUBLIC_ROWS = `i AS person, i // 4 AS household, CAST(hash(i) % 50 AS INTEGER) AS g, CAST(hash(2 * i) % 200000 AS DOUBLE) AS x,
  CAST(hash(3 * i) % 9132 AS INTEGER) AS n, CAST(CAST(hash(5 * i) % 9132 AS DOUBLE) / 100 AS DECIMAL(9, 2)) AS p,
  DATE '2000-01-01' + CAST(hash(7 * i) % 9000 AS INTEGER) AS d, TIMESTAMP '2000-01-01' + to_seconds(CAST(hash(11 * i) % 700000000 AS BIGINT)) AS t,
  'word ' || hash(13 * i) % 400 AS w, CASE WHEN hash(17 * i) % 2 = 0 THEN 'f' ELSE 'm' END AS s,
  'word ' || hash(19 * i) % 100 AS word, lpad(CAST(i AS VARCHAR), 128, 'ж') AS long`;

const columns = {
  person: { type: "integer" },
  household: { type: "integer" },
  g: { type: "integer", lower: 0, upper: 49 },
  x: { type: "number", lower: 0, upper: 200_000, granularity: 1 },
  n: { type: "integer", lower: 0, upper: 9131 },
  p: { type: "decimal", scale: 2, lower: 0, upper: 91.31 },
  d: { type: "date", lower: "2000-01-01", upper: "2024-12-31" },
  t: { type: "timestamp", zone: "Europe/Berlin", lower: "2000-01-01", upper: "2024-12-31" },
  w: { type: "category", categories: Array.from({ length: 400 }, (_, at) => `word ${at}`) },
  s: { type: "category", categories: ["f", "m"] },
  word: { type: "text", mostValues: 100 },
  long: { type: "text" },
};

interface Table {
  readonly rows: keyof typeof ROWS;
  readonly format?: "csv" | "parquet";
  readonly declared?: object;
}

const byPerson = { privacyUnit: { column: "person" }, contribution: { rows: 1 } };
const byHousehold = { privacyUnit: { column: "household" }, contribution: { rows: 4 } };
const inGroups = { privacyUnit: { column: "household" }, contribution: { groups: 2, rowsPerGroup: 2 } };
const [one, few, some, many, most] = [
  { rows: "one" },
  { rows: "few" },
  { rows: "some" },
  { rows: "many" },
  { rows: "most" },
] as const satisfies readonly Table[];
const text = { rows: "few", format: "csv" } as const satisfies Table;
/** Each row is bounded, so that a formula reads all of them: where the rows are the units it reads what was counted of them. */
const people = { ...many, declared: byPerson } as const satisfies Table;
const person = { rows: "one", format: "csv", declared: byPerson } as const satisfies Table;

const asked = { epsilon: "1" };
const mean = (column: string, ...groupBy: readonly string[]): Plan => ({
  statistics: [{ statistic: "mean", column, groupBy, ...asked }],
});
const count = (...groupBy: readonly string[]): Plan => ({ statistics: [{ statistic: "count", groupBy, ...asked }] });
const counts = (length: number): Plan => ({
  statistics: Array.from({ length }, (_, at) => ({ id: `c${at}`, statistic: "count", ...asked })),
});
const median: Plan = { statistics: [{ statistic: "median", column: "x", granularity: 4, ...asked }] };
const hours: Plan = { let: { hour: "hour(t)" }, ...count("hour") };
const found = { epsilon: "1", delta: "1e-9" };
const keys = (column: string): Plan => ({ statistics: [{ statistic: "keyCounts", ...found, column }] });
const meanByKey: Plan = {
  statistics: [{ statistic: "mean", ...found, column: "x", groupBy: ["long"], keys: "select" }],
};
const formula: Plan = { let: { z: "clamp((n + 3) * 2 - abs(n - 30), 0, 5000)" }, ...mean("z") };
const joining: Plan = {
  join: { dataset: "other", columns: { first: { take: "first", column: "n", by: "x" } } },
  ...mean("first"),
};

/** Each gives its part what it takes beyond the parts before it. The first five take no rows that count. */
const references: readonly (readonly [Part, Table, Plan | "open"])[] = [
  ["statistic", person, counts(10)],
  ["release", person, counts(1)],
  ["cell", one, count("n")],
  ["leaf", one, median],
  ["search", one, { statistics: [{ statistic: "variance", column: "x", groupBy: ["g"], ...asked }] }],
  ["times", one, mean("t")],
  ["zones", one, hours],
  ["row", most, counts(1)],
  ["value", most, count("s", "g")],
  ["aggregate", most, mean("x", "g")],
  ["decimal", many, mean("p")],
  ["date", many, mean("d")],
  ["time", some, mean("t")],
  ["zoned", some, hours],
  ["ranked", many, median],
  ["person", people, counts(1)],
  ["category", people, count("w")],
  ["step", people, formula],
  ["bin", people, { statistics: [{ statistic: "histogram", column: "x", bins: 100, ...asked }] }],
  ["windows", { ...many, declared: inGroups }, count("g")],
  ["joined", { ...many, declared: byHousehold }, joining],
  ["found", { ...few, declared: byHousehold }, keys("word")],
  ["foundValue", { ...few, declared: byHousehold }, keys("long")],
  ["foundCell", { ...few, declared: byHousehold }, meanByKey],
  ["text", text, counts(1)],
  ["valueText", text, mean("x", "s", "g")],
  ["decimalText", text, mean("p")],
  ["dateText", text, mean("d")],
  ["timeText", text, mean("t")],
  ["zonedText", text, hours],
  ["opening", person, "open"],
  ["opened", many, "open"],
  ["openedText", text, "open"],
];

/** These tell how fast the machine is, and take no rows: every process warms up by them. */
const WARMING = 5;

/** The machine and what runs on it: another one has other coefficients. */
const machineOf = ({ threads = 0, memoryLimit = "" }: DuckDbOptions): string =>
  [VERSION, process.version, duckdbVersion(), arch(), cpus().length, cpus()[0]?.model, threads, memoryLimit].join(" ");

/** What each part takes in this process with this engine, measured on public rows before it reads any other [M361]. */
export interface Calibrated {
  readonly machine: string;
  /** Those of parts without rows alone, unless all were asked for. */
  readonly coefficients: Partial<Coefficients>;
}

/** The plans that are answered, and their tables. */
export const referencePlans = (): readonly {
  readonly part: Part;
  readonly plan: Plan;
  readonly declaration: Declaration;
}[] =>
  references.flatMap(([part, table, plan]) =>
    plan === "open" ? [] : [{ part, plan, declaration: declarationOf(table) }],
  );

export async function calibrate(
  options: DuckDbOptions,
  { isWhole, answer }: { readonly isWhole: boolean; readonly answer: Answering },
): Promise<Calibrated> {
  const root = await mkdtemp(join(options.temporaryDirectory ?? tmpdir(), "public-"));
  const chosen = isWhole ? references : references.slice(0, WARMING);
  try {
    for (const rows of isWhole ? (Object.keys(ROWS) as (keyof typeof ROWS)[]) : (["one"] as const))
      await writeRows(root, rows);
    const least = new Map<Part, number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      // At most one bounded table is kept, so that each bounds its rows again.
      const engine = await openEngines({ files: { ...options, root, temporaryDirectory: root, cachedTables: 1 } });
      const versions = new Map<string, Promise<TableVersion>>();
      try {
        for (const [part, table, plan] of chosen) {
          const took = await timeOf(await jobOf({ engine, versions, answer }, table, plan));
          least.set(part, Math.min(took, least.get(part) ?? took));
        }
      } finally {
        await engine.close();
      }
    }
    return { machine: machineOf(options), coefficients: solved(chosen, least) };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function writeRows(root: string, rows: keyof typeof ROWS): Promise<void> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "256MB" });
  const connection = await instance.connect();
  const hasText = rows === "one" || rows === "few";
  const long = !hasText ? "" : ", lpad(CAST(i AS VARCHAR), 128, 'ж') AS long";
  const from = `SELECT ${rows === "most" ? LARGE_ROWS : PUBLIC_ROWS}${long} FROM range(${ROWS[rows]}) AS r(i)`;
  try {
    await connection.run(`COPY (${from}) TO '${join(root, `${rows}.parquet`).replaceAll("'", "''")}' (FORMAT parquet)`);
    if (hasText)
      await connection.run(
        `COPY (${from}) TO '${join(root, `${rows}.csv`).replaceAll("'", "''")}' (FORMAT csv, HEADER)`,
      );
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function jobOf(
  {
    engine,
    versions,
    answer,
  }: { readonly engine: Engine; readonly versions: Map<string, Promise<TableVersion>>; readonly answer: Answering },
  table: Table,
  plan: Plan | "open",
): Promise<() => Promise<unknown>> {
  const declaration = declarationOf(table);
  if (plan === "open") return () => engine.describe(declaration.source);
  const key = JSON.stringify(declaration.source);
  versions.set(key, versions.get(key) ?? engine.check(declaration, { salt: SALT }));
  const version = (await versions.get(key)) as TableVersion;
  return () => answer(engine, { plan, declaration, table: { ...version, joined: version } });
}

function declarationOf({ rows, format = "parquet", declared = { privacyUnit: "row" } }: Table): Declaration {
  const { long, ...short } = columns;
  const { g, x, s } = columns;
  const declaration = checkDeclaration({
    ...{ name: rows, source: { [format]: `${rows}.${format}` }, mostRows: ROWS[rows] },
    ...{
      ...declared,
      columns: rows === "most" ? { g, x, s } : rows === "many" || rows === "some" ? short : { ...short, long },
    },
  });
  return { ...declaration, joinable: { other: { version: 1, declaration } } };
}

/** Milliseconds by the clock, or of the processor where something else takes it. */
async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const [start, before] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(before);
  return Math.min(performance.now() - start, (user + system) / 1000);
}

function solved(chosen: typeof references, least: ReadonlyMap<Part, number>): Partial<Coefficients> {
  const known: Partial<Record<Part, number>> = {};
  for (const [part, table, plan] of chosen) {
    const parts = new Map(partsIn(declarationOf(table), plan));
    const count = parts.get(part) ?? 1;
    parts.delete(part);
    const others = [...parts].reduce(
      (sum, [one, number]) => sum + costOf(new Map([[one, number]]), known) / shareOf(one),
      0,
    );
    known[part] = (shareOf(part) * 1e6 * Math.max(0, (least.get(part) ?? 0) - others)) / count;
  }
  return known;
}

const shareOf = (part: Part): number => (part.startsWith("found") ? WORST : 1);

function partsIn(declaration: Declaration, plan: Plan | "open"): ReadonlyMap<Part, number> {
  if (plan !== "open") return partsOf(boundPlan(plan, declaration));
  const isFirst = partsOf(boundPlan(counts(1), declaration), { isFirst: true });
  return new Map([...isFirst].filter(([part]) => part.startsWith("open")));
}
