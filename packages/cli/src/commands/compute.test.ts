import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../program.ts";

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "dosimeter-compute-"));
  const rows = Array.from({ length: 4000 }, (_, index) => `${20 + (index % 61)},${index % 2 === 0 ? "f" : "m"}`);
  await writeFile(join(cwd, "people.csv"), ["age,sex", ...rows].join("\n"));
});
afterAll(() => rm(cwd, { recursive: true }));

async function compute(...args: readonly string[]) {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const both = Promise.all([text(out), text(err)]);
  const terminal = { in: Readable.from([""]), out, err, isInteractive: false, env: {}, cwd };
  const code = await run(
    ["compute", "people.csv", "-c", "age=integer 0..120", "-c", "sex=category f|m", ...args],
    terminal,
  );
  out.end();
  err.end();
  const [saidOut, saidErr] = await both;
  return { code, out: saidOut, err: saidErr };
}

test("one statistic of one's own file, and that nobody counts it", async () => {
  const { code, out } = await compute("-s", "mean age epsilon=5 by sex");
  expect(code).toBe(0);
  expect(out).toContain("Nobody counts what this spent");
  expect(out).toMatch(/^f\t(49|50)\./m);
  expect(await readdir(cwd)).toEqual(["people.csv"]);
});

test("as JSON, with the price and the error beside the answers", async () => {
  const { code, out } = await compute("-s", "count epsilon=2", "--json");
  const { counted, answers, statistics } = JSON.parse(out);
  expect({ code, counted }).toEqual({ code: 0, counted: false });
  expect(Math.abs(answers[0].cells[0].value - 4000)).toBeLessThan(40); // fails with probability below e^−80
  expect(statistics[0]).toMatchObject({ cost: { epsilon: "2" }, cells: 1 });
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
