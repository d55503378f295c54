import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../program.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dosimeter-compute-"));
  const rows = Array.from({ length: 4000 }, (_, index) => `${20 + (index % 61)},${index % 2 === 0 ? "f" : "m"}`);
  await writeFile(join(cwd, "people.csv"), ["age,sex", ...rows].join("\n"));
});
afterAll(() => rm(cwd, { recursive: true }));

async function computeOf(file: string, ...args: readonly string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const both = Promise.all([text(out), text(err)]);
  const terminal = { in: Readable.from([""]), out, err, isInteractive: false, env: {}, cwd };
  const code = await run(["compute", file, ...args], terminal);
  out.end();
  err.end();
  const [saidOut, saidErr] = await both;
  return { code, out: saidOut, err: saidErr };
}
const compute = (...args: readonly string[]) =>
  computeOf("people.csv", "-c", "age=integer 0..120", "-c", "sex=category f|m", ...args);

test("one statistic of a local file, and that nothing is charged", async () => {
  const { code, out } = await compute("-s", "mean age epsilon=5 by sex");
  expect(code).toBe(0);
  expect(out).toContain("No ledger counts what this spent");
  expect(out).toMatch(/^f\t(49|50)\./m);
  expect(await readdir(cwd)).toEqual(["people.csv"]);
});

test("as JSON, with the answers, the price and the error", async () => {
  const { code, out } = await compute("-s", "count epsilon=2", "--json");
  const { counted, answers, statistics } = JSON.parse(out);
  expect({ code, counted }).toEqual({ code: 0, counted: false });
  expect(Math.abs(answers[0].cells[0].value - 4000)).toBeLessThan(40); // fails with probability below e^−80
  expect(statistics[0]).toMatchObject({ cost: { epsilon: "2" }, cells: 1 });
});

test("as CSV, with the warning outside the file", async () => {
  const { code, out, err } = await compute("-s", "count epsilon=3 by sex", "--csv");
  expect(code).toBe(0);
  const [heading, ...rows] = out.trim().split("\n");
  expect(heading).toContain("value");
  expect(rows).toHaveLength(2);
  expect(out).not.toContain("No ledger counts");
  expect(err).toContain("No ledger counts what this spent");
});

test("a Parquet file is read like a CSV file", async () => {
  const writer = await DuckDBInstance.create(":memory:");
  const connection = await writer.connect();
  const file = join(cwd, "people.parquet").replaceAll("'", "''");
  await connection.run(`COPY (SELECT range % 61 AS age FROM range(4000)) TO '${file}' (FORMAT parquet)`);
  connection.closeSync();
  writer.closeSync();
  const { code, out } = await computeOf(
    "people.parquet",
    "-c",
    "age=integer 0..60",
    "-s",
    "mean age epsilon=5",
    "--json",
  );
  expect(code).toBe(0);
  expect(Math.abs(JSON.parse(out).answers[0].cells[0].value - 30)).toBeLessThan(1);
  await rm(join(cwd, "people.parquet"));
});

test("on a secret sample: the event says so and the answer is for the whole file [M128]", async () => {
  const { code, out } = await compute("-s", "count epsilon=5", "--sample", "0.25", "--json");
  const { answers, statistics } = JSON.parse(out);
  expect(code).toBe(0);
  expect(statistics[0].events[0]).toMatchObject({ kind: "poissonSampled", event: { kind: "discreteLaplace" } });
  expect(Math.abs(answers[0].cells[0].value - 4000)).toBeLessThan(4 * 6 * Math.sqrt(750) + 4 * 20); // 6σ and e^−100
  expect(answers[0].notes.join()).toContain("secret sample");
  const fixed = ["--adjacency", "replace", "--public-size", "4000", "--sample", "100", "--json"];
  const other = JSON.parse((await compute("-s", "count epsilon=5", ...fixed)).out);
  expect(other.statistics[0].events[0]).toMatchObject({
    kind: "sampledWithoutReplacement",
    size: 100,
    population: 4000,
  });
});

test.each([
  ["2", "sample.size"],
  ["1.5", "sample.rate"],
  ["half", "--sample"],
  ["-1", "--sample"],
])("a sample of %s is refused", async (sample, name) => {
  const { code, err, out } = await compute("-s", "count epsilon=1", `--sample=${sample}`);
  expect(err).toContain(name);
  expect({ code, out }).toEqual({ code: 2, out: "" });
});

test("a file that is not there, or that is not as declared, tells no value of it", async () => {
  expect((await computeOf("nobody.csv", "-s", "count epsilon=1")).code).not.toBe(0);
  const { code, out, err } = await computeOf("people.csv", "-c", "sex=integer 0..1", "-s", "sum sex epsilon=1");
  expect(code).not.toBe(0);
  expect(out).toBe("");
  expect(err).toContain("[DATA_UNREADABLE]");
  expect(err).not.toMatch(/\bm\b|"f"/);
});

test.each([
  [["-s", "mean wage epsilon=1"], "UNKNOWN_COLUMN", 2],
  [["-s", "sum age epsilon=0"], "INVALID_PARAMETER", 2],
  [[], "EMPTY_PLAN", 2],
  [["-s", "count epsilon=1", "--unit", "age"], "INVALID_PARAMETER", 2],
])("%j is refused before the file is read", async (args, code, exit) => {
  const result = await compute(...args);
  expect(result.err).toContain(`[${code}]`);
  expect(result).toMatchObject({ code: exit, out: "" });
});
