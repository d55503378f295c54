import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/folder.kit.ts";
import { boundPlan } from "../../../query/src/bind/bound-plan.ts";
import { checkDeclaration } from "../../../query/src/declaration/check-declaration.ts";
import type { Engine } from "../../../query/src/plan/engine.ts";
import { duckdbEngine } from "./engine.ts";
import { openSandbox, query, withConnection } from "./sandbox.ts";

const SALT = "5e".repeat(32);
const root = temporaryFolder();
let engine: Engine;

beforeAll(async () => {
  engine = await duckdbEngine({ root, threads: 1 });
});
afterAll(() => engine.close());

async function parquet(name: string, rows: string): Promise<string> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  await connection.run(`COPY (${rows}) TO '${join(root, name)}' (FORMAT parquet)`);
  connection.closeSync();
  instance.closeSync();
  return name;
}

// To compare every name with every other would take an hour.
test("a header of two million columns is given up while it is read", async () => {
  await writeFile(join(root, "wide.csv"), `${",".repeat(2_400_000)}\n`);
  await expect(engine.describe({ csv: "wide.csv" })).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    message: "the file cannot be read: it must hold at most 4096 columns",
  });
});

test("as many columns as a declaration may name are read; a name that comes again is found among them", async () => {
  const names = Array.from({ length: 4096 }, (_, i) => `c${i}`);
  await writeFile(join(root, "most.csv"), `${names.join()}\n`);
  expect(await engine.describe({ csv: "most.csv" })).toHaveLength(4096);
  await writeFile(join(root, "twice.csv"), `${[...names.slice(1), "C7"].join()}\n`);
  await expect(engine.describe({ csv: "twice.csv" })).rejects.toThrow('names "C7" twice');
});

test("a Parquet file of more columns than a declaration may name is refused", async () => {
  const columns = Array.from({ length: 4097 }, (_, i) => `1 AS c${i}`).join();
  await expect(engine.describe({ parquet: await parquet("wide.parquet", `SELECT ${columns}`) })).rejects.toThrow(
    "at most 4096 columns",
  );
});

test("columns whose names are longer than anyone reads are refused, in CSV and in Parquet", async () => {
  const long = "x".repeat(1001);
  await writeFile(join(root, "long.csv"), `${long}\n1\n`);
  const names = Array.from({ length: 3000 }, (_, at) => `${at}${"x".repeat(100)}`);
  await writeFile(join(root, "longer.csv"), `${names.join()}\n`);
  for (const source of [{ csv: "long.csv" }, { parquet: await parquet("long.parquet", `SELECT 1 AS ${long}`) }])
    await expect(engine.describe(source)).rejects.toThrow("a column's name must have at most 1000 characters");
  await expect(engine.describe({ csv: "longer.csv" })).rejects.toThrow("names must have at most 262144 characters");
});

test("a Parquet file that is nothing but footer is refused before the footer is unpacked", async () => {
  const end = Buffer.alloc(4);
  end.writeUInt32LE(2 ** 24 + 1);
  await writeFile(
    join(root, "footer.parquet"),
    Buffer.concat([Buffer.from("PAR1"), Buffer.alloc(99), end, Buffer.from("PAR1")]),
  );
  await expect(engine.describe({ parquet: "footer.parquet" })).rejects.toThrow(
    "its metadata must have at most 16777216 bytes",
  );
  await writeFile(join(root, "tiny.parquet"), "PAR1");
  await expect(engine.describe({ parquet: "tiny.parquet" })).rejects.toMatchObject({ code: "DATA_UNREADABLE" });
});

test("a large file is read in a thread next to the one that serves, to the same result, and reading ends with its caller", async () => {
  const rows = Array.from({ length: 400_000 }, (_, i) => `${i},a longer text of person ${i}`).join("\n");
  await writeFile(join(root, "large.csv"), `who,n\n${rows}\n`);
  await writeFile(join(root, "large.txt"), `who,n\n${rows}\n"`);
  const [thread, all] = [process.threadCpuUsage(), process.cpuUsage()];
  expect(await engine.describe({ csv: "large.csv" })).toEqual([
    { name: "who", type: "VARCHAR" },
    { name: "n", type: "VARCHAR" },
  ]);
  const { user, system } = process.threadCpuUsage(thread);
  const total = process.cpuUsage(all);
  expect(user + system, "work of the serving thread").toBeLessThan((total.user + total.system) / 3);
  await expect(engine.describe({ csv: "large.txt" })).rejects.toThrow("a closing quote for every opening one");
  const leaving = new AbortController();
  const reading = engine.describe({ csv: "large.csv", delimiter: ";" }, leaving.signal);
  leaving.abort();
  await expect(reading).rejects.toThrow();
});

test("a Parquet file that unpacks to more rows than its bytes can tell apart is refused by its footer", async () => {
  const bomb = await parquet("bomb.parquet", "SELECT 1 AS who, 1 AS n FROM range(20000000)");
  expect((await stat(join(root, bomb))).size).toBeLessThan(200_000);
  await expect(engine.describe({ parquet: bomb })).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    message: /rows a byte/,
  });
  const honest = await parquet("honest.parquet", "SELECT hash(i) AS who, i % 7 AS n FROM range(1500000) AS t(i)");
  expect(await engine.describe({ parquet: honest })).toHaveLength(2);
});

test("what may spill to disk is limited, and so is how long one job runs", async () => {
  const instance = await openSandbox({ root, temporaryDirectory: join(root, "spill") });
  const setting = { text: "SELECT current_setting('max_temp_directory_size')", parameters: [] };
  expect(await withConnection(instance, undefined, (connection) => query(connection, setting))).toEqual([["14.9 GiB"]]);
  instance.closeSync();

  await parquet("slow.parquet", "SELECT hash(i) AS who, i % 7 AS n FROM range(2000000) AS t(i)");
  const declaration = checkDeclaration({
    name: "t",
    source: { parquet: "slow.parquet" },
    privacyUnit: { column: "who" },
    contribution: { rows: 2 },
    columns: { who: { type: "text" }, n: { type: "integer", lower: 0, upper: 10 } },
  });
  const hurried = await duckdbEngine({ root, threads: 1, timeout: 20 });
  await expect(hurried.check(declaration, { salt: SALT })).rejects.toMatchObject({
    code: "DATA_UNREADABLE",
    message: "the file cannot be read: it takes longer than 0.02 s",
  });
  const plan = boundPlan({ statistics: [{ statistic: "mean", column: "n", epsilon: 1 }] }, declaration);
  await expect(hurried.run(plan, { version: "x", salt: SALT })).rejects.toMatchObject({ code: "ENGINE_FAILED" });
  await hurried.close();
});

test("files that are described and never declared do not fill the memory", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const fresh = await duckdbEngine({ root, threads: 1 });
  const describeSome = async (from: number, to: number): Promise<number> => {
    for (let n = from; n < to; n += 1) {
      const names = Array.from({ length: 4096 }, (_, i) => `upload_${n}_column_${i}`);
      await writeFile(join(root, `upload${n}.csv`), `${names.join()}\n`);
      await fresh.describe({ csv: `upload${n}.csv` });
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const some = await describeSome(0, 12);
  const many = await describeSome(12, 60);
  expect((many - some) / 1e6).toBeLessThan(48);
  await fresh.close();
});
